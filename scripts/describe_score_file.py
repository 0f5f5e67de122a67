"""Describe a file of scores that were made elsewhere as a manifest describes a model with files."""

from pathlib import Path
from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.facts import record, write_facts
from unmask.files import sha256_of_file
from unmask.input_digests import unchanged
from unmask.joblog import job_log
from unmask.pairs.score_file import read_score_file

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.input_sha256):
    path, params = snakemake.input[0], snakemake.params
    entry = dict(params.entry)
    file = read_score_file(path, entry)
    facts = {
        "entry": {"source": "scored", **entry},
        "files": {Path(path).name: sha256_of_file(path)},
        "rows": file.rows,
        "decimals": file.decimals,
    }
    write_facts(snakemake.output[0], {**facts, **record(snakemake.input, params.code)})

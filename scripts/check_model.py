"""Check that a model is what it is said to be, and write its manifest."""

from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.input_digests import unchanged
from unmask.joblog import job_log
from unmask.models.kinds import write_manifest

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.input_sha256):
    about = snakemake.params.manifest
    # a model that was fetched has facts about it
    facts = [] if about["entry"]["source"] == "path" else snakemake.input.files
    write_manifest(snakemake.output[0], about, facts)

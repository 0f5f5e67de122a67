"""Read a suite of association tests: what is embedded, and where in the tests it stands."""

from pathlib import Path
from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.associations.schema import STIMULI
from unmask.associations.stimuli import read_stimuli
from unmask.errors import InputError
from unmask.facts import record
from unmask.input_digests import unchanged
from unmask.joblog import job_log
from unmask.tables import write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.input_sha256):
    inputs, params = snakemake.input, snakemake.params
    files = {
        name: [Path(path) for path in ([paths] if isinstance(paths, str) else paths)]
        for name, paths in inputs.items()
    }
    try:
        stimuli, facts = read_stimuli(files, params.entry, params.suite, params.source)
    except InputError as error:
        raise InputError(f"suite {params.suite}: {error}") from None
    origin = record(inputs, params.code, "pandas", "pyarrow")
    write_table(snakemake.output[0], stimuli, STIMULI, facts | origin)

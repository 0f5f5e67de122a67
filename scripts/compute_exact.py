"""Exact models of many drawn worlds, and of one world over the shares of tokens that training keeps."""

from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.calibration.drawn_worlds import drawn_worlds
from unmask.calibration.mlm_corruption import exact_corruption_table
from unmask.calibration.schema import DRAWN, KEPT
from unmask.facts import record
from unmask.joblog import job_log
from unmask.measures.registry import kind_for
from unmask.models.detecting import MASKED_LM
from unmask.tables import write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    params, output = snakemake.params, dict(snakemake.output.items())
    facts = {
        "world": params.name,
        "drawn": dict(params.drawn),
        "association": params.association,
        **record([], params.code, "numpy", "pandas", "pyarrow"),
    }
    drawn = drawn_worlds(params.settings, params.measures, **params.drawn)
    write_table(output["drawn"], drawn, DRAWN, facts)
    if "kept_exact" in output:
        # what training hides is of masked language models alone
        masked = [measure for measure in params.measures if kind_for(measure) == MASKED_LM]
        corrupted = exact_corruption_table(params.name, params.settings, masked, params.association)
        write_table(output["kept_exact"], corrupted, KEPT, facts)

"""Say what word frequency explains of the bias scores of one model on one benchmark."""

from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.benchmarks.schema import PAIRS
from unmask.calibration.explained import explained_table
from unmask.calibration.schema import EXPLAINED
from unmask.facts import record
from unmask.frequency.schema import PAIR_RATIOS
from unmask.joblog import job_log
from unmask.measures.reading import read_scores
from unmask.tables import read_metadata, read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    inputs, params = snakemake.input, snakemake.params
    ratios = read_table(inputs.ratios, PAIR_RATIOS)
    explained = explained_table(
        read_table(inputs.pairs, PAIRS),
        read_scores(inputs.scores, params.measures),
        ratios,
        params.options["clusters"],
        params.options["confidence"],
    )
    counted = read_metadata(inputs.ratios)
    known = ratios["log_ratio"].dropna()
    facts = {
        "model": params.model,
        "benchmark": params.benchmark,
        "options": dict(params.options),
        "corpora": counted["corpora"],
        "tokens": counted["tokens"],
        "mean_log_ratio": float(known.mean()) if len(known) else None,
        **record(inputs, params.code, "pandas", "pyarrow", "scipy", "statsmodels"),
    }
    write_table(snakemake.output[0], explained, EXPLAINED, facts)

"""Compare the decisions of every model on a benchmark with those on another that it is a version of."""

from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.benchmarks.schema import PAIRS
from unmask.errors import InputError
from unmask.facts import record
from unmask.joblog import job_log
from unmask.measures.reading import read_scores
from unmask.statistics.comparisons import versions_compared
from unmask.statistics.decisions import decisions, of_pairs
from unmask.statistics.schema import VERSIONS
from unmask.tables import read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    inputs, params = snakemake.input, snakemake.params
    options = dict(params.options)
    version, original = (read_table(path, PAIRS) for path in (inputs.pairs, inputs.original_pairs))
    of_models = {
        model: (
            decisions(version, of_pairs(version, read_scores(one, params.measures))),
            decisions(original, of_pairs(original, read_scores(other, params.measures))),
        )
        for model, one, other in zip(params.models, inputs.scores, inputs.original_scores, strict=True)
    }
    try:
        rows = versions_compared(version, original, of_models, options["clusters"], options["confidence"])
    except InputError as error:
        key = f"config key benchmarks.{params.benchmark}.version_of: {params.original}"
        raise InputError(f"{key}: {error}") from None
    facts = {
        "benchmark": params.benchmark,
        "original": params.original,
        "models": list(params.models),
        "options": options,
        **record(snakemake.input, params.code, "pandas", "pyarrow", "scipy", "statsmodels"),
    }
    write_table(snakemake.output[0], rows.assign(original=params.original), VERSIONS, facts)

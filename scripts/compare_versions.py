"""Compare the decisions of every model on a benchmark with those on another that it is a version of."""

from unmask.job import job
from unmask.benchmarks.schema import PAIRS
from unmask.measures.schema import read_scores
from unmask.statistics.comparisons import versions_compared
from unmask.statistics.decisions import decisions, of_pairs
from unmask.statistics.schema import VERSIONS
from unmask.tables import read_table, write_table

with job("config key benchmarks.{params.benchmark}.version_of: {params.original}") as run:
    inputs, params = run.input, run.params
    options = dict(params.options)
    version, original = (read_table(path, PAIRS) for path in (inputs.pairs, inputs.original_pairs))
    of_models = {
        model: (
            decisions(version, of_pairs(version, read_scores(one, params.measures))),
            decisions(original, of_pairs(original, read_scores(other, params.measures))),
        )
        for model, one, other in zip(params.models, inputs.scores, inputs.original_scores, strict=True)
    }
    rows = versions_compared(version, original, of_models, options["clusters"], options["confidence"])
    facts = {
        "benchmark": params.benchmark,
        "original": params.original,
        "models": list(params.models),
        "options": options,
        **run.record(),
    }
    write_table(run.output[0], rows.assign(original=params.original), VERSIONS, facts)

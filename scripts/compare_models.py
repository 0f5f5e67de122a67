"""Compare the scores of every two models on one benchmark."""

from unmask.job import job
from unmask.benchmarks.schema import PAIRS
from unmask.evidence.lists import check_one_origin
from unmask.measures.schema import read_scores
from unmask.statistics.comparisons import models_compared
from unmask.statistics.decisions import decisions, of_bias_type, of_pairs
from unmask.statistics.schema import COMPARISONS
from unmask.statistics.sharing import sharing_of
from unmask.tables import read_table, write_table

with job("benchmark {params.benchmark}") as run:
    inputs, params = run.input, run.params
    options = dict(params.options)
    pairs, bias_type = of_bias_type(read_table(inputs.pairs, PAIRS), params.get("bias_type"))
    check_one_origin(inputs.scores, ["benchmark", "benchmark_sha256"])
    of_models = {
        model: decisions(pairs, of_pairs(pairs, read_scores(path, params.measures)))
        for model, path in zip(params.models, inputs.scores, strict=True)
    }
    sharing = sharing_of(pairs, options["clusters"])
    facts = {
        "benchmark": params.benchmark,
        "models": list(params.models),
        "options": options,
        "bias_type": bias_type,
        **run.record(),
    }
    rows = models_compared(of_models, sharing, options["confidence"])
    write_table(run.output[0], rows, COMPARISONS, facts)

"""Compare scores on the same pairs: of models, of states of a series, or on two versions of a benchmark."""

from collections.abc import Sequence
from itertools import combinations

import pandas as pd

from unmask.job import job
from unmask.benchmarks.schema import PAIRS
from unmask.evidence.tables import check_one_origin
from unmask.measures.scoring import read_scores
from unmask.statistics.comparisons import sides_compared, versions_compared
from unmask.statistics.schema import COMPARISONS, VERSIONS
from unmask.statistics.scores import Decisions, decisions, of_bias_type
from unmask.statistics.uncertainty import sharing_of
from unmask.tables import read_table, write_table


def decided(pairs: pd.DataFrame, path: str, measures: Sequence[str]) -> Decisions:
    """What the scores of a file say of these pairs."""
    scores = read_scores(path, measures)
    return decisions(pairs, scores[scores["pair_id"].isin(pairs["pair_id"])])


with job("{params.what}") as run:
    inputs, params, measures = run.input, run.params, run.params.measures
    options, about = dict(params.options), dict(params.about)
    confidence, clusters = options["confidence"], options["clusters"]
    pairs, bias_type = of_bias_type(read_table(inputs.pairs, PAIRS), params.get("bias_type"))
    if "original" in about:
        schema, original = VERSIONS, read_table(inputs.original_pairs, PAIRS)
        of_models = {
            model: (decided(pairs, one, measures), decided(original, other, measures))
            for model, one, other in zip(about["models"], inputs.scores, inputs.original_scores, strict=True)
        }
        rows = versions_compared(pairs, original, of_models, clusters, confidence)
        rows = rows.assign(first=about["benchmark"], second=about["original"])
    else:
        names = about.get("states") or about["models"]
        of_each = {
            name: decided(pairs, path, measures) for name, path in zip(names, inputs.scores, strict=True)
        }
        check_one_origin(inputs.scores, ["benchmark", "benchmark_sha256"])
        if "origins" in about:
            couples = list(about["origins"].items())
        elif "states" in about:
            couples = [(state, names[0]) for state in names[1:]]
        else:
            couples = list(combinations(names, 2))
        schema = COMPARISONS
        sides = [({"first": one, "second": other}, of_each[one], of_each[other]) for one, other in couples]
        rows = sides_compared(sides, sharing_of(pairs, clusters), confidence)
    facts = {**about, "options": options, "bias_type": bias_type, **run.record()}
    write_table(run.output[0], rows, schema, facts)

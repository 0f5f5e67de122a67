"""What measures find in worlds, beside what was planted."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.errors import InputError
from unmask.measures.schema import SCORES
from unmask.report.study import Study
from unmask.terms import CORRECTED, STEREOTYPE

LEVEL = ["factor", "p", "ratio", "direction"]
"""What makes a factor level: P(stereotyped gender), the frequency ratio and whose stereotype it is."""

Truth = Mapping[str, Mapping[str, Any]]
"""What is known of the pairs of one benchmark: pair_id -> {factor, p, ratio, direction, margins}."""


def read_truths(study: Study, paths: Iterable[str | Path]) -> dict[str, Truth]:
    """The truth of every benchmark that a world makes, by the benchmark's name.

    paths: the truth of each of these worlds, JSON with its name (`world`) and `benchmarks` by format.
    Raises InputError where the truth of a world, or of a benchmark in it, is not there.
    """
    documents = [json.loads(Path(path).read_bytes()) for path in paths]
    known = {document["world"]: document["benchmarks"] for document in documents}
    found = {}
    for benchmark in study.benchmarks:
        if benchmark.world is not None:
            if benchmark.format not in known.get(benchmark.world, {}):
                place = f"world {benchmark.world}, format {benchmark.format}"
                raise InputError(f"truth: none of benchmark {benchmark.name} ({place}) is there")
            found[benchmark.name] = known[benchmark.world][benchmark.format]
    return found


def beside_truth(scores: pd.DataFrame, truth: Truth, protocol: str) -> pd.DataFrame:
    """How a measure decides at each planted factor level, next to the oracle's exact margin.

    scores: of one model on one benchmark of a world.
    Columns: LEVEL, measure, pairs, stereotype (percent of pairs decided so), margin (mean), oracle (mean of
    the exact margins; null for a measure that the oracle does not know). Margins are of natural logarithms.
    Raises InputError where a scored pair is not in `truth`.
    """
    scored = scores[scores["protocol"] == protocol]
    unknown = sorted(set(scored["pair_id"]) - set(truth))
    if unknown:
        raise InputError(f"truth: it knows nothing of pair {unknown[0]}; make its world again")
    facts = pd.DataFrame(
        [
            {"pair_id": pair_id, **{key: fact.get(key) for key in LEVEL}, "margins": fact["margins"]}
            for pair_id, fact in truth.items()
        ]
    )
    joined = scored.merge(facts, on="pair_id")
    joined["oracle"] = [
        margins.get(measure) for margins, measure in zip(joined["margins"], joined["measure"], strict=True)
    ]
    joined["oracle"] = joined["oracle"].astype(float)
    joined["decided"] = 100.0 * (joined["outcome"] == STEREOTYPE)
    return joined.groupby([*LEVEL, "measure"], dropna=False, sort=True, as_index=False).agg(
        pairs=("pair_id", "size"),
        stereotype=("decided", "mean"),
        margin=("margin", "mean"),
        oracle=("oracle", "mean"),
    )


def gather_truth(
    study: Study, truths: Iterable[str | Path], scores: Iterable[str | Path]
) -> pd.DataFrame | None:
    """`beside_truth` of all models on the benchmarks of worlds, protocol corrected, with model and benchmark.

    truths: as `read_truths` takes them. scores: the Scores files of the original variant, with model and
    benchmark in their metadata. None where no benchmark of the study is of a world.
    Raises InputError as `read_truths` and `beside_truth` do.
    """
    known = read_truths(study, truths)
    parts = [
        beside_truth(rows, known[str(benchmark)], CORRECTED).assign(
            model=str(model), benchmark=str(benchmark)
        )
        for (model, benchmark), rows in study.collect(scores, SCORES).groupby(
            ["model", "benchmark"], sort=False
        )
        if benchmark in known
    ]
    return pd.concat(parts, ignore_index=True) if parts else None

"""What measures find in a planted world, beside what was planted."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.errors import InputError
from unmask.measures.schema import SCORES
from unmask.report.sheets import DASH, Sheet, number, rows_of, word
from unmask.report.study import Study, display
from unmask.terms import CORRECTED, STEREOTYPE

LEVEL = ["factor", "p", "ratio", "direction"]
"""What makes a factor level: P(stereotyped gender), the frequency ratio and whose stereotype it is."""


def beside_truth(scores: pd.DataFrame, truth: Mapping[str, Mapping[str, Any]], protocol: str) -> pd.DataFrame:
    """How a measure decides at each planted factor level, next to the oracle's exact margin.

    scores: of one model on one planted benchmark. truth: pair_id -> {factor, p, ratio, direction, margins}.
    Columns: LEVEL, measure, pairs, stereotype (percent of pairs decided so), margin (mean), oracle (mean of
    the exact margins; null for a measure that the oracle does not know). Margins are of natural logarithms.
    Raises InputError where a scored pair is not in `truth`.
    """
    scored = scores[scores["protocol"] == protocol]
    unknown = sorted(set(scored["pair_id"]) - set(truth))
    if unknown:
        raise InputError(f"truth: it knows nothing of pair {unknown[0]}; make the planted world again")
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


def gather_truth(study: Study, truth: str | Path, scores: Iterable[str | Path]) -> pd.DataFrame:
    """`beside_truth` of all models on the planted benchmarks, protocol corrected, with model and benchmark.

    truth: JSON whose `benchmarks` maps the name of a planted benchmark (Named.planted) to its pairs.
    scores: the Scores files of the original variant, with model and benchmark in their metadata. No rows
    where no benchmark of the study is planted. Raises InputError where the truth lacks a planted benchmark.
    """
    known = json.loads(Path(truth).read_bytes())["benchmarks"]
    rows = study.collect(scores, SCORES)
    parts = []
    for (model, benchmark), scored in rows.groupby(["model", "benchmark"], sort=False):
        planted = next(b.planted for b in study.benchmarks if b.name == benchmark)
        if planted is not None:
            if planted not in known:
                raise InputError(f"{truth}: it has no benchmark {planted} (benchmark {benchmark})")
            found = beside_truth(scored, known[planted], CORRECTED)
            parts.append(found.assign(model=str(model), benchmark=str(benchmark)))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame({"benchmark": []})


def planted_sheets(study: Study, found: pd.DataFrame, caption: str) -> Iterator[Sheet]:
    """Per planted benchmark: each factor level's truth, then what every model shows there.

    found: as `gather_truth` gives it.
    """
    for benchmark in study.benchmarks:
        here = found[found["benchmark"] == benchmark.name]
        if here.empty:
            continue
        measures = here["measure"].drop_duplicates().tolist()
        rows: list[tuple[str, ...]] = []
        for level, at in here.groupby(LEVEL, dropna=False, sort=False):
            stubs = tuple(map(word, level))
            oracle = at.drop_duplicates("measure").set_index("measure")["oracle"]
            pairs = str(at["pairs"].iloc[0])
            rows.append((*stubs, pairs, "truth", *(number(oracle.get(m), 4, signed=True) for m in measures)))
            for model, by_model in at.groupby("model", sort=False):
                cell_of = {
                    row.measure: f"{number(row.stereotype, 0)}% ({number(row.margin, 4, signed=True)})"
                    for row in rows_of(by_model)
                }
                cells = (cell_of.get(measure, DASH) for measure in measures)
                rows.append((*stubs, pairs, str(model), *cells))
        yield Sheet(
            f"{benchmark.name}: {caption}",
            ("factor", "p", "ratio", "direction", "pairs", "model"),
            tuple(("", display(measure)) for measure in measures),
            tuple(rows),
        )

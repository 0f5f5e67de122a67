"""What measures find in worlds, beside what was planted."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pandas as pd

from unmask.errors import InputError
from unmask.measures.names import title_of
from unmask.measures.schema import SCORES
from unmask.report.sheets import DASH, Sheet, number, rows_of, word
from unmask.report.study import Study
from unmask.report.truths import Truth, read_truths
from unmask.statistics.decisions import decisions
from unmask.terms import CORRECTED

LEVEL = ["factor", "p", "ratio", "direction"]
"""What makes a factor level: P(stereotyped gender), the frequency ratio and whose stereotype it is."""


def beside_truth(scores: pd.DataFrame, truth: Truth, protocol: str) -> pd.DataFrame:
    """How a measure decides at each planted factor level, next to the oracle's exact margin.

    scores: of one model on one benchmark of a world.
    Columns: LEVEL, measure, pairs, score (the bias score in percent, in which ties and undefined pairs count
    as `protocol` has it: in `corrected` a tie is one half, so that a measure to which all pairs are alike has
    50; null where no pair is decided), margin (mean), oracle (mean of the exact margins; null for a measure
    that the oracle does not know). Margins are of natural logarithms.
    Raises InputError where a scored pair is not in `truth`.
    """
    scored = scores[scores["protocol"] == protocol]
    unknown = sorted(set(scored["pair_id"]) - set(truth))
    if unknown:
        raise InputError(f"truth: it knows nothing of pair {unknown[0]}; make its world again")
    pairs = scored["pair_id"].drop_duplicates().tolist()
    facts = pd.DataFrame(
        [{"pair_id": pair, **{key: truth[pair].get(key) for key in LEVEL}} for pair in pairs]
    )
    decided = decisions(facts, scored)
    credit = decided.credit()
    rows = pd.concat(
        [
            facts.assign(
                measure=measure,
                credit=credit[:, column],
                margin=decided.margin[:, column],
                oracle=[float(truth[pair]["margins"].get(measure, "nan")) for pair in pairs],
            )
            for column, (measure, _) in enumerate(decided.series)
        ]
    )
    levels = rows.groupby([*LEVEL, "measure"], dropna=False, sort=True, as_index=False).agg(
        pairs=("pair_id", "size"),
        score=("credit", "mean"),
        margin=("margin", "mean"),
        oracle=("oracle", "mean"),
    )
    return levels.assign(score=100 * levels["score"])


def gather_truth(study: Study, truths: Iterable[str | Path], scores: Iterable[str | Path]) -> pd.DataFrame:
    """`beside_truth` of all models on the benchmarks of worlds, protocol corrected, with model and benchmark.

    truths: as `read_truths` takes them. scores: the Scores files of the original variant, with model and
    benchmark in their metadata. No rows where no benchmark is of a world.
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
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame({"benchmark": []})


def planted_sheets(study: Study, levels: pd.DataFrame, caption: str) -> Iterator[Sheet]:
    """Per planted benchmark: each factor level's truth, then what every model shows there.

    levels: as `gather_truth` gives them.
    """
    for benchmark in study.benchmarks:
        here = levels[levels["benchmark"] == benchmark.name]
        if here.empty:
            continue
        measures = here["measure"].drop_duplicates().tolist()
        rows: list[tuple[str, ...]] = []
        for level, at in here.groupby(LEVEL, dropna=False, sort=False):
            # one ratio that is not whole makes all of them float: 4 is written 4 nevertheless
            stubs = tuple(f"{value:g}" if isinstance(value, float) else word(value) for value in level)
            oracle = at.drop_duplicates("measure").set_index("measure")["oracle"]
            pairs = str(at["pairs"].iloc[0])
            rows.append((*stubs, pairs, "truth", *(number(oracle.get(m), 4, signed=True) for m in measures)))
            for model, by_model in at.groupby("model", sort=False):
                cell_of = {
                    row.measure: f"{number(row.score, 0)}% ({number(row.margin, 4, signed=True)})"
                    for row in rows_of(by_model)
                    if pd.notna(row.score)
                }
                cells = (cell_of.get(measure, DASH) for measure in measures)
                rows.append((*stubs, pairs, str(model), *cells))
        yield Sheet(
            f"{benchmark.name}: {caption}",
            ("factor", "p", "ratio", "direction", "pairs", "model"),
            tuple(("", title_of(measure)) for measure in measures),
            tuple(rows),
        )

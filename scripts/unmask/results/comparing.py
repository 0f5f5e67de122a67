"""Comparing two runs of one study, as of two machines: they agree where float error explains differences.

Margins may differ by what float error allows (unmask.measures.scoring), and decisions at near-ties.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from unmask.errors import InputError
from unmask.facts import read_facts
from unmask.measures.formulas import measure
from unmask.statistics.decisions import is_near_tie
from unmask.study_results import StudyResults
from unmask.terms import PUBLISHED, SIDES

PRINTED = 20
"""The most problems that are printed."""

DECISION = ["model", "benchmark", "variant", "measure", "protocol", "pair_id"]


@dataclass(frozen=True)
class Comparison:
    """Where two runs differ.

    decisions: those of both runs with the columns change (of a score), near (a near-tie in the first run),
    differ, unexplained (it differs and is no near-tie) and beyond (that, or a margin beyond float error).
    problems: one line for each thing that float error does not explain. notes: what explains it, perhaps, and
    how many tables have the same bytes.
    """

    decisions: pd.DataFrame
    problems: list[str]
    notes: list[str]


def compare_runs(first: str | Path, second: str | Path) -> Comparison:
    """Compare two folders of results. Raises InputError where one of them has no scores."""
    folders = Path(first), Path(second)
    one, other = map(_scores, folders)
    both = one.merge(other, on=DECISION, how="outer", suffixes=("", "_other"), indicator="run", sort=False)
    alone = both.loc[both["run"] != "both", [*DECISION[:-2], "run"]].drop_duplicates()
    both = _judged(both[both["run"] == "both"])
    problems = [
        f"{_place(row, DECISION[:-2])}: pairs in {folders[row['run'] == 'right_only']} alone"
        for row in alone.to_dict("records")
    ]
    for row in both[both["beyond"]].to_dict("records"):
        outcomes = [f"{row[f'outcome{run}']} ({row[f'margin{run}']:.6g})" for run in ("", "_other")]
        problems.append(f"{_place(row, DECISION)}: {' against '.join(outcomes)}")
    tables, manifests = (
        [{str(path.relative_to(folder)): path for path in folder.glob(pattern)} for folder in folders]
        for pattern in ("tables/[!.]*", "models/*/manifest.json")
    )
    for name in sorted(tables[0].keys() ^ tables[1].keys()):
        problems.append(f"{name} is in {folders[name in tables[1]]} alone")
    shared = tables[0].keys() & tables[1].keys()
    same = sum(tables[0][name].read_bytes() == tables[1][name].read_bytes() for name in shared)
    notes = [
        f"{Path(name).parts[1]} has other weights in the two runs: it is another model"
        for name in sorted(manifests[0].keys() & manifests[1].keys())
        if len({read_facts(of_run[name]).get("weights_digest") for of_run in manifests}) > 1
    ]
    return Comparison(both, problems, [*notes, f"{same} of {len(shared)} tables are byte-identical"])


def _scores(folder: Path) -> pd.DataFrame:
    try:
        return StudyResults(folder)["scores"]
    except KeyError:
        raise InputError(f"{folder}: no scores; is it results/STUDY of a finished study?") from None


def _place(row: Mapping[Hashable, object], keys: Sequence[str]) -> str:
    return ", ".join(str(row[key]) for key in keys)


def _judged(both: pd.DataFrame) -> pd.DataFrame:
    # a rounded score moves by a whole step where float error takes it across a boundary
    published = {name: measure(name).decimals for name in both["measure"].unique()}
    decimals = both["measure"].map(published).astype(float)
    step = (10.0**-decimals).where(both["protocol"] == PUBLISHED).fillna(0.0)
    # both sides may be rounded; and sums in double precision have their own error
    allowed = both[["error", "error_other"]].max(axis=1) + 2 * step + 1e-12
    moved = (both["margin"] - both["margin_other"]).abs()
    others = both[["lowest_other", "highest_other"]].set_axis(["lowest", "highest"], axis=1)
    near, differ = is_near_tie(both), both["outcome"] != both["outcome_other"]
    unexplained = differ & ~(near | is_near_tie(others))
    sides = [(both[side] - both[f"{side}_other"]).abs() for side in SIDES]
    change = pd.concat(sides, axis=1).max(axis=1)
    beyond = unexplained | (moved > allowed)
    return both.assign(change=change, near=near, differ=differ, unexplained=unexplained, beyond=beyond)


def describe(comparison: Comparison) -> Iterator[str]:
    """The comparison, line by line."""
    decisions, problems = comparison.decisions, comparison.problems
    counted = {"near-ties": "near", "differ": "differ", "not near-ties": "unexplained"}
    columns = {name: (column, "sum") for name, column in counted.items()}
    by_measure = decisions.groupby(["measure", "protocol"], sort=False).agg(
        **{"decisions": ("pair_id", "size"), "largest difference": ("change", "max")}, **columns
    )
    yield by_measure.reset_index().to_string(index=False, formatters={"largest difference": "{:.2g}".format})
    yield from comparison.notes
    yield from (f"error: {problem}" for problem in problems[:PRINTED])
    if len(problems) > PRINTED:
        yield f"error: {len(problems) - PRINTED} more"
    differ, unexplained = int(decisions["differ"].sum()), int(decisions["unexplained"].sum())
    disagreement = f"{differ} of {len(decisions)} decisions differ"
    if problems:
        yield f"the runs do not agree: {disagreement}, {unexplained} of them not near-ties"
    else:
        yield f"the runs agree to float error: {disagreement}{', all of them near-ties' if differ else ''}"

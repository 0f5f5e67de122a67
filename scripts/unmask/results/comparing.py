"""Comparing two runs of one study, as of two machines: they agree where float error explains differences.

Margins may differ by what float error allows (unmask.measures.scoring), and decisions at near-ties.
"""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from unmask.errors import InputError
from unmask.measures.formulas import measure
from unmask.report.study_results import StudyResults
from unmask.terms import PUBLISHED, SIDES

PRINTED = 20
"""The most decisions that are printed."""

DECISION = ["model", "benchmark", "variant", "measure", "protocol", "pair_id"]

RUNS = {"": "right_only", "_other": "left_only"}
"""How columns of each run end, and what pandas calls a decision that this run lacks."""


def compare_runs(first: str | Path, second: str | Path) -> pd.DataFrame:
    """The decisions of two folders of results, those of the second in columns ending in `_other`.

    Further columns: change (of a score), near (a near-tie in the first run), differ, and beyond: a decision
    that differs and is no near-tie, a margin beyond float error, or a pair that one run has alone.
    Raises InputError where one of them has no scores, and where none is in both.
    """
    one, other = (_scores(Path(folder)) for folder in (first, second))
    both = one.merge(other, on=DECISION, how="outer", suffixes=("", "_other"), indicator="run")
    if not both["run"].eq("both").any():
        raise InputError(f"{first} and {second}: no score is in both (of one model, benchmark and pair)")
    # a rounded score moves by a whole step where float error takes it across a boundary
    decimals = both["measure"].map({name: measure(name).decimals for name in both["measure"].unique()})
    step = (10.0 ** -decimals.astype(float)).where(both["protocol"] == PUBLISHED).fillna(0.0)
    # both sides may be rounded; and sums in double precision have their own error
    allowed = both[["error", "error_other"]].max(axis=1) + 2 * step + 1e-12
    # what a run lacks is no near-tie of it
    near, near_other = (
        both[f"lowest{run}"].notna() & (both[f"lowest{run}"] != both[f"highest{run}"]) for run in RUNS
    )
    differ = both["outcome"] != both["outcome_other"]
    moved = (both["margin"] - both["margin_other"]).abs()
    change = pd.concat([(both[side] - both[f"{side}_other"]).abs() for side in SIDES], axis=1).max(axis=1)
    beyond = (both["run"] != "both") | (moved > allowed) | (differ & ~near & ~near_other)
    return both.assign(change=change, near=near, differ=differ, beyond=beyond)


def _scores(folder: Path) -> pd.DataFrame:
    try:
        return StudyResults(folder)["scores"]
    except KeyError:
        raise InputError(f"{folder}: no scores; is it results/STUDY of a finished study?") from None


def describe(decisions: pd.DataFrame) -> Iterator[str]:
    """The comparison, line by line."""
    counts = {"near": "sum", "differ": "sum", "change": "max"}
    by_measure = decisions.groupby(["measure", "protocol"], sort=False).agg(counts)
    yield by_measure.to_string(float_format="{:.2g}".format)
    beyond = decisions[decisions["beyond"]]
    for row in beyond.head(PRINTED).to_dict("records"):
        sides = [
            "nothing" if row["run"] == lacking else f"{row[f'outcome{run}']} ({row[f'margin{run}']:.6g})"
            for run, lacking in RUNS.items()
        ]
        yield f"error: {', '.join(str(row[key]) for key in DECISION)}: {' against '.join(sides)}"
    if len(beyond) > PRINTED:
        yield f"error: {len(beyond) - PRINTED} more"
    differ = f"{int(decisions['differ'].sum())} of {len(decisions)} decisions differ"
    disagree = f"the runs do not agree: {differ}, {len(beyond)} beyond float error"
    yield disagree if len(beyond) else f"the runs agree to float error: {differ}"

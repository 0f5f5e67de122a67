"""Comparing two runs of one study, as of two machines: they agree where float error explains differences.

Margins may differ by what float error allows (unmask.measures.scoring), and decisions at near-ties.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from unmask.errors import InputError
from unmask.facts import read_facts
from unmask.measures.formulas import measure
from unmask.measures.schema import SCORES
from unmask.statistics.decisions import is_near_tie
from unmask.tables import read_table
from unmask.terms import PUBLISHED

PRINTED = 20
"""The most problems that are printed."""

DECISION = ["model", "benchmark", "variant", "measure", "protocol", "pair_id"]


@dataclass(frozen=True)
class Comparison:
    """What two runs have in common, and where they differ.

    measures: per measure and protocol the number of decisions, the largest difference of any score, the
    largest difference of a margin as a share of what float error allows, how many near-ties there are (in
    the first run), how many decisions differ, and how many of these are not near-ties.
    problems: one line for each thing that float error does not explain. notes: what explains it, perhaps.
    tables: the files that are in both runs, each with whether its bytes are the same.
    """

    measures: pd.DataFrame
    problems: list[str]
    notes: list[str]
    tables: dict[str, bool]


def compare_runs(first: str | Path, second: str | Path) -> Comparison:
    """Compare two folders of results. Raises InputError where one of them has no scores."""
    folders = Path(first), Path(second)
    problems = list(_in_one_alone("scores", "scores/*/*/*.parquet", folders))
    one, other = (_scores(folder) for folder in folders)
    both = one.merge(other, on=DECISION, how="outer", suffixes=("", "_other"), indicator="run", sort=False)
    alone = both.loc[both["run"] != "both", [*DECISION[:-2], "run"]].drop_duplicates()
    for row in alone.to_dict("records"):
        place = ", ".join(row[key] for key in DECISION[:-2])
        problems.append(f"{place}: pairs in {folders[row['run'] == 'right_only']} alone")
    both = _judged(both[both["run"] == "both"])
    for row in both[both["beyond"]].to_dict("records"):
        place = ", ".join(str(row[key]) for key in DECISION)
        outcomes = [f"{row[f'outcome{run}']} ({row[f'margin{run}']:.6g})" for run in ("", "_other")]
        problems.append(f"{place}: {' against '.join(outcomes)}")
    problems += _in_one_alone("tables", "tables/*", folders)
    tables = {
        name: Path(first, name).read_bytes() == Path(second, name).read_bytes()
        for name in _in_both("tables/*", folders)
    }
    notes = [
        f"{Path(name).parts[1]} has other weights in the two runs: it is another model"
        for name in _in_both("models/*/manifest.json", folders)
        if len({read_facts(folder / name).get("weights_digest") for folder in folders}) > 1
    ]
    return Comparison(_by_measure(both), problems, notes, tables)


def _scores(folder: Path) -> pd.DataFrame:
    parts = []
    for path in sorted(folder.glob("scores/*/*/[!.]*.parquet")):
        model, benchmark = path.parts[-3:-1]
        parts.append(read_table(path, SCORES).assign(model=model, benchmark=benchmark, variant=path.stem))
    if not parts:
        raise InputError(f"{folder}: no scores in this folder; is it results/STUDY of a finished study?")
    return pd.concat(parts, ignore_index=True)


def _judged(both: pd.DataFrame) -> pd.DataFrame:
    """With the columns change (of a score), share (of the float error allowed), differ, near, unexplained
    (a decision that differs and is no near-tie) and beyond (that, or a margin beyond float error)."""
    changes = [(both[side] - both[f"{side}_other"]).abs() for side in ("stereotype", "antistereotype")]
    # a rounded score moves by a whole step where float error takes it across a boundary
    published = {name: measure(name).decimals for name in both["measure"].unique()}
    decimals = both["measure"].map(published).astype(float)
    step = (10.0**-decimals).where(both["protocol"] == PUBLISHED).fillna(0.0)
    # both sides may be rounded; and sums in double precision have their own error
    allowed = both[["error", "error_other"]].max(axis=1) + 2 * step + 1e-12
    moved = (both["margin"] - both["margin_other"]).abs()
    others = both[["lowest_other", "highest_other"]].set_axis(["lowest", "highest"], axis=1)
    differ = both["outcome"] != both["outcome_other"]
    unexplained = differ & ~(is_near_tie(both) | is_near_tie(others))
    return both.assign(
        change=pd.concat(changes, axis=1).max(axis=1),
        share=moved / allowed,
        near=is_near_tie(both),
        differ=differ,
        unexplained=unexplained,
        beyond=unexplained | (moved > allowed),
    )


def _by_measure(both: pd.DataFrame) -> pd.DataFrame:
    table: pd.DataFrame = (
        both.groupby(["measure", "protocol"], sort=False)
        .agg(
            decisions=("pair_id", "size"),
            largest_difference=("change", "max"),
            share=("share", "max"),
            near_ties=("near", "sum"),
            differ=("differ", "sum"),
            unexplained=("unexplained", "sum"),
        )
        .reset_index()
    )
    return table


def _names(folder: Path, pattern: str) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.glob(pattern) if not path.name.startswith(".")}


def _in_both(pattern: str, folders: tuple[Path, Path]) -> list[str]:
    return sorted(_names(folders[0], pattern) & _names(folders[1], pattern))


def _in_one_alone(what: str, pattern: str, folders: tuple[Path, Path]) -> Iterator[str]:
    """A line for each file that one of the folders has alone."""
    one, other = (_names(folder, pattern) for folder in folders)
    for name in sorted(one ^ other):
        yield f"{what}: {name} is in {folders[name in other]} alone"


def describe(comparison: Comparison) -> Iterator[str]:
    """The comparison, line by line."""
    measures, problems = comparison.measures, comparison.problems
    forms = {"largest difference": "{:.2g}".format, "of float error": "{:.1%}".format}
    heads = {"share": "of float error", "unexplained": "not near-ties", "near_ties": "near-ties"}
    heads["largest_difference"] = "largest difference"
    yield measures.rename(columns=heads).to_string(index=False, formatters=forms)
    yield from comparison.notes
    yield f"{sum(comparison.tables.values())} of {len(comparison.tables)} tables are byte-identical"
    yield from (f"error: {problem}" for problem in problems[:PRINTED])
    if len(problems) > PRINTED:
        yield f"error: {len(problems) - PRINTED} more"
    differ, unexplained = int(measures["differ"].sum()), int(measures["unexplained"].sum())
    disagreement = f"{differ} of {int(measures['decisions'].sum())} decisions differ"
    if problems:
        yield f"the runs do not agree: {disagreement}, {unexplained} of them not near-ties"
    else:
        yield f"the runs agree to float error: {disagreement}{', all of them near-ties' if differ else ''}"

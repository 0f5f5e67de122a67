"""Holding two runs of one study against each other, as of two machines.

python -m unmask.results.comparing results/STUDY elsewhere/results/STUDY

They agree where margins differ by no more than float error (unmask.measures.float_error) and every decision
that differs is a near-tie. Status 0: they agree; 1: they do not, or are not of the same study.
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from unmask.errors import InputError
from unmask.facts import read_facts
from unmask.measures.registry import measure
from unmask.measures.schema import SCORES
from unmask.statistics.decisions import is_near_tie
from unmask.tables import read_table
from unmask.terms import PUBLISHED

SHOWN = 20
"""How many lines of one kind are printed at most."""

PLACE = ["model", "benchmark", "variant"]
DECISION = [*PLACE, "measure", "protocol", "pair_id"]


@dataclass(frozen=True)
class Comparison:
    """What two runs have in common, and where they differ.

    measures: per measure and protocol the number of decisions, the largest difference of any score, the
    largest difference of a margin as a share of what float error allows, how many near-ties there are (in
    the first run), how many decisions differ, and how many of these are not near-ties.
    problems: one line for each thing that float error does not explain. notes: what explains it, perhaps.
    identical, different: the files of tables that are in both runs.
    """

    measures: pd.DataFrame
    problems: list[str]
    notes: list[str]
    identical: list[str]
    different: list[str]


def compare(first: str | Path, second: str | Path) -> Comparison:
    """Compare two folders of results. Raises InputError where one of them has no scores."""
    folders = Path(first), Path(second)
    problems = list(_missing("scores", "scores/*/*/*.parquet", folders))
    one, other = (_scores(folder) for folder in folders)
    both = one.merge(
        other, on=DECISION, how="outer", suffixes=("", "_other"), indicator="found_in", sort=False
    )
    for row in (
        both.loc[both["found_in"] != "both", [*DECISION[:-1], "found_in"]].drop_duplicates().itertuples()
    ):
        where = folders[0] if row.found_in == "left_only" else folders[1]
        problems.append(f"{row.model}, {row.benchmark}, {row.variant}, {row.measure}: pairs in {where} alone")
    both = _judged(both[both["found_in"] == "both"])
    for row in both[both["beyond"]].itertuples():
        place = ", ".join(str(getattr(row, key)) for key in DECISION)
        problems.append(
            f"{place}: {row.outcome} ({row.margin:.6g}) against {row.outcome_other} ({row.margin_other:.6g})"
        )
    identical, different = _tables(folders)
    problems += _missing("tables", "tables/*", folders)
    return Comparison(_by_measure(both), problems, list(_notes(folders)), identical, different)


def _scores(folder: Path) -> pd.DataFrame:
    parts = []
    for path in sorted(folder.glob("scores/*/*/[!.]*.parquet")):
        model, benchmark = path.parts[-3:-1]
        parts.append(read_table(path, SCORES).assign(model=model, benchmark=benchmark, variant=path.stem))
    if not parts:
        raise InputError(f"{folder}: no scores in this folder; is it results/STUDY of a finished study?")
    return pd.concat(parts, ignore_index=True)


def _judged(both: pd.DataFrame) -> pd.DataFrame:
    """With the columns change (of a score), share (of the float error allowed), differ, near and beyond."""
    changes = [(both[side] - both[f"{side}_other"]).abs() for side in ("stereotype", "antistereotype")]
    # a rounded score moves by a whole step where float error takes it across a boundary
    published = {name: measure(name).published_decimals for name in both["measure"].unique()}
    decimals = both["measure"].map(published)
    step = (10.0 ** -decimals.astype(float)).where(both["protocol"] == PUBLISHED).fillna(0.0)
    error = both[["error", "error_other"]].max(axis=1)
    moved = (both["margin"] - both["margin_other"]).abs()
    others = both[["lowest_other", "highest_other"]].set_axis(["lowest", "highest"], axis=1)
    differ = both["outcome"] != both["outcome_other"]
    near = is_near_tie(both) | is_near_tie(others)
    # both sides may be rounded; and sums in double precision have their own error
    allowed = error + 2 * step + 1e-12
    return both.assign(
        change=pd.concat(changes, axis=1).max(axis=1),
        share=moved / allowed,
        differ=differ,
        unexplained=differ & ~near,
        near=is_near_tie(both),
        beyond=(differ & ~near) | (moved > allowed),
    )


def _by_measure(both: pd.DataFrame) -> pd.DataFrame:
    grouped = both.groupby(["measure", "protocol"], sort=False)
    table: pd.DataFrame = grouped.agg(
        decisions=("pair_id", "size"),
        largest_difference=("change", "max"),
        share=("share", "max"),
        near_ties=("near", "sum"),
        differ=("differ", "sum"),
        unexplained=("unexplained", "sum"),
    ).reset_index()
    return table


def _missing(what: str, pattern: str, folders: tuple[Path, Path]) -> Iterator[str]:
    """A line for each file that one of the folders has alone."""
    one, other = (_names(folder, pattern) for folder in folders)
    for name in sorted(one ^ other):
        yield f"{what}: {name} is in {folders[name in other]} alone"


def _names(folder: Path, pattern: str) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.glob(pattern) if not path.name.startswith(".")}


def _tables(folders: tuple[Path, Path]) -> tuple[list[str], list[str]]:
    """Tables that both have: those with the same bytes, and the others."""
    same: dict[bool, list[str]] = {True: [], False: []}
    for name in sorted(_names(folders[0], "tables/*") & _names(folders[1], "tables/*")):
        one, other = (Path(folder, name).read_bytes() for folder in folders)
        same[one == other].append(name)
    return same[True], same[False]


def _notes(folders: tuple[Path, Path]) -> Iterator[str]:
    """Models that have other weights in the two runs."""
    pattern = "models/*/manifest.json"
    for name in sorted(_names(folders[0], pattern) & _names(folders[1], pattern)):
        one, other = (read_facts(Path(folder, name)).get("weights_digest") for folder in folders)
        if one != other:
            yield f"{Path(name).parts[1]} has other weights in the two runs: it is another model"


def describe(comparison: Comparison) -> Iterator[str]:
    """What was found, line by line."""
    yield f"{'measure':<14}{'protocol':<11}{'decisions':>9}{'largest difference':>20}" + (
        f"{'of float error':>16}{'near-ties':>11}{'differ':>8}{'not near-ties':>15}"
    )
    for row in comparison.measures.itertuples():
        yield f"{row.measure:<14}{row.protocol:<11}{row.decisions:>9}{row.largest_difference:>20.2g}" + (
            f"{row.share:>16.1%}{row.near_ties:>11}{row.differ:>8}{row.unexplained:>15}"
        )
    yield from comparison.notes
    tables = len(comparison.identical) + len(comparison.different)
    yield f"{len(comparison.identical)} of {tables} tables are byte-identical"
    yield from (f"error: {problem}" for problem in comparison.problems[:SHOWN])
    if len(comparison.problems) > SHOWN:
        yield f"error: {len(comparison.problems) - SHOWN} more"
    differ = int(comparison.measures["differ"].sum())
    disagreement = f"{differ} of {int(comparison.measures['decisions'].sum())} decisions differ"
    if comparison.problems:
        unexplained = int(comparison.measures["unexplained"].sum())
        yield f"the runs do not agree: {disagreement}, {unexplained} of them not near-ties"
    else:
        yield f"the runs agree to float error: {disagreement}{', all of them near-ties' if differ else ''}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Hold two runs of one study against each other.")
    parser.add_argument("first", metavar="results/STUDY")
    parser.add_argument("second", metavar="elsewhere/results/STUDY")
    arguments = parser.parse_args()
    try:
        comparison = compare(arguments.first, arguments.second)
    except InputError as error:
        sys.exit(f"error: {error}")
    for line in describe(comparison):
        print(line)
    sys.exit(bool(comparison.problems))


if __name__ == "__main__":
    main()

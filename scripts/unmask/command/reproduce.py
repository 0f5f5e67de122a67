"""`unmask reproduce`: runs what has printed numbers, in order of cost, and shows these beside ours."""

import sys
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.close_names import known_names
from unmask.command.scoring import run_study
from unmask.errors import InputError
from unmask.files import write_text
from unmask.papers.checklist import Item, Paper, needs_data, read_papers
from unmask.papers.comparing import compared, summary
from unmask.papers.costs import Cost, cost_of
from unmask.papers.page import in_words
from unmask.report.csv_text import csv_text
from unmask.report.sheets import number
from unmask.results.folder import results_folder

TABLE = Path("results/reproduced.csv")
"""All printed numbers beside ours."""

FAILED = "failed; the same command goes on with it"
NOT_PLANNED = "cannot be planned; its error is above"


@dataclass(frozen=True)
class Step:
    """What is run at once: tables of one study that take the same parts of it."""

    study: str
    parts: tuple[str, ...]
    items: tuple[Item, ...]

    @property
    def cost(self) -> Cost:
        return cost_of(self.study, self.parts)

    @property
    def targets(self) -> list[str]:
        """The files that are made: each table as it is read, and its numbers."""
        folder = results_folder(self.study)
        files = [
            str(folder / file)
            for item in self.items
            if item.printed
            for file in (item.file, item.printed.file)
        ]
        return list(dict.fromkeys(files))

    def __str__(self) -> str:
        by: dict[str, list[str]] = {}
        for item in self.items:
            by.setdefault(item.paper, []).append(item.item)
        names = "; ".join(f"{paper}: {', '.join(items)}" for paper, items in by.items())
        return f"{self.study} ({names})\n  {in_words(self.cost)}"


def chosen_papers(keys: Sequence[str]) -> list[Paper]:
    """The papers of these keys, all by default. Raises InputError for an unknown one."""
    papers = {paper.key: paper for paper in read_papers()}
    for key in keys:
        if key not in papers:
            raise InputError(f"--papers: there is no {key!r} ({known_names(key, list(papers))})")
    return [paper for key, paper in papers.items() if not keys or key in keys]


def steps(papers: Sequence[Paper]) -> list[Step]:
    """All that has printed numbers, the cheapest first."""
    by: dict[tuple[str, tuple[str, ...]], list[Item]] = {}
    for paper in papers:
        for item in paper.items:
            if item.printed:
                by.setdefault((item.study, item.parts), []).append(item)
    grouped = [Step(study, parts, tuple(items)) for (study, parts), items in by.items()]
    return sorted(grouped, key=lambda step: (step.cost.core_hours, step.cost.fetched))


def reproduce(keys: Sequence[str], data: str | None, cores: str, dry_run: bool) -> int:
    """Run all steps and show the table; 1 where one has failed, and it is the others' that is shown.

    A step that needs files of the user's is left out where no folder of them is given. Raises InputError for
    unknown papers.
    """
    planned = steps(chosen_papers(keys))
    finished: list[Step] = []
    ended: list[tuple[Step, str]] = []
    for place, step in enumerate(planned, start=1):
        print(f"[{place}/{len(planned)}] {step}", flush=True)
        if needs_data(step.study) and data is None:
            ended.append((step, "left out: it needs files of yours, --data DIR"))
        elif run_study(step.study, cores, dry_run, data, step.targets):
            ended.append((step, NOT_PLANNED if dry_run else FAILED))
        else:
            finished.append(step)
    if not dry_run:
        table, missing = _tables(finished)
        write_text(TABLE, csv_text(table))
        print("\n".join(_lines(table)))
        for line in missing:
            print(line, file=sys.stderr)
    for step, why in ended:
        print(f"{step.study}: {why}", file=sys.stderr)
    if dry_run:
        print("Nothing was run.")
    return int(any(why in (FAILED, NOT_PLANNED) for _, why in ended))


def _tables(finished: Sequence[Step]) -> tuple[pd.DataFrame, list[str]]:
    """Printed numbers beside ours of all items, and a line for each item that has none."""
    tables, missing = [], []
    for item in (item for step in finished for item in step.items):
        table = compared(item, results_folder(item.study))
        tables.append(table)
        if table.empty:
            missing.append(f"{item.item} of {item.paper}: no printed number has one of ours beside it")
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(), missing


def _lines(table: pd.DataFrame) -> Iterator[str]:
    """The table as it is read, then how many numbers of each item are within rounding."""
    if table.empty:
        yield "No printed number has one of ours beside it."
        return
    heads: Sequence[str]
    heads = ("paper", "item", "number", "protocol", "printed", "ours", "difference", "within rounding")
    yield from _aligned(heads, [_cells(row) for row in table.to_dict("records")])
    yield ""
    heads = ("paper", "item", "protocol", "within rounding", "largest difference")
    yield from _aligned(heads, [_counts(row) for row in summary(table).to_dict("records")])
    yield f"All numbers: {TABLE}"


def _cells(row: Mapping[Hashable, Any]) -> tuple[str, ...]:
    """A printed number with its decimals, ours with one more."""
    more = row["decimals"] + 1
    return (
        *(row[name] for name in ("paper", "item", "number", "protocol")),
        number(row["printed"], row["decimals"]),
        number(row["ours"], more),
        number(row["difference"], more, signed=True),
        "yes" if row["within"] else "no",
    )


def _counts(row: Mapping[Hashable, Any]) -> tuple[str, ...]:
    within = f"{row['within']} of {row['numbers']}"
    return row["paper"], row["item"], row["protocol"], within, f"{row['largest']:.3g}"


def _aligned(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    for cells in (heads, *rows):
        yield "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()

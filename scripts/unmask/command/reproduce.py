"""`unmask reproduce`: runs what has printed numbers, in order of cost, and shows these beside ours."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import pandas as pd
from tabulate import tabulate

from unmask.command.scoring import run_study
from unmask.errors import InputError, known_names
from unmask.files import write_text
from unmask.papers.comparing import Item, compared, needs_data, read_costs, read_items, summary
from unmask.report.tables import csv_text
from unmask.report.wording import number
from unmask.results.settings import results_folder

TABLE = Path("results/reproduced.csv")
"""All printed numbers beside ours."""

FAILED = "failed; the same command goes on with it"
LEFT_OUT = "left out: it needs files of yours, --data DIR"


@dataclass(frozen=True)
class Step:
    """What is run at once: the tables of one study. takes: hours and gigabytes, in words."""

    study: str
    takes: str
    items: tuple[Item, ...]

    def __str__(self) -> str:
        names = (
            f"{paper}: {', '.join(item.item for item in items)}"
            for paper, items in groupby(self.items, lambda item: item.paper)
        )
        return f"{self.study} ({'; '.join(names)})\n  {self.takes}"

    @property
    def targets(self) -> list[str]:
        """The files that are made."""
        folder = results_folder(self.study)
        return list(dict.fromkeys(str(folder / item.file) for item in self.items))


def steps(papers: Sequence[str]) -> list[Step]:
    """All that has printed numbers in these papers, or in all, the cheapest first.

    Raises InputError for an unknown paper.
    """
    items = read_items()
    for paper in papers:
        if paper not in items:
            raise InputError(f"--papers: there is no {paper!r} ({known_names(paper, list(items))})")
    chosen = [item for paper, each in items.items() if not papers or paper in papers for item in each]
    by_study = {
        study: Step(study, takes, tuple(item for item in chosen if item.study == study))
        for study, takes in read_costs().items()
    }
    return [step for step in by_study.values() if step.items]


def reproduce(papers: Sequence[str], data: str | None, cores: str, dry_run: bool) -> int:
    """Run all steps and show the table; 1 where one has failed, and it is the others' that is shown.

    A step that needs files of the user's is left out where no folder of them is given. Raises InputError for
    unknown papers.
    """
    planned, ended = steps(papers), {}
    for place, step in enumerate(planned, start=1):
        print(f"[{place}/{len(planned)}] {step}", flush=True)
        if needs_data(step.study) and data is None:
            ended[step.study] = LEFT_OUT
        elif run_study(step.study, cores, dry_run, data, step.targets):
            ended[step.study] = "cannot be planned; its error is above" if dry_run else FAILED
    if not dry_run:
        items = [item for step in planned if step.study not in ended for item in step.items]
        tables = [compared(item, results_folder(item.study)) for item in items]
        table = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()
        write_text(TABLE, csv_text(table))
        print("\n".join(_lines(table)))
    for study, why in ended.items():
        print(f"{study}: {why}", file=sys.stderr)
    if dry_run:
        print("Nothing was run.")
    return int(any(why != LEFT_OUT for why in ended.values()))


def _lines(table: pd.DataFrame) -> Iterator[str]:
    """The table as it is read, a printed number with its decimals and ours with one more; then how many
    numbers of each item are within rounding."""
    if table.empty:
        yield "No printed number has one of ours beside it."
        return
    rows = table.to_dict("records")
    shown = {
        "printed": [number(row["printed"], row["decimals"]) for row in rows],
        "ours": [number(row["ours"], row["decimals"] + 1) for row in rows],
        "difference": [number(row["difference"], row["decimals"] + 1, signed=True) for row in rows],
    }
    counts = summary(table)
    counts["largest"] = counts["largest"].map("{:.3g}".format)
    for each in (table.assign(**shown).drop(columns="decimals"), counts):
        yield tabulate(each.to_dict("list"), "keys", "plain", disable_numparse=True) + "\n"
    yield f"All numbers: {TABLE}"

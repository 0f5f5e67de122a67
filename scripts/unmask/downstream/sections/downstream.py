"""What the report says of downstream tasks."""

from collections.abc import Iterator, Mapping
from typing import Any

from unmask.downstream import tables
from unmask.downstream.findings import (
    bias_in_use,
    change_by_debiasing,
    in_short,
    told_apart,
    words_in_data,
)
from unmask.downstream.results import Found
from unmask.report.sections import Block, Fold, Items, Section, Table, folded, picture

QUESTION = (
    "Do models treat women and men unequally where they are used, does debiasing change that, and do bias "
    "scores of the models say so?"
)

_FIGURES = {
    "use_figure": "Intrinsic bias of models beside their bias in use, with bands of chance",
    "changes_figure": "What debiasing changes of bias scores and of bias in use",
    "steps_figure": "Bias in use by steps of fine-tuning",
}
"""Pictures by their names among the files, which are those of their captions, and what they show."""


def section(files: Mapping[str, Any], settings: Mapping[str, Any]) -> Section:
    """files: those of unmask.downstream.results.Found, and figures of the names of _FIGURES (SVG, empty where
    there is none). settings: those of Found."""
    found = Found(files, settings)
    return Section(
        "downstream",
        "Bias in use",
        (
            QUESTION,
            *in_short(found),
            *bias_in_use(found),
            *change_by_debiasing(found),
            *told_apart(found),
            *words_in_data(found),
        ),
        (
            *_pictures(files, found, "use_figure", "changes_figure"),
            Table(tables.overview(found)[1]),
            *_some(found),
            *_pictures(files, found, "steps_figure"),
            *_warnings(found),
            Fold(found.captions["doubts"], (Items(tuple(found.published.doubts())),)),
        ),
    )


def _pictures(files: Mapping[str, Any], found: Found, *names: str) -> Iterator[Block]:
    for name in names:
        if files.get(name):
            yield picture(found.captions[name], _FIGURES[name], files[name])


def _some(found: Found) -> Iterator[Block]:
    """The tables that the study has something for, in folds."""
    for title, table in (
        ("Table 1: gendered words in the data", tables.table1),
        ("Table 2: intrinsic bias against bias in use", tables.table2),
        ("Table 3: all values", tables.table3),
        ("What debiasing changes of bias scores", tables.changes),
    ):
        yield from folded(title, table(found)[1])


def _warnings(found: Found) -> Iterator[Block]:
    remarks = found.remarks()
    if remarks:
        yield Fold("What was left out, and what to be wary of", (Items(tuple(remarks), warning=True),))

"""What the report says of downstream tasks."""

from collections.abc import Iterator

from unmask.downstream import tables
from unmask.downstream.charts import MAKERS
from unmask.downstream.findings import (
    bias_in_use,
    change_by_debiasing,
    in_short,
    told_apart,
    words_in_data,
)
from unmask.downstream.results import Found
from unmask.report.charts import chart
from unmask.report.published import doubts
from unmask.report.sections import Block, Fold, Items, Section, folded

QUESTION = (
    "Do models treat women and men unequally where they are used, does debiasing change that, and do bias "
    "scores of the models say so?"
)

_SHOWN = {
    "use_figure": "Bias of models in every task, with intervals and bands of chance",
    "scores_figure": "Bias scores of the same models, with intervals",
    "changes_figure": "Bias in use before and after debiasing, with intervals of the change",
    "against_figure": "Bias in use of models against their bias scores, with intervals",
    "steps_figure": "Bias in use by steps of fine-tuning, a line with its interval for each model",
}
"""Charts by their names, which are those of their captions, and what they show."""


def section(found: Found) -> Section:
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
            *_drawn(found, "use_figure"),
            *folded("Accuracy and bias in use, in numbers", tables.overview(found)[1]),
            *_drawn(found, "scores_figure"),
            *_drawn(found, "changes_figure"),
            *folded("What debiasing changes of bias scores", tables.changes(found)[1]),
            *_drawn(found, "against_figure"),
            *folded("Table 2: intrinsic bias against bias in use", tables.table2(found)[1]),
            *_drawn(found, "steps_figure"),
            *folded("Table 1: gendered words in the data", tables.table1(found)[1]),
            *folded("Table 3: all values", tables.table3(found)[1]),
            *_warnings(found),
            Fold(found.captions["doubts"], (Items(doubts(found.published)),)),
        ),
    )


def _drawn(found: Found, name: str) -> Iterator[Block]:
    drawn = MAKERS[name][0](found)
    if drawn:
        yield chart(found.captions[name], f"{_SHOWN[name]}. Their numbers are in the tables below.", drawn)


def _warnings(found: Found) -> Iterator[Block]:
    remarks = found.remarks()
    if remarks:
        yield Fold("What was left out, and what to be wary of", (Items(tuple(remarks), warning=True),))

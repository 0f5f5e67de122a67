"""What the report says of debiased models."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from unmask.debiasing.charts import scores_changed
from unmask.debiasing.results import Found
from unmask.measures.registry import title_of
from unmask.report.captions import Captions
from unmask.report.changes_table import CHANGES, with_margins
from unmask.report.changes_wording import clearly_changed, typical_left
from unmask.report.charts import chart
from unmask.report.declared_tables import Column, Table
from unmask.report.sections import Block, Section, folded
from unmask.report.sections import Table as TableBlock
from unmask.report.sheets import DASH, Sheet, number
from unmask.statistics.changes import CENTRE, without_controls
from unmask.statistics.margins import Margins, share_left

QUESTION = "Does debiasing a model change what bias scores see in it, and what does it cost the model?"

_SCORE, _MEAN, _TYPICAL = "bias score", "mean margin", "typical margin"

CHANGED = Table(
    "changes",
    ["model", "benchmark", "title"],
    [
        *(replace(column, group=_SCORE) for column in CHANGES),
        Column(
            "before", "{mean_before:+.3f}", "Mean margin of the model that this one was made from.", _MEAN
        ),
        Column("after", "{mean_after:+.3f}", "Mean margin of the model.", _MEAN),
        Column("before", "{typical_before:.3f}", "Median of |margin| over pairs, before.", _TYPICAL),
        Column("after", "{typical_after:.3f}", "Median of |margin| over pairs, after.", _TYPICAL),
    ],
    heads={"title": "measure"},
)
MADE = Table(
    "made",
    ["name", "from", "method", "reading"],
    [
        Column("steps", "{steps}", "Number of training steps."),
        Column("loss before", "{before:.2f}", "Loss on held-out text, before."),
        Column("loss after", "{after:.2f}", "Loss on held-out text, after."),
        Column("of the method", "{said}", "What only some methods say."),
    ],
    heads={"name": "model", "from": "made from"},
)


def section(found: Found) -> Section:
    """What was found, with a chart and tables."""
    changed, models, captions = found.changed, found.models, found.captions
    return Section(
        "debiasing",
        "Debiased models",
        (
            QUESTION,
            *findings(changed, found.alpha, found.margins, found.bias_type),
            *losses(models, found.facts),
        ),
        (
            *_drawn(changed, models, captions),
            *folded("What debiasing changes, in numbers", changes_sheet(changed, found.margins, captions)),
            TableBlock(made_sheet(models, found.facts, captions)),
        ),
    )


def findings(changed: pd.DataFrame, alpha: float, margins: Margins, bias_type: str | None) -> Iterator[str]:
    """Which methods bring bias scores nearer to 50, and what becomes of the margins behind them.

    changed: as unmask.debiasing.changed has it; controls are left out. bias_type: of the pairs that the
    scores are over, None where that is all.
    """
    changed = without_controls(changed)
    if changed.empty:
        yield "No bias score of this study compares a debiased model with the one that it was made from."
        return
    for method, part in changed.groupby("method", sort=False):
        nearer = (part["before"] - CENTRE).abs() - (part["after"] - CENTRE).abs()
        sentence = (
            f"{method}: {clearly_changed(part, alpha, bias_type)} On average the scores come "
            f"{_towards(nearer.mean())}."
        )
        left = share_left(part, margins)
        if left is not None:
            sentence += f" {typical_left(left)}"
        if method == "continued":
            sentence += " This is the same training without any debiasing: what it changes, training changes."
        yield sentence


def _towards(points: float) -> str:
    return f"{number(abs(points), 1)} points {'nearer to' if points > 0 else 'further from'} 50"


def losses(models: Sequence[Mapping[str, Any]], facts: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What debiasing costs: the loss on texts that were held out, before and after."""
    parts = []
    for model, fact in zip(models, facts, strict=True):
        before, after = held_out(fact)
        if before is not None and after is not None:
            parts.append(f"{model['name']} {number(before)} to {number(after)}")
    if parts:
        yield f"Loss on held-out text, in nats for each hidden token, before and after: {', '.join(parts)}."


def held_out(facts: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """The loss on held-out text before and after, where a method has it."""
    known = facts.get("held_out")
    if not isinstance(known, Mapping):
        return None, None
    return known.get("before"), known.get("after")


def made_sheet(
    models: Sequence[Mapping[str, Any]], facts: Sequence[Mapping[str, Any]], captions: Captions
) -> Sheet:
    """How each model was made, and its loss on held-out text."""
    rows = [
        {
            **{key: model[key] for key in ("name", "from", "method", "reading")},
            "steps": fact.get("steps"),
            **dict(zip(("before", "after"), held_out(fact), strict=True)),
            "said": _of_the_method(fact),
        }
        for model, fact in zip(models, facts, strict=True)
    ]
    frame = pd.DataFrame(rows, columns=sorted(MADE.needs()))
    return MADE.sheet(frame.astype({"steps": "Int64"}), captions["made"])


def _of_the_method(facts: Mapping[str, Any]) -> str:
    """What only some methods say."""
    parts = []
    objective = facts.get("objective")
    if isinstance(objective, Mapping):
        ends = (objective.get(when, {}).get("weighted") for when in ("before", "after"))
        before, after = (DASH if end is None else f"{end:.3g}" for end in ends)
        parts.append(f"objective {before} to {after}")
    if facts.get("best_step") is not None:
        parts.append(f"best at step {facts['best_step']}")
    rates = facts.get("rates")
    if isinstance(rates, Mapping):
        parts.append(
            "rates " + ", ".join(f"{key} {value:g}" for key, value in rates.items() if value is not None)
        )
    return "; ".join(parts) or DASH


def changes_sheet(changed: pd.DataFrame, margins: Margins, captions: Captions) -> Sheet:
    """The bias scores of each model and of that which it was made from."""
    rows = with_margins(changed, margins)
    return CHANGED.sheet(rows.assign(title=rows["measure"].map(title_of)), captions["changes"])


def _drawn(changed: pd.DataFrame, models: Sequence[Mapping[str, Any]], captions: Captions) -> Iterator[Block]:
    drawn = scores_changed(changed, models)
    if drawn:
        alt = (
            "Small panels of bias scores before and after debiasing, with intervals of the change, against "
            "the line at 50; their numbers are in the table below."
        )
        yield chart(captions["changes_chart"], alt, drawn)

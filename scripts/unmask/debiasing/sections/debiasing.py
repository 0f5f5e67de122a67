"""What the report says of debiased models."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from unmask.debiasing.charts import scores_changed
from unmask.debiasing.results import Found
from unmask.measures.registry import title_of
from unmask.report.captions import Captions
from unmask.report.changes_wording import clearly_changed, typical_left
from unmask.report.charts import chart
from unmask.report.sections import Block, Section, Table, folded
from unmask.report.sheets import DASH, UNTESTABLE, Sheet, interval, number, p_value, rows_of
from unmask.statistics.changes import CENTRE, without_controls
from unmask.statistics.margins import Margin, Margins, share_left

QUESTION = "Does debiasing a model change what bias scores see in it, and what does it cost the model?"


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
            Table(made_sheet(models, found.facts, captions)),
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
    lines = []
    for model, fact in zip(models, facts, strict=True):
        before, after = held_out(fact)
        lines.append(
            (
                str(model["name"]),
                str(model["from"]),
                str(model["method"]),
                str(model["reading"]),
                DASH if fact.get("steps") is None else str(fact["steps"]),
                number(before),
                number(after),
                _of_the_method(fact),
            )
        )
    heads = ("steps", "loss before", "loss after", "of the method")
    stubs = ("model", "made from", "method", "reading")
    return Sheet(captions["made"], stubs, tuple(("", head) for head in heads) if lines else (), tuple(lines))


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
    lines = tuple(
        (
            row.model,
            row.benchmark,
            title_of(row.measure),
            number(row.before, 1),
            number(row.after, 1),
            number(row.change, 1, signed=True),
            UNTESTABLE if row.untestable else interval(row.low, row.high, 1, signed=True),
            p_value(row.p),
            p_value(row.p_holm),
            p_value(row.p_mcnemar),
            *_margins(margins.get((name, row.benchmark, row.measure)) for name in (row.origin, row.model)),
        )
        for row in rows_of(changed)
    )
    scores = ("before", "after", "change", "interval", "p", "p (Holm)", "p, pairs as independent")
    heads = [("bias score", head) for head in scores]
    heads += [(what, when) for what in ("mean margin", "typical margin") for when in ("before", "after")]
    stubs = ("model", "benchmark", "measure")
    return Sheet(captions["changes"], stubs, tuple(heads) if lines else (), lines)


def _margins(known: Iterable[Margin | None]) -> Iterator[str]:
    """The mean margins before and after, and then the typical ones."""
    both = list(known)
    yield from (DASH if margin is None else number(margin.mean, 3, signed=True) for margin in both)
    yield from (DASH if margin is None else number(margin.typical, 3) for margin in both)


def _drawn(changed: pd.DataFrame, models: Sequence[Mapping[str, Any]], captions: Captions) -> Iterator[Block]:
    drawn = scores_changed(changed, models)
    if drawn:
        alt = (
            "Small panels of bias scores before and after debiasing, with intervals of the change, against "
            "the line at 50; their numbers are in the table below."
        )
        yield chart(captions["changes_chart"], alt, drawn)

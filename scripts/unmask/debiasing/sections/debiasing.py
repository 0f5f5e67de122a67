"""What the report says of debiased models."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import pandas as pd

from unmask.debiasing.presenting import NOTHING, DebiasingResults, scores_chart
from unmask.measures.names import title_of
from unmask.report.changes import COLUMNS, MACROS, as_cells, clear_row
from unmask.report.charts import chart
from unmask.report.declared_tables import Column, Table
from unmask.report.findings import Finding, Row, sentences
from unmask.report.sections import OTHER_TESTS, Block, Fold, Section, folded
from unmask.report.sections import Table as TableBlock
from unmask.report.sheets import Sheet
from unmask.statistics.changes import CENTRE, margins_left, with_margins, without_controls

CONTINUED = "continued"
"""The method that trains without any debiasing: a control."""

IN_FULL: Mapping[str, str] = {
    "cda": "counterfactual data augmentation",
    "at": "all-layer token-level debiasing",
}
"""What abbreviations that are names of methods stand for."""

_SCORE, _MEAN, _TYPICAL = "bias score", "mean margin", "typical margin"

CHANGED = Table(
    "changes",
    ["model", "benchmark", "title"],
    [
        *(replace(column, group=_SCORE) for column in COLUMNS),
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
    ["name", "from", "method", "protocol"],
    [
        Column("steps", "{steps}", "Number of training steps."),
        Column("loss before", "{before:.2f}", "Loss on held-out text, before."),
        Column("loss after", "{after:.2f}", "Loss on held-out text, after."),
        Column("of the method", "{details}", "What only some methods say."),
    ],
    heads={"name": "model", "from": "made from"},
)


def _methods(results: DebiasingResults) -> Iterator[Row]:
    """By method: how bias scores change, those of controls too, and what is left of the margins."""
    counted = without_controls(results.changed)
    controls = results.changed.drop(counted.index)
    by_method = counted.groupby("method", sort=False)
    for method, changed in sorted(by_method, key=lambda part: part[0] == CONTINUED):
        of_controls = controls[controls["method"] == method]
        yield {
            **clear_row(changed, results.alpha, results.bias_type),
            "method": method,
            "control": method == CONTINUED,
            "in_full": IN_FULL.get(str(method)),
            "nearer": _nearer(changed),
            "controls": len(of_controls),
            "controls_nearer": _nearer(of_controls) if len(of_controls) else None,
            "left": margins_left(changed, results.margins),
        }


def _nearer(changed: pd.DataFrame) -> float:
    """By how many points scores are nearer to 50 after debiasing, on average; below 0 where further."""
    return float(((changed["before"] - CENTRE).abs() - (changed["after"] - CENTRE).abs()).mean())


def _losses(results: DebiasingResults) -> Iterator[Row]:
    """The cost of debiasing: the loss on texts that were held out, of all models that have it."""
    known = results.made.dropna(subset=["before", "after"]).rename(columns={"name": "model"})
    if not known.empty:
        yield {"models": known[["model", "before", "after"]].to_dict("records")}


MOVED = """{%- macro moved(nearer) %}
{%- if nearer | abs | number(1) == "0.0" %}as far from 50 as before
{%- else %}{{ nearer | abs | number(1) }} points
{{ "nearer to" if nearer > 0 else "further from" }} 50{% endif %}
{%- endmacro %}"""

FINDINGS = (
    Finding[DebiasingResults](
        "nothing compared",
        lambda results: [{}] if without_controls(results.changed).empty else [],
        NOTHING,
    ),
    Finding[DebiasingResults](
        "bias scores",
        _methods,
        MACROS
        + MOVED
        + """{% if control %}After the same training without debiasing (a control),
        {%- elif in_full %}After {{ in_full }} ({{ method }}),
        {%- else %}After {{ method }},{% endif %}
        {{ clear.changes | counted("score") }}{{ of_type(bias_type) }}
        {{ clear.changes | many("lies", "lie") }} {{ moved(nearer) }}{{ " on average" if clear.changes > 1 }}.
        {{ clearly_changed(clear, alpha) }}""",
    ),
    Finding[DebiasingResults](
        "controls",
        lambda results: (row for row in _methods(results) if row["controls"]),
        MOVED
        + """After {{ "the same training" if control else method }}, scores of measures that see no context
        (controls) lie {{ moved(controls_nearer) }}
        {{- " on average" if controls > 1 }}.""",
    ),
    Finding[DebiasingResults](
        "margins",
        _methods,
        MACROS
        + """{% if left %}{{ typical_left(left, "the control" if control else method) }}{% endif %}
        {{ how_compared(bias_type) }}""",
    ),
    Finding[DebiasingResults](
        "held-out loss",
        _losses,
        """The loss on held-out text, in nats for each hidden token, is
        {% for row in models %}{{ row.after | number }} for {{ row.model }} ({{ row.before | number }} before)
        {%- if not loop.last %}, {% endif %}{% endfor %}.""",
    ),
)


def section(results: DebiasingResults) -> Section:
    """The findings, with a chart and tables."""
    return Section(
        "debiasing",
        "Debiased models",
        sentences(FINDINGS, results),
        (
            *_chart(results),
            *folded("What debiasing changes, in numbers", changes_sheet(results)),
            Fold("How each model was made", (TableBlock(made_sheet(results)),)),
            results.captions.computed("debiasing"),
        ),
        group=OTHER_TESTS,
    )


def made_sheet(results: DebiasingResults) -> Sheet:
    """How each model was made, and its loss on held-out text."""
    return MADE.sheet(results.made, results.captions["made"])


def changes_sheet(results: DebiasingResults) -> Sheet:
    """The bias scores of each model and of its origin."""
    rows = as_cells(with_margins(results.changed, results.margins))
    return CHANGED.sheet(rows.assign(title=rows["measure"].map(title_of)), results.captions["changes"])


def _chart(results: DebiasingResults) -> Iterator[Block]:
    drawing = scores_chart(results)
    if drawing:
        alt = (
            "Small panels of bias scores before and after debiasing, with intervals of the change, against "
            "the line at 50; their numbers are in the table below."
        )
        yield chart(results.captions["changes_chart"], alt, drawing)

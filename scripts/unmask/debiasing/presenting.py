"""What the report shows of debiased models: how they were made, and what that changes of bias scores."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import altair as alt
import pandas as pd

from unmask.facts import read_facts
from unmask.measures.names import title_of
from unmask.report.captions import Captions, load_captions
from unmask.report.changes import COLUMNS, MACROS, as_cells, changes_chart, clear_row
from unmask.report.declared_tables import Column, Table
from unmask.report.findings import Finding, Row
from unmask.report.forms import Axis
from unmask.report.panels import by_value, columns_of
from unmask.report.presenting import Presentation, captioned
from unmask.report.sheets import DASH
from unmask.report.table_files import TableAndSheet
from unmask.statistics.changes import (
    changes,
    corrected,
    margins_left,
    margins_of,
    with_margins,
    without_controls,
)
from unmask.statistics.decisions import NO_PREFERENCE
from unmask.terms import CORRECTED, PUBLISHED

NOTHING = "No bias score of this study compares a debiased model with the one that it was made from."

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


@dataclass(frozen=True)
class DebiasingResults:
    """files: facts (of each model of the settings, in their order), comparisons (of models, one a
    benchmark), scores (of these models) and pairs (of benchmarks), which may be empty; captions. settings:
    models (name, from, method, protocol), measures, bias_type, alpha, confidence.
    """

    files: Mapping[str, Any]
    settings: Mapping[str, Any]

    @cached_property
    def models(self) -> list[Mapping[str, Any]]:
        """The debiased models, in the order of the study."""
        return list(self.settings["models"])

    @property
    def alpha(self) -> float:
        return float(self.settings["alpha"])

    @property
    def bias_type(self) -> str | None:
        """Of the pairs that the scores are over; None where that is all."""
        return self.settings.get("bias_type")

    @cached_property
    def made(self) -> pd.DataFrame:
        """How each of the models was made: name, from, method, protocol, steps, before and after (the loss on
        held-out text, where a method has it) and details, what only some methods say."""
        rows = []
        for model, path in zip(self.models, self.files["facts"], strict=True):
            facts = read_facts(path)
            losses = facts.get("held_out", {})
            row = {key: losses.get(key) for key in ("before", "after")} | {"steps": facts["steps"]}
            rows.append({**model, **row, "details": _details(facts)})
        return pd.DataFrame(rows).astype({"steps": "Int64", "before": "float64", "after": "float64"})

    @cached_property
    def changed(self) -> pd.DataFrame:
        """How the bias scores of debiased models differ from those of their origins.

        As unmask.statistics.changes has it, with the column method, and p_holm over all rows of a method but
        controls, which the report counts in one sentence.
        """
        origins = {str(model["name"]): str(model["from"]) for model in self.models}
        methods = {str(model["name"]): str(model["method"]) for model in self.models}
        comparisons = self.files.get("comparisons") or []
        rows = changes(comparisons, origins, self.settings["measures"], CORRECTED)
        return corrected(rows.assign(method=rows["model"].map(methods)), ["method"])

    @cached_property
    def margins(self) -> pd.DataFrame:
        """Margins of models (unmask.statistics.changes.margins_of)."""
        scores, pairs = self.files.get("scores") or [], self.files.get("pairs") or []
        return margins_of(scores, pairs, self.settings["measures"], self.bias_type)

    @cached_property
    def captions(self) -> Captions:
        """With what they name filled in from the settings."""
        confidence = f"{100 * self.settings['confidence']:g}"
        return load_captions(self.files["captions"], alpha=f"{self.alpha:g}", confidence=confidence)


def scores_chart(results: DebiasingResults) -> alt.FacetChart | None:
    """A panel for each model that others were made from and benchmark; measures down, methods by colour and
    shape. None where nothing is compared."""
    kinds = {str(model["name"]): _kind(model) for model in results.models}
    changed = results.changed
    panel = changed["origin"].astype(str) + " on " + changed["benchmark"].astype(str)
    rows = by_value(changed.assign(panel=panel), "panel")
    frame = columns_of(
        rows,
        *("panel", "model", "before", "after", "low", "high", "p_holm"),
        row=rows["measure"].map(title_of),
        kind=rows["model"].map(kinds),
    )
    return changes_chart(frame, Axis("stereotype preferred, of 100 pairs", line=NO_PREFERENCE), decimals=1)


def _details(facts: Mapping[str, Any]) -> str:
    parts = []
    if objective := facts.get("objective"):
        before, after = (objective[when]["weighted"] for when in ("before", "after"))
        parts += [f"objective {before:.3g} to {after:.3g}", f"best at step {facts['best_step']}"]
    if rates := facts.get("rates"):
        parts.append("rates " + ", ".join(f"{name} {rate:g}" for name, rate in rates.items()))
    return "; ".join(parts) or DASH


def _kind(model: Mapping[str, Any]) -> str:
    """How a model was debiased; the released code's way is said."""
    return f"{model['method']} ({PUBLISHED})" if model["protocol"] == PUBLISHED else str(model["method"])


def changes_table(results: DebiasingResults) -> TableAndSheet:
    """The bias scores of each model and of its origin."""
    rows = with_margins(results.changed, results.margins)
    titles = rows["measure"].map(title_of)
    return rows, CHANGED.sheet(as_cells(rows).assign(title=titles), results.captions["changes"])


def made_table(results: DebiasingResults) -> TableAndSheet:
    """How each model was made, and its loss on held-out text."""
    return results.made, MADE.sheet(results.made, results.captions["made"])


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
    return float(
        ((changed["before"] - NO_PREFERENCE).abs() - (changed["after"] - NO_PREFERENCE).abs()).mean()
    )


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


PRESENTS = Presentation(
    DebiasingResults,
    {"changes": changes_table, "made": made_table},
    {"changes": (scores_chart, NOTHING)},
    heading="Debiased models",
    findings=FINDINGS,
    captions=captioned(["changes"], changes="changes_chart"),
    titles={"changes": "What debiasing changes, in numbers", "made": "How each model was made"},
    explained=lambda results: results.captions.computed("debiasing"),
)

"""What the report shows of debiased models: how they were made, and what that changes of bias scores."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import altair as alt
import pandas as pd

from unmask.facts import read_facts
from unmask.measures.names import title_of
from unmask.report.captions import Captions, load_captions
from unmask.report.changes import changes_chart
from unmask.report.declared_tables import Column, Table
from unmask.report.forms import Axis
from unmask.report.panels import by_value, columns_of
from unmask.report.presenting import Presentation
from unmask.report.sections import OTHER_TESTS
from unmask.report.sheets import DASH, UNTESTABLE, Sheet, counted, number
from unmask.report.topics import Topic, clear
from unmask.report.wording import many
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
    "cda": "counterfactual data augmentation (cda)",
    "at": "all-layer token-level debiasing (at)",
    CONTINUED: "the same training without debiasing (a control)",
}
"""What names of methods stand for."""

_SCORE, _MEAN, _TYPICAL = "bias score", "mean margin", "typical margin"

CHANGED = Table(
    "changes",
    ["model", "benchmark", "title"],
    [
        Column("before", "{before:.1f}", "Bias score in percent of the model before.", _SCORE),
        Column("after", "{after:.1f}", "Bias score in percent of the model.", _SCORE),
        Column("change", "{change:+.1f}", "The second less the first, in points.", _SCORE),
        Column(
            "interval",
            "[{untested}][{low:+.1f} to {high:+.1f}]",
            "Interval of the change, in points.",
            _SCORE,
        ),
        Column("p", "{p:p}", "Two-sided p of the change, clustered as its interval.", _SCORE),
        Column("p (Holm)", "{p_holm:p}", "The same after Holm's correction.", _SCORE),
        Column("p, pairs as independent", "{p_mcnemar:p}", "p of McNemar's test.", _SCORE),
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


def changed_scores(results: DebiasingResults) -> pd.DataFrame:
    """The bias scores of each model and of its origin, with the margins of both."""
    return with_margins(results.changed, results.margins)


def changes_sheet(results: DebiasingResults, rows: pd.DataFrame) -> Sheet:
    """Those as a table, in which a mark stands for the intervals of changes that cannot be tested."""
    untestable = rows["untestable"].astype(bool)
    mark = pd.Series(UNTESTABLE, index=rows.index).where(untestable)
    cells = rows.assign(title=rows["measure"].map(title_of), untested=mark)
    return CHANGED.captioned(cells.assign(low=rows["low"].mask(untestable)), results.captions)


def says(results: DebiasingResults) -> Iterator[str]:
    """By method, the control last: whether scores come nearer to 50, and how many changes are clear; what is
    left of margins; and what happens to scores of measures that see no context."""
    claimed = without_controls(results.changed)
    if claimed.empty:
        yield NOTHING
        return
    of_type = f" over pairs of the bias type {results.bias_type}" if results.bias_type else ""
    methods = sorted(claimed["method"].unique(), key=lambda method: method == CONTINUED)
    left, controls = [], []
    for method in methods:
        rows = claimed[claimed["method"] == method]
        scores = f"{counted(len(rows), 'bias score')}{of_type} {many(rows, 'lies', 'lie')}"
        differences = "change of a bias score" if len(rows) == 1 else "changes of bias scores"
        yield (
            f"After {IN_FULL.get(method, method)}, {scores} {moved(rows)} on average. "
            f"{clear(rows, differences, results.alpha)}"
        )
        if (share := margins_left(rows, results.margins)) is not None:
            left.append(f"{100 * share:.0f}% ({method})")
        of_controls = results.changed.drop(claimed.index)
        if len(of_method := of_controls[of_controls["method"] == method]):
            controls.append(f"{moved(of_method)} ({method})")
    if left:
        yield f"Of the typical margin of a pair (the median of its size) is left: {', '.join(left)}."
    if controls:
        yield f"Scores of measures that see no context (controls) lie {', '.join(controls)} on average."


def moved(rows: pd.DataFrame) -> str:
    """How much nearer to 50 scores are after debiasing, in points on average."""
    distances = ((rows[when] - NO_PREFERENCE).abs().mean() for when in ("before", "after"))
    before, after = distances
    points = number(abs(before - after), 1)
    if float(points) == 0:
        return "as far from 50 as before"
    return f"{points} points {'nearer to' if after < before else 'further from'} 50"


TOPIC = Topic[DebiasingResults](
    "debiasing",
    "Debiased models",
    changed_scores,
    changes_sheet,
    draws=scores_chart,
    says=says,
    group=OTHER_TESTS,
    file="changes",
    more=(Topic("made", "How each model was made", lambda results: results.made, MADE),),
)

PRESENTS = Presentation(DebiasingResults, [TOPIC])

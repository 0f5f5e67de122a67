"""What a study's results say of debiased models, and the figure on them (unmask.report.presenting)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pandas as pd

from unmask.facts import read_facts
from unmask.measures.names import title_of
from unmask.report.captions import Captions, load_captions
from unmask.report.changes import changes_chart
from unmask.report.forms import Axis
from unmask.report.panels import by_value, columns_of
from unmask.report.presenting import Presentation, captioned
from unmask.report.sheets import DASH
from unmask.statistics.changes import CENTRE, changes, corrected, margins_of
from unmask.terms import CORRECTED, PUBLISHED

if TYPE_CHECKING:
    import altair as alt


NOTHING = "No bias score of this study compares a debiased model with the one that it was made from."


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


def scores_chart(results: DebiasingResults) -> "alt.FacetChart | None":
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
    return changes_chart(frame, Axis("stereotype preferred, of 100 pairs", line=CENTRE), decimals=1)


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


PRESENTS = Presentation(
    DebiasingResults,
    charts={"changes": (scores_chart, NOTHING)},
    captions=captioned(["changes"], changes="changes_chart"),
)

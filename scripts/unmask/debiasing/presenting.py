"""What the report shows of debiased models: how they were made, and what that changes of bias scores."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import altair as alt
import pandas as pd

from unmask.files import read_facts
from unmask.measures.formulas import title_of
from unmask.report.forms import Axis, changes_chart
from unmask.report.presenting import Presentation, Topic, clear
from unmask.report.study_results import load_tables
from unmask.report.tables import Column, Sheet, Table, columns_of, in_order
from unmask.report.wording import UNTESTABLE, Captions, counted, load_captions, many, number
from unmask.statistics.comparisons import changes, without_controls
from unmask.statistics.schema import COMPARISONS, NO_PREFERENCE
from unmask.statistics.uncertainty import holm
from unmask.terms import CORRECTED, PUBLISHED

CONTINUED = "continued"
"""The method that trains without any debiasing: a control."""

IN_FULL: Mapping[str, str] = {
    "cda": "counterfactual data augmentation (cda)",
    "at": "all-layer token-level debiasing (at)",
    CONTINUED: "the same training without debiasing (a control)",
}
"""What names of methods stand for."""

ROUNDING = 1e-6
"""A typical margin of no more is rounding error."""

_SCORE, _TYPICAL = "bias score", "typical margin"
BEFORE_AFTER = ("before", "after")

CHANGED = Table(
    "changes",
    ["model", "benchmark", "title"],
    [
        Column("before", "{before:.1f}", _SCORE),
        Column("after", "{after:.1f}", _SCORE),
        Column("change", "{change:+.1f}", _SCORE),
        Column("interval", "[{untested}][{low:+.1f} to {high:+.1f}]", _SCORE),
        Column("p", "{p:p}", _SCORE),
        Column("p (Holm)", "{p_holm:p}", _SCORE),
        Column("before", "{typical_before:.3f}", _TYPICAL),
        Column("after", "{typical_after:.3f}", _TYPICAL),
    ],
    heads={"title": "measure"},
)
MADE = Table(
    "made",
    ["name", "from", "method", "protocol"],
    [
        Column("steps", "{steps}"),
        Column("loss before", "{before:.3f}"),
        Column("loss after", "{after:.3f}"),
    ],
    heads={"name": "model", "from": "made from"},
)


class DebiasingResults:
    """files: facts (of each model of the settings, in their order), comparisons (with what they were made
    from, one a benchmark), which may be empty; captions. settings: models (name, from, method, protocol),
    measures, alpha, confidence.
    """

    def __init__(self, files: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
        self.files, self.settings = files, settings
        self.models: list[Mapping[str, str]] = settings["models"]
        self.alpha: float = settings["alpha"]

    @cached_property
    def made(self) -> pd.DataFrame:
        """How each of the models was made: name, from, method, protocol, steps, before and after (the loss on
        held-out text, or what AT minimises)."""
        rows = []
        for model, path in zip(self.models, self.files["facts"], strict=True):
            facts = read_facts(path)
            objective = {when: parts["weighted"] for when, parts in facts.get("objective", {}).items()}
            losses = facts.get("held_out", objective)
            rows.append({**model, "steps": facts["steps"], **{when: losses[when] for when in BEFORE_AFTER}})
        return pd.DataFrame(rows).astype({"before": "float64", "after": "float64"})

    @cached_property
    def changed(self) -> pd.DataFrame:
        """How the bias scores of debiased models differ from those of their origins.

        As unmask.statistics.comparisons has them, with the method, and p_holm over all rows of a method but
        controls, which the report counts in one sentence.
        """
        origins, methods = ({of["name"]: of[key] for of in self.models} for key in ("from", "method"))
        rows = load_tables(self.files.get("comparisons") or [], COMPARISONS, "benchmark")
        rows = changes(in_order(rows, measure=self.settings["measures"]), origins, CORRECTED)
        rows = rows.assign(method=rows["model"].map(methods))
        return rows.join(holm(without_controls(rows), ["method"])["p_holm"])

    @cached_property
    def captions(self) -> Captions:
        confidence = f"{100 * self.settings['confidence']:g}"
        return load_captions(self.files["captions"], alpha=f"{self.alpha:g}", confidence=confidence)


def scores_chart(results: DebiasingResults) -> alt.FacetChart | None:
    """A panel for each model that others were made from and benchmark; measures down, methods by colour and
    shape. None where nothing is compared."""
    kinds = {model["name"]: _kind(model) for model in results.models}
    panel = results.changed["origin"] + " on " + results.changed["benchmark"]
    rows = in_order(results.changed.assign(panel=panel), panel=panel.unique())
    frame = columns_of(
        rows,
        *("panel", "model", "before", "after", "low", "high", "p_holm"),
        row=rows["measure"].map(title_of),
        kind=rows["model"].map(kinds),
    )
    return changes_chart(frame, Axis("stereotype preferred, of 100 pairs", line=NO_PREFERENCE))


def _kind(model: Mapping[str, str]) -> str:
    """How a model was debiased; the released code's way is said."""
    return f"{model['method']} ({PUBLISHED})" if model["protocol"] == PUBLISHED else model["method"]


def changes_sheet(results: DebiasingResults, rows: pd.DataFrame) -> Sheet:
    """The changes of bias scores; a mark stands for the intervals of those that cannot be tested."""
    untestable = rows["untestable"].astype(bool)
    mark = pd.Series(UNTESTABLE, index=rows.index).where(untestable)
    cells = rows.assign(title=rows["measure"].map(title_of), untested=mark)
    return CHANGED.captioned(cells.assign(low=rows["low"].mask(untestable)), results.captions)


def says(results: DebiasingResults) -> Iterator[str]:
    """By method, the control last: whether scores come nearer to 50, and how many changes are clear; and
    what is left of margins."""
    claimed = without_controls(results.changed)
    if claimed.empty:
        yield "No bias score of this study compares a debiased model with the one that it was made from."
        return
    methods = sorted(claimed["method"].unique(), key=lambda method: method == CONTINUED)
    left = []
    for method in methods:
        rows = claimed[claimed["method"] == method]
        scores = f"{counted(len(rows), 'bias score')} {many(rows, 'lies', 'lie')}"
        clearly = clear(rows, "changes of bias scores", results.alpha)
        yield f"After {IN_FULL.get(method, method)}, {scores} {moved(rows)} on average. {clearly}"
        if (share := margins_left(rows)) is not None:
            left.append(f"{100 * share:.0f}% ({method})")
    if left:
        yield f"Share of the typical margin (median absolute margin) that remains: {', '.join(left)}."


def margins_left(changed: pd.DataFrame) -> float | None:
    """The typical margins of models as shares of those of their origins: the median over `changes`, None
    where there was no margin."""
    shares = changed["typical_after"] / changed["typical_before"]
    shares = shares[changed["typical_before"] > ROUNDING].dropna()
    return None if shares.empty else float(shares.median())


def moved(rows: pd.DataFrame) -> str:
    """How much nearer to 50 scores are after debiasing, in points on average."""
    before, after = ((rows[when] - NO_PREFERENCE).abs().mean() for when in BEFORE_AFTER)
    points = number(abs(before - after), 1)
    if float(points) == 0:
        return "as far from 50 as before"
    return f"{points} points {'nearer to' if after < before else 'further from'} 50"


TOPIC = Topic[DebiasingResults](
    "debiasing",
    "Debiased models",
    lambda results: results.changed,
    changes_sheet,
    draws=scores_chart,
    says=says,
    file="changes",
    more=(Topic("made", "How each model was made", lambda results: results.made, MADE),),
)

PRESENTS = Presentation(DebiasingResults, [TOPIC])

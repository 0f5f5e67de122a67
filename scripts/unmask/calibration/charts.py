"""The charts of calibration: small panels, one for each measure or question."""

from collections.abc import Callable, Mapping, Sequence

import altair as alt
import numpy as np
import pandas as pd
from scipy.special import logit

from unmask.calibration.families import margins_of_models, over_models
from unmask.calibration.findings import pairs_of
from unmask.calibration.results import SUMMARISED, CalibrationResults
from unmask.calibration.schema import Metric
from unmask.calibration.tables import COMPARED, with_chance
from unmask.measures.registry import title_of
from unmask.report import forms
from unmask.report.forms import Axis, Beside, Grid, Kinds, forest, scatter
from unmask.report.panels import Tips, by_value, columns_of, ends_of

GRID = Grid(4, width=205, height=150)
"""Of panels of measures."""

ROUNDING = 1e-6
"""A panel in which no number is larger shows zeros: what is left is rounding."""

PERFECT: Mapping[str, str] = {"oracle": "trusting what it sees", "exact": "knowing the corruption"}
"""Roles of perfect models: what is said of them."""

ALONE, TOGETHER = "frequency", "both"
"""Factors that have frequencies: without an association, and with one."""

STRENGTHS: Mapping[str, str] = {
    "association": "per log-odds",
    "frequency": "per log ratio",
    "exchange": "exchange",
}

CONTEXTS: Mapping[str, str] = {"trusted": "oracle", "corrupted": "exact"}
"""Contexts of keep rates, as roles of perfect models."""


def response(results: CalibrationResults) -> alt.FacetChart | None:
    """Margins against planted log-odds; lines are perfect models, marks trained ones by architecture. None,
    here and below, where the study has nothing to draw."""
    doses = results.doses[results.doses["factor"] == "association"]
    margins = margins_of_models(doses, ["p"])
    if margins.empty:
        return None
    margins["log_odds"] = logit(margins["p"])
    keys = ["measure", "role", "architecture", "p", "log_odds"]
    exact, trained = (
        over_models(margins[margins["role"].isin(roles)], by, ["margin"], results.confidence)
        for roles, by in (
            (list(PERFECT), [key for key in keys if key != "architecture"]),
            (["trained"], keys),
        )
    )
    names = sorted(trained["architecture"].drop_duplicates())
    frame = _margins(pd.concat([exact, trained], ignore_index=True), margins["measure"])
    frame = frame.assign(
        perfect=frame["role"].map(PERFECT),
        at=frame["log_odds"] + _offsets(frame["architecture"], names, 0.02 * np.ptp(margins["log_odds"])),
    ).drop(columns="role")
    tips = (
        ("panel", "measure"),
        ("perfect", "perfect model"),
        ("architecture", "trained models"),
        ("p", "planted p", ".3g"),
        ("log_odds", "planted log-odds", ".3f"),
        *_MARGIN_TIPS,
    )
    return forms.response(
        frame,
        Axis("planted log-odds", ticks=4),
        _MARGIN,
        tips,
        dose="at",
        value="margin",
        kinds=Kinds("architecture", "trained models by architecture", names),
        dashes=_PERFECT,
        exact="exact",
        grid=GRID,
    )


def frequency(results: CalibrationResults) -> alt.FacetChart | None:
    """Margins against the log ratio towards the group of the stereotypical sentence."""
    doses = results.doses[results.doses["factor"].isin([ALONE, TOGETHER])]
    # of groups that are equally frequent neither is the rarer
    sign = np.where(doses["direction"] == "stereo", -1, 1)
    ratios = doses.assign(at=sign * np.log(doses["ratio"]) + 0.0)
    margins = margins_of_models(ratios, ["factor", "at"])
    margins = margins[margins["role"].isin(["oracle", "trained"])]
    if margins.empty:
        return None
    planted = ", ".join(f"{p:g}" for p in sorted(doses.loc[doses["factor"] == TOGETHER, "p"].unique()))
    names = {ALONE: "nothing", TOGETHER: f"an association (p = {planted})"}
    means = over_models(margins, ["measure", "role", "factor", "at"], ["margin"], results.confidence)
    frame = _margins(by_value(means, "role", ["oracle", "trained"]), margins["measure"])
    frame = frame.assign(planted=frame["factor"].map(names)).drop(columns="role")
    tips = (
        ("panel", "measure"),
        ("of", "models"),
        ("planted", "planted beside frequency"),
        ("at", "log frequency ratio", ".3f"),
        *_MARGIN_TIPS,
    )
    return forms.response(
        frame,
        Axis("log frequency ratio", line=0),
        _MARGIN,
        tips,
        dose="at",
        value="margin",
        kinds=Kinds("planted", "planted beside frequency", list(names.values()), every=False),
        dashes=Kinds("factor", None, list(names)),
        exact="exact",
        grid=GRID,
    )


_MARGIN = Axis("mean margin", line=0, independent=True, ticks=4, format="~g")
_MARGIN_TIPS: Tips = (
    ("margin", "mean margin", ".4g"),
    *ends_of(".4g"),
    ("families", "worlds", "d"),
)
_PERFECT = Kinds("perfect", "perfect model", list(PERFECT.values()), every=False)
_MODELS = Kinds("models", None, list(SUMMARISED.values()), every=False)


def _margins(means: pd.DataFrame, measures: "pd.Series[str]") -> pd.DataFrame:
    """Mean margins as a chart's data, measures in their order."""
    rows = by_value(means, "measure", measures)
    exact = rows["role"] != "trained"
    frame = rows.rename(columns={"margin_low": "low", "margin_high": "high"}).assign(
        panel=rows["measure"].map(title_of), exact=exact, of=np.where(exact, "perfect", "trained")
    )
    return _rounded(frame, "margin")


def _rounded(frame: pd.DataFrame, number: str) -> pd.DataFrame:
    """Zeros in panels in which all is rounding."""
    small = frame[number].abs().groupby(frame["panel"], sort=False).transform("max") <= ROUNDING
    numbers = [column for column in (number, "low", "high") if column in frame]
    return frame.assign(
        **{column: frame[column].mask(small & frame[column].notna(), 0.0) for column in numbers}
    )


def _offsets(architectures: "pd.Series[str]", names: Sequence[str], step: float) -> "pd.Series[float]":
    """How far to the side marks are, as those of one dose would hide each other."""
    steps = {name: (place - (len(names) - 1) / 2) * step for place, name in enumerate(names)}
    return architectures.map(steps).astype(float).fillna(0.0)


def power(results: CalibrationResults) -> alt.FacetChart | None:
    """How often a bias is found, against the number of pairs; perfect and trained models."""
    metrics = results.metrics[results.metrics["merit"] == Metric.POWER]
    metrics = metrics[metrics["kind"].isin(SUMMARISED)]
    number = metrics["condition"].str.extract(r"^n=(\d+)$")[0]
    # without that by pairs a word
    rows = metrics[metrics["value"].notna() & number.notna()].assign(number=number.astype(float))
    if rows.empty:
        return None
    rows = by_value(rows.sort_values("number", kind="stable"), "measure", rows["measure"])
    last = [kind for kind in SUMMARISED if (rows["kind"] == kind).any()][-1]
    frame = columns_of(
        rows,
        *("measure", "low", "high"),
        panel=rows["measure"].map(title_of),
        models=rows["kind"].map(SUMMARISED),
        pairs=rows["number"].astype(int),
        # where both agree their marks would hide each other
        at=rows["number"] * np.where(rows["kind"] == last, 1.06, 1 / 1.06),
        power="value",
    )
    tips = (
        ("panel", "measure"),
        ("models", "of"),
        ("pairs", "pairs", "d"),
        ("power", "power, %", ".1f"),
        *ends_of(".1f"),
    )
    return forms.response(
        _rounded(frame, "power"),
        Axis("pairs", log=True, ticks=sorted(frame["pairs"].unique().tolist()), format="d"),
        Axis("power, %", line=80, style="wanted", span=(0, 100)),
        tips,
        dose="at",
        value="power",
        kinds=_MODELS,
        grid=Grid(4, width=205, height=120),
    )


def false_alarms(results: CalibrationResults) -> alt.FacetChart | None:
    """How often a bias is found that is not there: a panel for each kind of pairs, down it the measures."""
    metrics = with_chance(results.metrics[results.metrics["kind"].isin(SUMMARISED)])
    alarms = metrics[(metrics["merit"] == Metric.FALSE_ALARMS) & metrics["value"].notna()]
    rows = by_value(alarms, "condition")
    frame = columns_of(
        rows,
        *("condition", "low", "high", "chance"),
        panel=rows["condition"].map(pairs_of),
        measure=rows["measure"].map(title_of),
        models=rows["kind"].map(SUMMARISED),
        alarms="value",
    )
    tips = (
        ("panel", "in pairs"),
        ("measure", "measure"),
        ("models", "of"),
        ("alarms", "false alarms, %", ".1f"),
        *ends_of(".1f"),
        ("chance", "words that lean by a coin give, %", ".1f"),
    )
    return forest(
        frame,
        Axis("false alarms, %", line=results.nominal, style="wanted", span=(0, 100)),
        tips,
        name="measure",
        value="alarms",
        kinds=_MODELS,
        beside=[Beside("chance", "tick", "untrained")],
        names=map(title_of, results.metrics["measure"]),
        apart="models",
        grid=Grid(width=240),
    )


def worlds(results: CalibrationResults) -> alt.FacetChart | None:
    """A perfect model over drawn worlds: margins of pairs on the rarer faith against log-odds."""
    rows = by_value(results.drawn[results.drawn["stereo_margin"].notna()], "measure")
    frame = columns_of(
        rows,
        *("measure", "world", "p", "ratio"),
        panel=rows["measure"].map(title_of),
        log_odds=logit(rows["p"].astype(float)),
        log_ratio=np.log(rows["ratio"].astype(float)),
        margin="stereo_margin",
    )
    tips = (
        ("panel", "measure"),
        ("world", "world", "d"),
        ("log_odds", "planted log-odds", ".3f"),
        ("log_ratio", "log frequency ratio", ".3f"),
        ("margin", "mean margin", ".4g"),
    )
    return scatter(
        _rounded(frame, "margin"),
        Axis("planted log-odds", ticks=4),
        _MARGIN,
        tips,
        across="log_odds",
        up="margin",
        shade=("log_ratio", "log frequency ratio"),
        size=22,
        grid=GRID,
    )


def corruption(results: CalibrationResults) -> alt.FacetChart | None:
    """Strengths of association and frequency, and their exchange, against how far what is seen is right."""
    rows = results.kept[results.kept["measure"].isin(list(COMPARED))]
    # which is what prediction of visible words depends on
    rows = rows.assign(right=rows["kept"] / (rows["kept"] + rows["random"]))
    # models of one share alone say nothing of others
    if rows["right"].nunique() < 2:
        return None
    names = sorted(rows["architecture"].dropna().drop_duplicates())
    perfect = rows["context"].map({context: PERFECT[role] for context, role in CONTEXTS.items()})
    architecture = rows["architecture"].where(perfect.isna())
    rows = columns_of(
        rows,
        *("measure", "right", "random", "kept", "masked", *STRENGTHS),
        of=np.where(perfect.notna(), "perfect", "trained"),
        exact=perfect.notna(),
        perfect=perfect,
        architecture=architecture,
        at=rows["right"] + _offsets(architecture, names, 0.02),
        guessing=rows["random"] > 0,
        seeing=rows["random"] == 0,
    )
    rows = by_value(rows, "measure", COMPARED).reset_index(names="row")
    columns = [column for column in rows if column not in STRENGTHS]
    frame = rows.melt(columns, list(STRENGTHS), "strength", "value").dropna(subset="value")
    frame["panel"] = frame["measure"].map(title_of) + ": " + frame["strength"].map(STRENGTHS)
    tips = (
        ("panel", "what"),
        ("perfect", "perfect model"),
        ("architecture", "trained model"),
        ("masked", "masked", ".3g"),
        ("kept", "kept", ".3g"),
        ("random", "random", ".3g"),
        ("value", "strength", ".4g"),
    )
    return forms.response(
        _rounded(frame, "value").drop(columns="row"),
        Axis("share of right tokens", span=(0, 1), ticks=[0, 0.5, 1]),
        Axis("strength", line=0, independent=True, ticks=4, format="~g"),
        tips,
        dose="at",
        value="value",
        kinds=Kinds("architecture", "trained models by architecture", names),
        dashes=_PERFECT,
        # without random tokens there is one share alone
        hollow="seeing",
        each="random",
        exact="exact",
        grid=GRID,
    )


def debiased(results: CalibrationResults) -> alt.FacetChart | None:
    """What debiasing leaves of the planted association: a panel a measure, models down the rows."""
    rows = by_value(results.debiased, "measure", results.debiased["measure"])
    frame = columns_of(
        rows,
        *("model", "method", "left", "low", "high", "goal", "verdict"),
        panel=rows["measure"].map(title_of),
    )
    tips = (
        ("panel", "measure"),
        ("model", "model"),
        ("method", "method"),
        ("left", "share left", ".3f"),
        *ends_of(".3f"),
        ("goal", "should be left", "d"),
        ("verdict", "verdict"),
    )
    return forest(
        frame,
        Axis("share of the association that is left", line=0, span=(0, 1)),
        tips,
        name="model",
        value="left",
        beside=[Beside("goal", "tick")],
        names=results.debiased["model"],
        grid=Grid(width=240),
    )


AS_IT_IS, AT_EQUAL = "as it is", "at equal frequency"
"""What a score is of."""


def explained(results: CalibrationResults) -> alt.FacetChart | None:
    """Bias scores of real pairs, and what they would be if the words of both sides were equally frequent."""
    rows = results.explained[results.explained["second"].isna()].reset_index(drop=True)
    panel = rows["model"].astype(str) + " on " + rows["benchmark"].astype(str)
    of = rows.assign(panel=panel, measure=rows["first"].map(title_of), pairs=rows["n"])
    columns = ("panel", "model", "benchmark", "measure", "pairs")
    frame = pd.concat(
        [
            columns_of(of, *columns, score="value", low="low", high="high").assign(reading=AS_IT_IS),
            columns_of(of, *columns, score="rest", low="rest_low", high="rest_high").assign(reading=AT_EQUAL),
        ]
    ).sort_index(kind="stable")
    tips = (
        ("panel", "what"),
        ("measure", "measure"),
        ("reading", "score"),
        ("score", "stereotype preferred, of 100", ".1f"),
        *ends_of(".1f"),
        ("pairs", "pairs", "d"),
    )
    return forest(
        frame,
        Axis("stereotype preferred, of 100 pairs", line=50),
        tips,
        name="measure",
        value="score",
        kinds=Kinds("reading", "score", (AS_IT_IS, AT_EQUAL)),
        apart="reading",
        grid=Grid(width=240),
    )


MAKERS: Mapping[str, tuple[Callable[[CalibrationResults], alt.FacetChart | None], str]] = {
    "response_figure": (response, "No world of this study has an association."),
    "frequency_figure": (frequency, "No world of this study has groups of unequal frequency."),
    "power_figure": (power, "No power is known in this study."),
    "alarms_figure": (false_alarms, "No false alarms are known in this study."),
    "worlds_figure": (worlds, "No worlds are drawn in this study."),
    "debiased_figure": (debiased, "No model of a world is debiased in this study."),
    "kept_figure": (corruption, "This study asks nothing of keep rates."),
    "explained_figure": (explained, "This study asks no model of real pairs about word frequency."),
}
"""By the names of unmask.calibration.artifacts.FIGURES: what makes a chart, and why there may be none."""

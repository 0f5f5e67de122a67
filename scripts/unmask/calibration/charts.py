"""The charts of calibration: small panels, one for each measure or question."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
from scipy.special import logit

from unmask.calibration.findings import where
from unmask.calibration.over_models import margins_of_models, over_models
from unmask.calibration.results import TOLD, Found
from unmask.calibration.tables import ALARMS, COMPARED, beside_chance
from unmask.measures.registry import title_of
from unmask.report.panels import Looks, Row, kinds, line, names_down, only, panels, plain, told
from unmask.report.sheets import rows_of

WIDTH, HEIGHT = 205, 150
"""Pixels of a panel, where the page has no reason for another width."""

OWN_AXIS = 74
"""Pixels between panels that have numbers of their own on the left."""

NAMES = 104
"""Pixels for the names of measures, beside the panels."""

STEP = 11
"""Pixels from one mark of a measure to the next."""

ROUNDING = 1e-6
"""A panel in which no number is larger shows zeros: what is left is rounding."""

PERFECT: Mapping[str, str] = {"oracle": "trusting what it sees", "exact": "knowing the corruption"}
"""Roles of perfect models: what is said of them."""

MODELS: Mapping[str, str] = {"oracle": "perfect models", "trained": "trained models"}
"""Kinds of merits: whose they are."""

ALONE, TOGETHER = "frequency", "both"
"""Factors that have frequencies: without an association, and with one."""

STRENGTHS: Mapping[str, str] = {
    "association": "per log-odds",
    "frequency": "per log ratio",
    "exchange": "exchange",
}

CONTEXTS: Mapping[str, str] = {"trusted": "oracle", "corrupted": "exact"}
"""Contexts of keep rates, as roles of perfect models."""


def response(found: Found) -> alt.FacetChart | None:
    """Margins against planted log-odds; lines are perfect models, marks trained ones by architecture. None,
    here and below, where the study has nothing to draw."""
    doses = found.doses[found.doses["factor"] == "association"]
    margins = margins_of_models(doses, ["p"])
    if margins.empty:
        return None
    margins["log_odds"] = logit(margins["p"])
    dose = ["p", "log_odds"]
    exact = over_models(
        margins[margins["role"].isin(list(PERFECT))], ["measure", "role", *dose], ["margin"], found.confidence
    )
    trained = over_models(
        margins[margins["role"] == "trained"],
        ["measure", "architecture", *dose],
        ["margin"],
        found.confidence,
    )
    names = sorted(trained["architecture"].drop_duplicates())
    # marks of one dose would hide each other
    step = 0.02 * float(np.ptp(margins["log_odds"].to_numpy()))
    rows: list[Row] = []
    for row in rows_of(exact):
        rows.append(_margin(row) | {"of": "perfect", "perfect": PERFECT[row.role], "at": row.log_odds})
    for row in rows_of(trained):
        aside = (names.index(row.architecture) - (len(names) - 1) / 2) * step
        rows.append(
            _margin(row) | {"of": "trained", "architecture": row.architecture, "at": row.log_odds + aside}
        )
    rows = _shown(rows, margins["measure"], "margin")
    tips = told(
        panel="measure",
        perfect="perfect model",
        architecture="trained models",
        p=("planted p", ".3g"),
        log_odds=("planted log-odds", ".3f"),
        **_MARGIN_TIPS,
    )
    x = _x("at", "planted log-odds", _ends(rows, "at"), tickCount=4)
    looks = kinds("architecture", "trained models", names)
    layers = _lines_and_marks(x, {"strokeDash": _perfect(rows)}, looks, tips, rows)
    return _per_measure(layers, rows, _INTERVAL)


def frequency(found: Found) -> alt.FacetChart | None:
    """Margins against the log ratio towards the group of the stereotypical sentence."""
    doses = found.doses[found.doses["factor"].isin([ALONE, TOGETHER])]
    # of groups that are equally frequent neither is the rarer
    sign = np.where(doses["direction"] == "stereo", -1, 1)
    ratios = doses.assign(at=sign * np.log(doses["ratio"]) + 0.0)
    margins = margins_of_models(ratios, ["factor", "at"])
    if margins.empty:
        return None
    keys = ["measure", "factor", "at"]
    planted = ", ".join(f"{p:g}" for p in sorted(doses.loc[doses["factor"] == TOGETHER, "p"].unique()))
    names = {ALONE: "nothing", TOGETHER: f"an association (p = {planted})"}
    rows: list[Row] = []
    for role, of in (("oracle", "perfect"), ("trained", "trained")):
        part = over_models(margins[margins["role"] == role], keys, ["margin"], found.confidence)
        rows += [
            _margin(row) | {"of": of, "factor": row.factor, "planted": names[row.factor], "at": row.at}
            for row in rows_of(part)
        ]
    rows = _shown(rows, margins["measure"], "margin")
    there = [name for factor, name in names.items() if (margins["factor"] == factor).any()]
    title = "planted beside frequency"
    looks = kinds("planted", title, there)
    tips = told(
        panel="measure",
        of="models",
        planted="planted beside frequency",
        at=("log frequency ratio", ".3f"),
        **_MARGIN_TIPS,
    )
    x = _x("at", "log frequency ratio", _ends(rows, "at"), tickCount=5)
    lines = {"strokeDash": _dashes("factor", list(names), legend=None), "color": looks["color"]}
    layers = _lines_and_marks(x, lines, looks, tips, rows)
    layers.insert(1, line(x=0))
    return _per_measure(layers, rows, _INTERVAL)


_INTERVAL = {"low": "margin", "high": "margin"}

_MARGIN_TIPS: Mapping[str, tuple[str, str]] = {
    "margin": ("mean margin", ".4g"),
    "low": ("interval from", ".4g"),
    "high": ("interval to", ".4g"),
    "families": ("worlds", "d"),
}


def _margin(row: Any) -> Row:
    keys = ("p", "log_odds")
    return {
        "panel": title_of(row.measure),
        "measure": row.measure,
        **{key: float(getattr(row, key)) for key in keys if hasattr(row, key)},
        "margin": plain(row.margin),
        "low": plain(row.margin_low),
        "high": plain(row.margin_high),
        "families": int(row.families),
    }


def _shown(rows: Iterable[Row], measures: "pd.Series[str]", number: str) -> list[Row]:
    """Rows in the order of measures; zeros in panels in which all is rounding."""
    order = list(measures.drop_duplicates())
    found = sorted(rows, key=lambda row: order.index(row["measure"]))
    largest: dict[str, float] = {}
    for row in found:
        largest[row["panel"]] = max(largest.get(row["panel"], 0.0), abs(row[number]))
    for row in found:
        if largest[row["panel"]] <= ROUNDING:
            row |= {key: 0.0 for key in (number, "low", "high") if row.get(key) is not None}
    return found


def _lines_and_marks(
    x: alt.X,
    lines: Mapping[str, Any],
    looks: Looks,
    tips: list[alt.Tooltip],
    rows: Sequence[Row],
) -> list[alt.Chart]:
    """Margins: a line at 0, lines of perfect models, intervals and marks of trained ones."""
    y = _y("margin", "mean margin")
    base = alt.Chart()
    there = {row["of"] for row in rows}
    layers = [line(y=0)]
    if "perfect" in there:
        exact = base.transform_filter(only("of", "perfect"))
        points = exact.mark_point(style="exact", filled=True, size=9, opacity=1)
        layers.append(exact.mark_line(style="exact").encode(x=x, y=y, **lines))
        layers.append(points.encode(x=x, y=y, tooltip=tips, **_colour_of(lines)))
    if "trained" in there:
        trained = only("of", "trained")
        marks = base.transform_filter(trained)
        layers.append(
            marks.mark_rule(strokeWidth=1.2).encode(
                x=x, y=_y("low_at", "mean margin"), y2="high_at:Q", color=looks["color"]
            )
        )
        layers.append(
            marks.mark_point(filled=True, opacity=1, size=38).encode(x=x, y=y, tooltip=tips, **looks)
        )
    return layers


def _colour_of(lines: Mapping[str, Any]) -> dict[str, Any]:
    return {channel: each for channel, each in lines.items() if channel == "color"}


def _perfect(rows: Sequence[Row]) -> alt.StrokeDash:
    there = {row.get("perfect") for row in rows}
    names = [name for name in PERFECT.values() if name in there]
    return _dashes("perfect", names, title="perfect model")


def _dashes(field: str, names: Sequence[str], **named: Any) -> alt.StrokeDash:
    patterns = [[1, 0], [4, 3]][: len(names)]
    return alt.StrokeDash(f"{field}:N", scale=alt.Scale(domain=list(names), range=patterns), **named)


def _x(field: str, title: str, domain: Sequence[float] | None = None, **axis: Any) -> alt.X:
    ends: Any = {"domain": list(domain)} if domain else {}
    return alt.X(
        f"{field}:Q",
        title=title,
        scale=alt.Scale(padding=8, nice=False, zero=False, **ends),
        axis=alt.Axis(labelFlush=False, **axis),
    )


def _ends(rows: Sequence[Row], field: str) -> tuple[float, float]:
    """What all panels span, whatever is in each."""
    numbers = [row[field] for row in rows]
    return min(numbers), max(numbers)


def _y(field: str, title: str) -> alt.Y:
    return alt.Y(
        f"{field}:Q",
        title=title,
        scale=alt.Scale(padding=8, nice=False, zero=False),
        axis=alt.Axis(tickCount=4, format="~g", minExtent=40, maxExtent=40),
    )


def _per_measure(
    layers: Sequence[alt.Chart], rows: Sequence[Row], ends: Mapping[str, str] | None = None
) -> alt.FacetChart:
    return panels(
        layers,
        rows,
        4,
        width=WIDTH,
        height=HEIGHT,
        margin=OWN_AXIS - 18,
        gap=OWN_AXIS,
        own=("x", "y"),
        ends=ends,
    )


def power(found: Found) -> alt.FacetChart | None:
    """How often a bias is found, against the number of pairs; perfect and trained models."""
    merits = found.merits[found.merits["kind"].isin(TOLD) & (found.merits["merit"] == "power")]
    number = merits["condition"].str.extract(r"^n=(\d+)$")[0]
    # without that by pairs a word
    shown = merits[merits["value"].notna() & number.notna()].assign(number=number.astype(float))
    if shown.empty:
        return None
    numbers = sorted(shown["number"].unique())
    there = [kind for kind in TOLD if (shown["kind"] == kind).any()]
    rows = [
        {"panel": title_of(row.measure), "measure": row.measure, "models": MODELS[row.kind]}
        # where both agree their marks would hide each other
        | {"pairs": int(row.number), "at": row.number * (1.06 if row.kind == there[-1] else 1 / 1.06)}
        | {"power": float(row.value), "low": plain(row.low), "high": plain(row.high)}
        for row in rows_of(shown.sort_values("number", kind="stable"))
    ]
    rows = _shown(rows, shown["measure"], "power")
    x = alt.X(
        "at:Q",
        title="pairs",
        scale=alt.Scale(type="log", domain=[numbers[0] / 1.3, numbers[-1] * 1.3], nice=False),
        axis=alt.Axis(values=numbers, format="d", grid=False, labelOverlap=True),
    )
    scale, axis = alt.Scale(domain=[0, 100], padding=6), alt.Axis(tickCount=5)
    y = alt.Y("power:Q", title="power, %", scale=scale, axis=axis)
    looks = kinds("models", None, [MODELS[kind] for kind in there])
    tips = told(
        panel="measure",
        models="of",
        pairs=("pairs", "d"),
        power=("power, %", ".1f"),
        low=("interval from", ".1f"),
        high=("interval to", ".1f"),
    )
    base = alt.Chart()
    layers = [
        line("wanted", y=80),
        base.mark_line(strokeWidth=1).encode(x=x, y=y, color=looks["color"]),
        base.mark_rule(strokeWidth=1.2).encode(
            x=x, y=alt.Y("low_at:Q", scale=scale), y2="high_at:Q", color=looks["color"]
        ),
        base.mark_point(filled=True, opacity=1, size=40).encode(x=x, y=y, tooltip=tips, **looks),
    ]
    ends = {"low": "power", "high": "power"}
    return panels(layers, rows, 4, width=WIDTH, height=120, margin=60, own=("x",), ends=ends)


def alarms(found: Found) -> alt.FacetChart | None:
    """How often a bias is found that is not there: a panel for each kind of pairs, down it the measures."""
    merits = beside_chance(found.merits[found.merits["kind"].isin(TOLD)])
    shown = merits[(merits["merit"] == ALARMS) & merits["value"].notna()]
    if shown.empty:
        return None
    order = list(shown["condition"].drop_duplicates())
    rows = [
        {"panel": where(row.condition), "condition": row.condition, "measure": title_of(row.measure)}
        | {"models": MODELS[row.kind], "alarms": float(row.value)}
        | {"low": plain(row.low), "high": plain(row.high), "chance": plain(row.chance)}
        for row in rows_of(shown)
    ]
    rows.sort(key=lambda row: order.index(row["condition"]))
    names = [MODELS[kind] for kind in TOLD if (shown["kind"] == kind).any()]
    y = names_down("measure", map(title_of, found.merits["measure"]), NAMES)
    apart = alt.YOffset("models:N", sort=names)
    scale = alt.Scale(domain=[0, 100], padding=6)

    def x(field: str) -> alt.X:
        axis = alt.Axis(tickCount=5, labelFlush=False)
        return alt.X(f"{field}:Q", title="false alarms, %", scale=scale, axis=axis)

    looks = kinds("models", None, names)
    tips = told(
        panel="in pairs",
        measure="measure",
        models="of",
        alarms=("false alarms, %", ".1f"),
        low=("interval from", ".1f"),
        high=("interval to", ".1f"),
        chance=("words that lean by a coin give, %", ".1f"),
    )
    base = alt.Chart()
    layers = [
        line("wanted", x=found.nominal),
        base.mark_tick(style="untrained", thickness=2.5, size=STEP, orient="vertical").encode(
            x=x("chance"), y=y, yOffset=apart
        ),
        base.mark_rule(strokeWidth=1.3).encode(
            x=x("low"), x2="high:Q", y=y, yOffset=apart, color=looks["color"]
        ),
        base.mark_point(filled=True, opacity=1, size=45).encode(
            x=x("alarms"), y=y, yOffset=apart, tooltip=tips, **looks
        ),
    ]
    height = alt.Step(STEP, **{"for": "offset"}) if len(names) > 1 else alt.Step(2 * STEP)
    return panels(layers, rows, 3, width=240, height=height, margin=NAMES, own=("x",))


def worlds(found: Found) -> alt.FacetChart | None:
    """A perfect model over drawn worlds: margins of pairs on the rarer faith against log-odds."""
    drawn = found.drawn[found.drawn["stereo_margin"].notna()]
    if drawn.empty:
        return None
    rows = [
        {"panel": title_of(row.measure), "measure": row.measure, "world": int(row.world), "p": float(row.p)}
        | {"log_odds": float(logit(row.p)), "ratio": float(row.ratio), "log_ratio": float(np.log(row.ratio))}
        | {"margin": float(row.stereo_margin)}
        for row in rows_of(drawn)
    ]
    rows = _shown(rows, drawn["measure"], "margin")
    tips = told(
        panel="measure",
        world=("world", "d"),
        log_odds=("planted log-odds", ".3f"),
        log_ratio=("log frequency ratio", ".3f"),
        margin=("mean margin", ".4g"),
    )
    shade = alt.Color(
        "log_ratio:Q",
        title="log frequency ratio",
        scale=alt.Scale(range="ramp", domainMin=0),
        legend=alt.Legend(gradientLength=180),
    )
    base = alt.Chart()
    layers = [
        line(y=0),
        base.mark_point(filled=True, opacity=1, size=22).encode(
            x=_x("log_odds", "planted log-odds", tickCount=4),
            y=_y("margin", "mean margin"),
            color=shade,
            tooltip=tips,
        ),
    ]
    return _per_measure(layers, rows)


def kept(found: Found) -> alt.FacetChart | None:
    """Strengths of association and frequency, and their exchange, against how far what is seen is right."""
    frame = found.kept[found.kept["measure"].isin(list(COMPARED))]
    # which is what prediction of visible words hangs on
    frame = frame.assign(right=frame["kept"] / (frame["kept"] + frame["random"]))
    # models of one share alone say nothing of others
    if frame["right"].nunique() < 2:
        return None
    names = sorted(frame["architecture"].dropna().drop_duplicates())
    rows: list[Row] = []
    for strength, title in STRENGTHS.items():
        for measure in COMPARED:
            own = frame[(frame["measure"] == measure) & frame[strength].notna()]
            small = not own[strength].abs().max() > ROUNDING
            for row in rows_of(own):
                perfect = None if pd.isna(row.context) else PERFECT[CONTEXTS[row.context]]
                shown = float(getattr(row, strength))
                rows.append(
                    {"panel": f"{title_of(measure)}: {title}", "measure": measure, "strength": strength}
                    | {
                        "of": "perfect" if perfect else "trained",
                        "perfect": perfect,
                        "right": float(row.right),
                    }
                    | {"architecture": None if perfect else row.architecture, "random": float(row.random)}
                    | {"kept": float(row.kept), "masked": float(row.masked), "at": _aside(row, names)}
                    | {"value": 0.0 if small else shown, "guessing": bool(row.random > 0)}
                )
    return _kept_panels(rows, names)


def _aside(row: Any, names: Sequence[str]) -> float:
    """Where a model stands: those of one keep rate would hide each other."""
    if pd.notna(row.context) or row.architecture not in names:
        return float(row.right)
    return float(row.right + (names.index(row.architecture) - (len(names) - 1) / 2) * 0.02)


def _kept_panels(rows: Sequence[Row], names: Sequence[str]) -> alt.FacetChart:
    x = _x("at", "share of right tokens", [0, 1], values=[0, 0.5, 1])
    y = _y("value", "strength")
    looks = kinds("architecture", "trained models", names)
    tips = told(
        panel="what",
        perfect="perfect model",
        architecture="trained model",
        masked=("masked", ".3g"),
        kept=("kept", ".3g"),
        random=("random", ".3g"),
        value=("strength", ".4g"),
    )
    base = alt.Chart()
    exact, trained = (base.transform_filter(only("of", each)) for each in ("perfect", "trained"))
    layers = [line(y=0)]
    guessing = only("guessing", True)
    if any(row["perfect"] for row in rows):
        # a line of one point is none: without random tokens there is one share alone
        lines = exact.mark_line(style="exact").encode(x=x, y=y, strokeDash=_perfect(rows), detail="random:N")
        points = exact.mark_point(style="exact", filled=False, opacity=1)
        size = alt.condition(guessing, alt.value(8), alt.value(36))
        layers += [lines, points.encode(x=x, y=y, size=size, tooltip=tips)]
    if names:
        points = trained.mark_point(filled=False, size=34, opacity=1)
        fill = alt.Fill(
            "architecture:N", title="trained models", scale=alt.Scale(domain=list(names), range="category")
        )
        hollow = alt.condition(guessing, alt.value(1), alt.value(0))
        layers.append(points.encode(x=x, y=y, fill=fill, fillOpacity=hollow, tooltip=tips, **looks))
    return _per_measure(layers, rows)


AS_IT_IS, AT_EQUAL = "as it is", "at equal frequency"
"""What a score is of."""


def explained(found: Found) -> alt.FacetChart | None:
    """Bias scores of real pairs, and what they would be if the words of both sides were equally frequent."""
    frame = found.explained[found.explained["second"].isna()]
    readings = {AS_IT_IS: ("value", "low", "high"), AT_EQUAL: ("rest", "rest_low", "rest_high")}
    rows = [
        {"panel": f"{row.model} on {row.benchmark}", "model": row.model, "benchmark": row.benchmark}
        | {"measure": title_of(row.first), "reading": reading, "pairs": int(row.n)}
        | dict(zip(("score", "low", "high"), (plain(getattr(row, key)) for key in keys), strict=True))
        for row in rows_of(frame)
        for reading, keys in readings.items()
    ]
    rows = [row for row in rows if row["score"] is not None]
    if not rows:
        return None
    reached = [row[key] for row in rows for key in ("score", "low", "high") if row[key] is not None]
    # one scale for all panels, each with an axis of its own
    scale = alt.Scale(domain=[min(50, *reached), max(50, *reached)], nice=False, zero=False, padding=6)

    def x(field: str) -> alt.X:
        axis = alt.Axis(tickCount=5, labelFlush=False)
        return alt.X(f"{field}:Q", title="stereotype preferred, of 100 pairs", scale=scale, axis=axis)

    looks = kinds("reading", "score", list(readings))
    place = {
        "y": names_down("measure", (row["measure"] for row in rows), NAMES),
        "yOffset": alt.YOffset("reading:N", sort=list(readings)),
    }
    tips = told(
        panel="what",
        measure="measure",
        reading="score",
        score=("stereotype preferred, of 100", ".1f"),
        low=("interval from", ".1f"),
        high=("interval to", ".1f"),
        pairs=("pairs", "d"),
    )
    base = alt.Chart()
    layers = [
        line(x=50),
        base.mark_rule(strokeWidth=1.3).encode(x=x("low"), x2="high:Q", color=looks["color"], **place),
        base.mark_point(filled=True, opacity=1, size=45).encode(x=x("score"), tooltip=tips, **looks, **place),
    ]
    height = alt.Step(STEP, **{"for": "offset"})
    return panels(layers, rows, 3, width=240, height=height, margin=NAMES, own=("x",))


MAKERS: Mapping[str, tuple[Callable[[Found], alt.FacetChart | None], str]] = {
    "response_figure": (response, "No world of this study has an association."),
    "frequency_figure": (frequency, "No world of this study has groups of unequal frequency."),
    "power_figure": (power, "No power is known in this study."),
    "alarms_figure": (alarms, "No false alarms are known in this study."),
    "worlds_figure": (worlds, "No worlds are drawn in this study."),
    "kept_figure": (kept, "This study asks nothing of keep rates."),
    "explained_figure": (explained, "This study asks no model of real pairs about word frequency."),
}
"""By the names of unmask.calibration.shown.FIGURES: what makes a chart, and why there may be none."""


def drawn_charts(found: Found, wanted: Iterable[str]) -> Iterator[tuple[str, alt.FacetChart | str]]:
    """The charts of these names, each with its name; where there is none, why.

    Raises KeyError for an unknown name (a defect of the caller).
    """
    for name in wanted:
        make, without = MAKERS[name]
        yield name, make(found) or without

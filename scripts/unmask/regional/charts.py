"""The charts of regional bias other than its maps."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd

from unmask.regional.outline import Outline
from unmask.regional.picked import in_two_dimensions
from unmask.regional.tables import THOUSAND, Findings
from unmask.regional.terms import C_W, CORRECTED, FULL, MEASURES, PLAIN, VARIANTS
from unmask.report.panels import Row, claims, having, kinds, line, names_down, only, panels, plain, told
from unmask.report.sheets import rows_of

STEP = 18
"""Pixels from one region to the next."""

NAMES = 112
"""Pixels for the names of regions, beside the panels."""

OWN_AXIS = 74
"""Pixels between panels that have numbers of their own on the left."""

NOT_MORE, RAW, CLEAR, UNTESTED = "not more", "more, before correction", "more, corrected", "not tested"
_CLAIMS = (NOT_MORE, RAW, CLEAR, UNTESTED)
"""What may be said of a score beside what the model's own vectors come to when dealt out anew."""

_ENDS = ("words", "dealt", "random")
"""Intervals and bands of SCORES, by the start of their columns."""


def titled(measure: str) -> str:
    """A measure's name on an axis, with its scale."""
    return measure if measure == PLAIN else f"{measure} × 1000"


def _scaled(measure: str, value: Any) -> float | None:
    found: float | None = plain(value)
    return found if found is None or measure == PLAIN else found * THOUSAND


def scores(found: Findings, measure: str, variant: str) -> alt.FacetChart | None:
    """Scores of the regions below the root and overall, before the bands of chance; a panel for each model.

    None, here and below, where the study has nothing to draw. The scales of variants that divide by the
    number of pairs are logarithmic, as their scores span that much.
    """
    frame = found.chosen((measure,), (FULL,))
    frame = frame[(frame["variant"] == variant) & frame["score"].notna()]
    outline = found.outline
    rows = [
        {"panel": row.model, "model": row.model, "measure": measure, "variant": variant}
        | {"name": outline.headed(row.region), "region": row.region, "children": int(row.children)}
        | {"score": _scaled(measure, row.score)}
        | {
            f"{kind}_{end}": _scaled(measure, getattr(row, f"{kind}_{end}"))
            for kind in _ENDS
            for end in ("low", "high")
        }
        | {"p": plain(row.p), "p_holm": plain(row.p_holm), "claim": _claim(row, found.alpha)}
        for row in rows_of(frame)
    ]
    if not rows:
        return None
    ends = ("score", *(f"{kind}_{end}" for kind in _ENDS for end in ("low", "high")))
    reached = [row[key] for row in rows for key in ends if row[key] is not None]
    # scores of zero, as of equal vectors, have no logarithm
    logarithmic = variant != CORRECTED and measure != PLAIN and min(reached) > 0
    # one scale for all panels, each with an axis of its own
    scale: Any = {"type": "log"} if logarithmic else {}
    ticks: Any = {"format": "~r"} if logarithmic else {}

    def x(field: str) -> alt.X:
        return alt.X(
            f"{field}:Q",
            title=titled(measure),
            scale=alt.Scale(domain=[min(reached), max(reached)], nice=False, padding=6, **scale),
            axis=alt.Axis(tickCount=4, labelFlush=False, **ticks),
        )

    names = [outline.headed(region) for region in outline.shown()]
    y = names_down("name", names, NAMES)
    there = [claim for claim in _CLAIMS if any(row["claim"] == claim for row in rows) or claim != UNTESTED]
    looks = claims("claim", "against vectors dealt out", there)
    tips = told(
        panel="model",
        name="region (children)",
        score=(titled(measure), ".4g"),
        **_bands("words", "interval by words"),
        **_bands("dealt", "dealt out"),
        **_bands("random", "random vectors"),
        p=("p", ".3g"),
        p_holm=("p, Holm-corrected", ".3g"),
        claim="against vectors dealt out",
    )
    base = alt.Chart()
    layers = [
        having("dealt_low")
        .mark_bar(style="chance", height=STEP - 5)
        .encode(x=x("dealt_low"), x2="dealt_high:Q", y=y),
        base.mark_rule(style="untrained", yOffset=STEP / 2 - 3).encode(
            x=x("random_low"), x2="random_high:Q", y=y
        ),
        base.mark_rule(strokeWidth=1.5).encode(
            x=x("words_low"), x2="words_high:Q", y=y, color=looks["color"]
        ),
        base.mark_point(filled=True, opacity=1, size=55).encode(x=x("score"), y=y, tooltip=tips, **looks),
    ]
    return panels(layers, rows, 3, width=270, height=alt.Step(STEP), margin=NAMES, own=("x",))


def _bands(kind: str, title: str) -> dict[str, tuple[str, str]]:
    return {f"{kind}_low": (f"{title} from", ".4g"), f"{kind}_high": (f"{title} to", ".4g")}


def _claim(row: Any, alpha: float) -> str:
    if pd.isna(row.p):
        return UNTESTED
    return CLEAR if row.p_holm < alpha else RAW if row.p < alpha else NOT_MORE


def points(
    outline: Outline, drawn: Mapping[str, tuple[Sequence[str], npt.NDArray[Any]]]
) -> alt.FacetChart | None:
    """Regions in two dimensions: the first two principal components of their vectors (equation 2).

    drawn: regions, and their vectors (regions x words), by model. Regions right below the root are large,
    with an outline; small ones have the colour and shape of that in which they lie.
    """
    rows: list[Row] = []
    tops = outline.tops()
    for model, (regions, vectors) in drawn.items():
        if len(regions) < 3:
            continue
        places, (first, second) = in_two_dimensions(vectors)
        panel = f"{model} ({100 * first:.0f}% and {100 * second:.0f}% of the variance)"
        # large ones last, so that they lie above
        for region, (x, y) in sorted(zip(regions, places, strict=True), key=lambda each: each[0] in tops):
            top = outline.top_of(region)
            rows.append(
                {"panel": panel, "model": model, "region": region, "name": outline.names[region]}
                | {"level": outline.levels[region], "within": outline.names[top] if top else None}
                | {"large": region in tops, "first": float(x), "second": float(y)}
            )
    if not rows:
        return None
    looks = kinds("within", "lies in", [outline.names[top] for top in tops])
    tips = told(panel="model", name="region", level="level", within="lies in")
    scale = alt.Scale(nice=False, zero=False, padding=12)
    place = {
        "x": alt.X("first:Q", title="first component", scale=scale, axis=alt.Axis(tickCount=5)),
        "y": alt.Y(
            "second:Q",
            title="second component",
            scale=scale,
            axis=alt.Axis(tickCount=5, minExtent=34, maxExtent=34),
        ),
    }
    large = only("large", True)
    mark = alt.Chart().mark_point(style="outlined", filled=True, opacity=1)
    layers = [
        mark.encode(
            size=alt.condition(large, alt.value(130), alt.value(22)),
            strokeWidth=alt.condition(large, alt.value(1.2), alt.value(0)),
            tooltip=tips,
            **looks,
            **place,
        )
    ]
    return panels(layers, rows, 2, width=400, height=300, margin=OWN_AXIS - 18, gap=OWN_AXIS, own=("x", "y"))


def series(found: Findings, entries: Iterable[Mapping[str, Any]], variant: str) -> alt.FacetChart | None:
    """C_w of a variant against how long a model was trained, overall and by region below the root; a panel
    for each series.

    entries: for each series its `name` and `models`, a list of `model` (a name of the study) and `epoch`.
    """
    frame = found.chosen((C_W,), (FULL,))
    frame = frame[(frame["variant"] == variant) & frame["score"].notna()]
    outline = found.outline
    names = {region: outline.names[region] for region in outline.tops()} | {outline.root: "overall"}
    rows = [
        {"panel": str(entry["name"]), "model": row.model, "variant": variant, "epoch": float(step["epoch"])}
        | {"name": names[row.region], "score": row.score * THOUSAND}
        | {"low": _scaled(C_W, row.words_low), "high": _scaled(C_W, row.words_high)}
        for entry in entries
        for step in entry["models"]
        for row in rows_of(frame[frame["model"] == str(step["model"])])
    ]
    if not rows:
        return None
    positive = all(row["score"] > 0 and (row["low"] is None or row["low"] > 0) for row in rows)
    logarithmic = variant != CORRECTED and positive
    scale: Any = {"type": "log"} if logarithmic else {"padding": 8, "zero": False}
    ticks: Any = {"format": "~r"} if logarithmic else {}
    axis = alt.Axis(tickCount=5, minExtent=34, maxExtent=34, **ticks)
    looks = kinds("name", None, list(names.values()))

    def y(field: str) -> alt.Y:
        return alt.Y(f"{field}:Q", title=titled(C_W), scale=alt.Scale(nice=False, **scale), axis=axis)

    x = alt.X(
        "epoch:Q",
        title="epochs of further training",
        scale=alt.Scale(domain=[0, max(row["epoch"] for row in rows)], nice=False, padding=10),
        axis=alt.Axis(values=sorted({row["epoch"] for row in rows}), format=".3~g", labelFlush=False),
    )
    tips = told(
        panel="series",
        model="model",
        name="region",
        epoch=("epochs", ".3~g"),
        score=(titled(C_W), ".4g"),
        low=("interval by words from", ".4g"),
        high=("interval by words to", ".4g"),
    )
    base = alt.Chart()
    layers = [
        base.mark_line(strokeWidth=1.3).encode(x=x, y=y("score"), color=looks["color"]),
        base.mark_rule(strokeWidth=1.2).encode(x=x, y=y("low_at"), y2="high_at:Q", color=looks["color"]),
        base.mark_point(filled=True, size=40, opacity=1).encode(x=x, y=y("score"), tooltip=tips, **looks),
    ]
    return panels(
        layers,
        rows,
        2,
        width=380,
        height=230,
        margin=OWN_AXIS - 18,
        gap=OWN_AXIS,
        own=("x", "y"),
        ends={"low": "score", "high": "score"},
    )


def planted(frame: pd.DataFrame, outline: Outline, alpha: float) -> alt.FacetChart | None:
    """How often a score finds the region whose children were set apart, against how far they were; a panel
    for each region and what they were set apart by.

    frame: PLANTED; alpha: the level of the test, where a score that finds nothing lies.
    """
    there = frame[frame["found"].notna()]
    if there.empty:
        return None
    measures = [name for name in MEASURES if (there["measure"] == name).any()]
    variants = [name for name in reversed(VARIANTS) if (there["variant"] == name).any()]
    # several scores find the same, so that their lines lie on each other: a little apart
    scores_here = [(measure, variant) for measure in measures for variant in variants]
    nudges = np.linspace(-0.015, 0.015, len(scores_here)) * float(there["strength"].max() or 1)
    aside = dict(zip(scores_here, map(float, nudges), strict=True))
    rows = [
        {"panel": f"{_counted(row, outline)}\nset apart by {row.planted}", "planted": row.planted}
        | {"region": row.region, "measure": row.measure, "variant": row.variant}
        | {"strength": float(row.strength), "at": float(row.strength) + aside[row.measure, row.variant]}
        | {"found": float(row.found), "low": plain(row.found_low), "high": plain(row.found_high)}
        | {"first": plain(row.first), "worlds": int(row.worlds)}
        for row in rows_of(there.sort_values("strength", kind="stable"))
    ]
    order = list(there["region"].drop_duplicates())
    by = list(there["planted"].drop_duplicates())
    rows.sort(key=lambda row: (order.index(row["region"]), by.index(row["planted"])))
    strengths = sorted({row["strength"] for row in rows})
    x = alt.X(
        "at:Q",
        title="strength, in standard deviations",
        scale=alt.Scale(nice=False, padding=8),
        axis=alt.Axis(values=strengths, format=".3~g", labelFlush=False, labelOverlap=True),
    )
    scale = alt.Scale(domain=[0, 1], padding=6)
    y = alt.Y("found:Q", title="share of worlds found", scale=scale, axis=alt.Axis(tickCount=5))
    looks = kinds("measure", "measure", measures)
    patterns = [[1, 0], [5, 3], [1, 2]][: len(variants)]
    dash = alt.StrokeDash("variant:N", title="variant", scale=alt.Scale(domain=variants, range=patterns))
    tips = told(
        panel="region",
        measure="measure",
        variant="variant",
        strength=("strength", ".3g"),
        found=("share of worlds found", ".3f"),
        low=("interval from", ".3f"),
        high=("interval to", ".3f"),
        first=("highest of its level in", ".3f"),
        worlds=("worlds", "d"),
    )
    base = alt.Chart()
    layers = [
        line("wanted", y=alpha),
        base.mark_line(strokeWidth=1.3).encode(x=x, y=y, color=looks["color"], strokeDash=dash),
        base.mark_rule(strokeWidth=1).encode(
            x=x, y=alt.Y("low_at:Q", scale=scale), y2="high_at:Q", color=looks["color"]
        ),
        base.mark_point(filled=True, size=34, opacity=1).encode(
            x=x, y=y, detail="variant:N", tooltip=tips, **looks
        ),
    ]
    ends = {"low": "found", "high": "found"}
    return panels(layers, rows, len(by), width=330, margin=60, own=("x",), ends=ends)


def _counted(row: Any, outline: Outline) -> str:
    return f"{outline.names.get(row.region, row.region)} ({row.level}, {row.children} children)"

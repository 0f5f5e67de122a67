"""The charts of regional bias other than its maps."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd

from unmask.regional.geometry import FEWEST, principal_components
from unmask.regional.region_index import RegionIndex
from unmask.regional.tables import THOUSAND, Findings
from unmask.regional.terms import C_W, CORRECTED, FULL, MEASURES, PLAIN, VARIANTS
from unmask.report.forms import Axis, Grid, Kinds, forest, response, scatter
from unmask.report.panels import by_value, columns_of, ends_of
from unmask.report.sheets import rows_of

NOT_MORE, RAW, CLEAR, UNTESTED = "not more", "more, before correction", "more, corrected", "not tested"
_CLAIMS = (NOT_MORE, RAW, CLEAR, UNTESTED)
"""What may be said of a score beside what the model's own vectors come to when dealt out anew."""

_ENDS = tuple(f"{kind}_{end}" for kind in ("words", "dealt", "random") for end in ("low", "high"))
"""Ends of intervals and bands of SCORES."""


def titled(measure: str) -> str:
    """A measure's name on an axis, with its scale."""
    return measure if measure == PLAIN else f"{measure} × 1000"


def scores(found: Findings, measure: str, variant: str) -> alt.FacetChart | None:
    """Scores of the regions below the root and overall, before the bands of chance; a panel for each model.

    None, here and below, where the study has nothing to draw. The scales of variants that divide by the
    number of pairs are logarithmic, as their scores span that much.
    """
    rows = found.chosen((measure,), (FULL,))
    rows = rows[(rows["variant"] == variant) & rows["score"].notna()]
    index = found.index
    numbers = rows[["score", *_ENDS]] * (1 if measure == PLAIN else THOUSAND)
    frame = columns_of(
        rows,
        *("model", "measure", "variant", "region", "p", "p_holm"),
        panel="model",
        name=rows["region"].map(index.headed),
        children=rows["children"].astype(int),
        claim=[_claim(row, found.alpha) for row in rows_of(rows)],
    ).join(numbers)
    tips = (
        ("panel", "model"),
        ("name", "region (children)"),
        ("score", titled(measure), ".4g"),
        *ends_of(".4g", "words_low", "words_high", "interval by words"),
        *ends_of(".4g", "dealt_low", "dealt_high", "dealt out"),
        *ends_of(".4g", "random_low", "random_high", "random vectors"),
        ("p", "p", ".3g"),
        ("p_holm", "p, Holm-corrected", ".3g"),
        ("claim", "against vectors dealt out"),
    )
    there = [claim for claim in _CLAIMS if claim != UNTESTED or (frame["claim"] == claim).any()]
    # scores of zero, as of equal vectors, have no logarithm
    logarithmic = variant != CORRECTED and measure != PLAIN and bool(numbers.min().min() > 0)
    return forest(
        frame,
        Axis(titled(measure), log=logarithmic, ticks=4, format="~r" if logarithmic else None),
        tips,
        value="score",
        interval=("words_low", "words_high"),
        kinds=Kinds("claim", "against vectors dealt out", there, claimed=True),
        broad=("dealt_low", "dealt_high"),
        narrow=("random_low", "random_high"),
        names=map(index.headed, index.columns()),
        grid=Grid(width=270),
    )


def _claim(row: Any, alpha: float) -> str:
    if pd.isna(row.p):
        return UNTESTED
    return CLEAR if row.p_holm < alpha else RAW if row.p < alpha else NOT_MORE


def points(
    index: RegionIndex, drawn: Mapping[str, tuple[Sequence[str], npt.NDArray[Any]]]
) -> alt.FacetChart | None:
    """Regions in two dimensions: the first two principal components of their vectors (equation 2).

    drawn: regions, and their vectors (regions x words), by model. Regions right below the root are large,
    with an index; small ones have the colour and shape of that in which they lie.
    """
    rows = []
    tops = index.tops()
    for model, (regions, vectors) in drawn.items():
        if len(regions) < FEWEST:
            continue
        places, (first, second) = principal_components(vectors)
        panel = f"{model} ({100 * first:.0f}% and {100 * second:.0f}% of the variance)"
        # large ones last, so that they lie above
        for region, (x, y) in sorted(zip(regions, places, strict=True), key=lambda each: each[0] in tops):
            top = index.top_of(region)
            rows.append(
                {"panel": panel, "model": model, "region": region, "name": index.names[region]}
                | {"level": index.levels[region], "within": index.names[top] if top else None}
                | {"large": region in tops, "first": float(x), "second": float(y)}
            )
    if not rows:
        return None
    return scatter(
        pd.DataFrame(rows),
        Axis("first component", own=True),
        Axis("second component", own=True),
        (("panel", "model"), ("name", "region"), ("level", "level"), ("within", "lies in")),
        across="first",
        up="second",
        kinds=Kinds("within", "lies in", [index.names[top] for top in tops]),
        large="large",
        grid=Grid(2, width=400, height=300),
    )


def series(found: Findings, entries: Iterable[Mapping[str, Any]], variant: str) -> alt.FacetChart | None:
    """C_w of a variant against how long a model was trained, overall and by region below the root; a panel
    for each series.

    entries: for each series its `name` and `models`, a list of `model` (a name of the study) and `epoch`.
    """
    scores = found.chosen((C_W,), (FULL,))
    scores = scores[(scores["variant"] == variant) & scores["score"].notna()]
    steps = pd.DataFrame(
        [
            {"panel": str(entry["name"]), "model": str(step["model"]), "epoch": float(step["epoch"])}
            for entry in entries
            for step in entry["models"]
        ],
        columns=["panel", "model", "epoch"],
    )
    rows = steps.merge(scores, on="model")
    index = found.index
    names = {region: index.names[region] for region in index.tops()} | {index.root: "overall"}
    frame = columns_of(
        rows,
        *("panel", "model", "variant", "epoch"),
        name=rows["region"].map(names),
        score=rows["score"] * THOUSAND,
        low=rows["words_low"] * THOUSAND,
        high=rows["words_high"] * THOUSAND,
    )
    tips = (
        ("panel", "series"),
        ("model", "model"),
        ("name", "region"),
        ("epoch", "epochs", ".3~g"),
        ("score", titled(C_W), ".4g"),
        *ends_of(".4g", what="interval by words"),
    )
    logarithmic = variant != CORRECTED and bool(frame[["score", "low"]].min().min() > 0)
    return response(
        frame,
        Axis("epochs of further training", zero=True, ticks=sorted(frame["epoch"].unique()), format=".3~g"),
        Axis(titled(C_W), log=logarithmic, own=True, format="~r" if logarithmic else None),
        tips,
        dose="epoch",
        value="score",
        kinds=Kinds("name", None, list(names.values())),
        grid=Grid(2, width=380, height=230),
    )


def planted(frame: pd.DataFrame, index: RegionIndex, alpha: float) -> alt.FacetChart | None:
    """How often a score finds the region whose children were set apart, against how far they were; a panel
    for each region and what they were set apart by.

    frame: PLANTED; alpha: the level of the test, where a score that finds nothing lies.
    """
    rows = frame[frame["found"].notna()]
    if rows.empty:
        return None
    measures = [name for name in MEASURES if (rows["measure"] == name).any()]
    variants = [name for name in reversed(VARIANTS) if (rows["variant"] == name).any()]
    by = rows["planted"].drop_duplicates()
    # several scores find the same, so that their lines lie on each other: a little apart
    of_scores = [(measure, variant) for measure in measures for variant in variants]
    nudges = np.linspace(-0.015, 0.015, len(of_scores)) * float(rows["strength"].max() or 1)
    aside = dict(zip(of_scores, map(float, nudges), strict=True))
    ordered = by_value(rows.sort_values("strength", kind="stable"), "planted", by)
    ordered = by_value(ordered, "region", rows["region"])
    drawn = columns_of(
        ordered,
        *("planted", "region", "measure", "variant", "strength", "found", "first", "worlds"),
        panel=[f"{_counted(row, index)}\nset apart by {row.planted}" for row in rows_of(ordered)],
        at=[row.strength + aside[row.measure, row.variant] for row in rows_of(ordered)],
        low="found_low",
        high="found_high",
    )
    tips = (
        ("panel", "region"),
        ("measure", "measure"),
        ("variant", "variant"),
        ("strength", "strength", ".3g"),
        ("found", "share of worlds found", ".3f"),
        *ends_of(".3f"),
        ("first", "highest of its level in", ".3f"),
        ("worlds", "worlds", "d"),
    )
    strengths = sorted(rows["strength"].astype(float).unique())
    return response(
        drawn,
        Axis("strength, in standard deviations", ticks=strengths, format=".3~g"),
        Axis("share of worlds found", line=alpha, style="wanted", span=(0, 1)),
        tips,
        dose="at",
        value="found",
        kinds=Kinds("measure", "measure", measures),
        dashes=Kinds("variant", "variant", variants),
        grid=Grid(len(by), width=330),
    )


def _counted(row: Any, index: RegionIndex) -> str:
    return f"{index.names.get(row.region, row.region)} ({row.level}, {row.children} children)"

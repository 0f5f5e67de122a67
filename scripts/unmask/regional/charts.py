"""The charts of regional bias: rows of results in the forms of unmask.report.forms, and maps."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from unmask.regional.geometry import FEWEST, principal_components
from unmask.regional.maps import (
    BELOW,
    BEYOND,
    WITHIN,
    fifths,
    of_positions,
    of_values,
    on_map,
    position,
)
from unmask.regional.pairs import Floats, unit
from unmask.regional.results import RegionalResults
from unmask.regional.tables import MOST, THOUSAND, prefixed
from unmask.regional.terms import C_W, CONTROL, CORRECTED, MEASURES, PLAIN, PROTOCOLS
from unmask.report.forms import Axis, Grid, Kinds, forest, response, scatter
from unmask.report.panels import Row, columns_of, ends_of, records
from unmask.report.sheets import rows_of

Chart = alt.FacetChart | None
"""None where the study has nothing to draw."""

NOT_MORE, RAW, CLEAR, UNTESTED = "not more", "more, before correction", "more, corrected", "not tested"
_CLAIMS = (NOT_MORE, RAW, CLEAR, UNTESTED)
"""What may be said of a score beside what permutations of the model's own vectors give."""


def titled(measure: str) -> str:
    """A measure's name on an axis, with its scale."""
    return measure if measure == PLAIN else f"{measure} × 1000"


def scores(results: RegionalResults, measure: str = C_W, protocol: str | None = None) -> Chart:
    """Scores of the regions below the root and overall, before the bands of chance; a panel for each model.

    protocol: the main one unless given. The scales of protocols that divide by the number of pairs are
    logarithmic, as their scores span that much.
    """
    protocol = protocol or results.main_protocol
    rows = results.select((measure,), protocols=(protocol,))
    rows = rows[rows["score"].notna()]
    index = results.index
    numbers = rows[["score", "permuted_low", "permuted_high"]] * (1 if measure == PLAIN else THOUSAND)
    frame = columns_of(
        rows,
        *("model", "measure", "variant", "region", "p", "p_holm"),
        panel="model",
        name=rows["region"].map(index.headed),
        children=rows["children"].astype(int),
        claim=_claims(rows, results.alpha),
    ).join(numbers)
    tips = (
        ("panel", "model"),
        ("name", "region (children)"),
        ("score", titled(measure), ".4g"),
        *ends_of(".4g", "permuted_low", "permuted_high", "permutations"),
        ("p", "p", ".3g"),
        ("p_holm", "p, Holm-corrected", ".3g"),
        ("claim", "against permutations"),
    )
    there = [claim for claim in _CLAIMS if claim != UNTESTED or (frame["claim"] == claim).any()]
    # scores of zero, as of equal vectors, have no logarithm
    logarithmic = protocol != CORRECTED and measure != PLAIN and bool(numbers.min().min() > 0)
    return forest(
        frame,
        Axis(titled(measure), log=logarithmic, ticks=4, format="~r" if logarithmic else None),
        tips,
        value="score",
        kinds=Kinds("claim", "against permutations", there, claimed=True),
        broad=("permuted_low", "permuted_high"),
        names=map(index.headed, index.columns()),
        grid=Grid(width=270),
    )


def _claims(rows: pd.DataFrame, alpha: float) -> Any:
    tests = [rows["p"].isna(), rows["p_holm"] < alpha, rows["p"] < alpha]
    return np.select(tests, [UNTESTED, CLEAR, RAW], NOT_MORE)


def other_scores(results: RegionalResults) -> Iterator[tuple[str, alt.FacetChart]]:
    """The other measures and protocols, each with its name."""
    for protocol in reversed(PROTOCOLS):
        for measure in MEASURES:
            if (measure, protocol) != (C_W, results.main_protocol):
                chart = scores(results, measure, protocol)
                if chart:
                    yield f"{measure}, {protocol}", chart


def points(results: RegionalResults) -> Chart:
    """Regions by the first two principal components of their vectors of likelihoods (equation 2)."""
    return _points(results, [(model, regions, unit(f)) for model, regions, f, _ in results.vectors])


def name_points(results: RegionalResults) -> Chart:
    """Figure 3: regions by the first two principal components of the contextualised vectors of names."""
    by_model = results.name_vectors.groupby("model", sort=False)
    return _points(
        results,
        [
            (str(model), rows["region"].tolist(), np.stack(rows["vector"].tolist()).astype(np.float64))
            for model, rows in by_model
        ],
    )


def _points(results: RegionalResults, vectors: Iterable[tuple[str, Sequence[str], Floats]]) -> Chart:
    """vectors: model, regions, and a row for each.

    Regions right below the root are large, with an outline; small ones have the colour and shape of that in
    which they lie.
    """
    index, rows = results.index, []
    tops = index.tops()
    for model, regions, matrix in vectors:
        if len(regions) < FEWEST:
            continue
        places, (first, second) = principal_components(matrix)
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
        Axis("first component", independent=True),
        Axis("second component", independent=True),
        (("panel", "model"), ("name", "region"), ("level", "level"), ("within", "lies in")),
        across="first",
        up="second",
        kinds=Kinds("within", "lies in", [index.names[top] for top in tops]),
        large="large",
        grid=Grid(2, width=400, height=300),
    )


def series(results: RegionalResults, protocol: str | None = None) -> Chart:
    """Figure 5: C_w against how long a model was trained, overall and by region below the root; a panel for
    each series. protocol: the main one unless given."""
    protocol = protocol or results.main_protocol
    steps = pd.DataFrame(
        [
            {"panel": str(one["name"]), "model": str(step["model"]), "epoch": float(step["epoch"])}
            for one in results.series
            for step in one["models"]
        ],
        columns=["panel", "model", "epoch"],
    )
    rows = steps.merge(results.select(protocols=(protocol,)).dropna(subset="score"), on="model")
    index = results.index
    names = {region: index.names[region] for region in index.tops()} | {index.root: "overall"}
    frame = columns_of(
        rows,
        *("panel", "model", "variant", "epoch"),
        name=rows["region"].map(names),
        score=rows["score"] * THOUSAND,
    )
    tips = (
        ("panel", "series"),
        ("model", "model"),
        ("name", "region"),
        ("epoch", "epochs", ".3~g"),
        ("score", titled(C_W), ".4g"),
    )
    logarithmic = protocol != CORRECTED and bool(frame["score"].min() > 0)
    return response(
        frame,
        Axis("epochs of further training", zero=True, ticks=sorted(frame["epoch"].unique()), format=".3~g"),
        Axis(titled(C_W), log=logarithmic, independent=True, format="~r" if logarithmic else None),
        tips,
        dose="epoch",
        value="score",
        kinds=Kinds("name", None, list(names.values())),
        grid=Grid(2, width=380, height=230),
    )


def other_series(results: RegionalResults) -> Iterator[tuple[str, alt.FacetChart]]:
    """The other protocols, each with its name."""
    for protocol in reversed(PROTOCOLS):
        chart = series(results, protocol)
        if chart and protocol != results.main_protocol:
            yield protocol, chart


COUNTRY_TIPS = (
    ("score", titled(C_W), ".4g"),
    *ends_of(".4g", "permuted_low", "permuted_high", "permutations"),
    ("children", "children", "d"),
)
"""What a country on a map tells of its score."""


def score_map(results: RegionalResults) -> Chart:
    """C_w of countries, which no figure of the paper shows."""
    if results.atlas is None:
        return None
    return of_values(results.atlas, _countries(results), f"{C_W}, within a model", COUNTRY_TIPS)


def band_map(results: RegionalResults) -> Chart:
    """Where the C_w of countries lies against the bands of permutations."""
    if results.atlas is None:
        return None
    return of_positions(results.atlas, _countries(results), COUNTRY_TIPS)


def _countries(results: RegionalResults) -> list[Row]:
    """C_w of the regions that have a code and two children or more, of the main protocol, on the map."""
    index = results.index
    regions = [r for r in index.inner() if r in index.codes and index.children[r] > 1]
    rows = results.select(regions=regions, protocols=(results.main_protocol,))
    rows = rows[rows["score"].notna() & ~rows["model"].isin(results.later_steps)]
    frame = columns_of(
        rows,
        "model",
        code=rows["region"].map(index.codes),
        score=rows["score"] * THOUSAND,
        permuted_low=rows["permuted_low"] * THOUSAND,
        permuted_high=rows["permuted_high"] * THOUSAND,
        children=rows["children"].astype(int),
        position=position(rows["score"], rows["permuted_low"], rows["permuted_high"]),
        country=rows["region"].map(index.names),
        fifth=rows.groupby("model")["score"].transform(fifths),
    )
    return _on_map(results, frame)


POSITIVE_TIPS = (
    *((("net", "change, points", "+.2f"), *ends_of("+.2f", "net_low", "net_high"))),
    ("over_control", "beyond controls, points", "+.2f"),
    *ends_of("+.2f", "over_control_low", "over_control_high", "interval beyond"),
    ("p_holm", "p, Holm-corrected", ".3g"),
)
"""What a region tells of the items that are predicted positive behind its prefix."""

SAME, OTHER = "as behind controls", "other than behind controls"


def _positive(results: RegionalResults) -> pd.DataFrame:
    """What single prefixes change in how many items are predicted positive, in percentage points.

    A panel is a classifier, table and, where it has several, template.
    """
    rows = results.prefixes.dropna(subset="region").reset_index(drop=True)
    templates = rows.groupby(["classifier", "table"])["template"].transform("nunique")
    panels = [
        f"{results.called(row.classifier)} on {row.table}" + (f"\n{row.template}" if several > 1 else "")
        for row, several in zip(rows_of(rows), templates, strict=True)
    ]
    names = [f"{name}{end}" for name in ("net", "over_control") for end in ("", "_low", "_high")]
    rows = rows.assign(panel=panels, **{name: 100 * rows[name] for name in names})
    differs = rows["p_holm"] < results.alpha
    return rows.assign(
        name=[prefixed(row, results.index) for row in rows_of(rows)],
        claim=np.where(differs, OTHER, SAME),
        position=np.select([differs & (rows["over_control"] < 0), differs], [BELOW, BEYOND], WITHIN),
    )


def positive_map(results: RegionalResults) -> Chart:
    """Figure 4: by country, the change in how many items a classifier predicts to be positive."""
    if results.atlas is None:
        return None
    rows, index = _positive(results), results.index
    rows = rows[rows["region"].isin(index.codes) & (rows["level"] != CONTROL)]
    frame = columns_of(
        rows,
        *("panel", "classifier", "table", "template", "position"),
        *("net", "net_low", "net_high", "over_control", "over_control_low", "over_control_high", "p_holm"),
        code=rows["region"].map(index.codes),
        country=rows["region"].map(index.names),
        fifth=rows.groupby("panel")["net"].transform(fifths),
    )
    drawn = _on_map(results, frame.assign(model=frame["panel"]).drop(columns="panel"))
    return of_values(results.atlas, drawn, "change, within a classifier", POSITIVE_TIPS)


def positive_figure(results: RegionalResults) -> Chart:
    """The regions whose prefixes change most predictions of each classifier, and those of no region."""
    rows = _positive(results)
    control = rows["level"] == CONTROL
    ends = rows[control].groupby("panel")["net"].agg(control_low="min", control_high="max")
    rows = rows.join(ends, on="panel")
    most = rows[~control].assign(size=rows["net"].abs()).sort_values("size", ascending=False, kind="stable")
    rows = pd.concat([rows[control], most.groupby("panel", sort=False).head(MOST)])
    rows = rows.sort_values("net", ascending=False, kind="stable")
    frame = columns_of(
        rows,
        *(
            "panel",
            "classifier",
            "table",
            "template",
            "level",
            "name",
            "claim",
            "control_low",
            "control_high",
        ),
        *(
            "net",
            "net_low",
            "net_high",
            "over_control",
            "over_control_low",
            "over_control_high",
            "p",
            "p_holm",
        ),
    )
    return forest(
        frame,
        Axis("change of the share, points", line=0.0),
        (("panel", "classifier"), ("name", "prefix of"), *POSITIVE_TIPS),
        value="net",
        interval=("net_low", "net_high"),
        kinds=Kinds("claim", "share predicted positive", [SAME, OTHER], claimed=True),
        broad=("control_low", "control_high"),
        grid=Grid(width=270),
    )


def word_map(results: RegionalResults) -> Chart:
    """Figure 1."""
    word, index = results.settings.get("word"), results.index
    if results.atlas is None or word is None or word not in results.words or not index.codes:
        return None
    names = [index.names[region] for region in index.codes]
    parts = []
    for model, likelihoods in results.likelihoods():
        values = pd.Series(likelihoods.select(names, [str(word)])[0][:, 0])
        known = {"model": model, "code": index.codes.values(), "country": names}
        parts.append(pd.DataFrame({**known, "log_prob": values, "fifth": fifths(values)}))
    rows = _on_map(results, pd.concat(parts)) if parts else []
    tips = [("log_prob", "mean log-probability", ".4g")]
    return of_values(results.atlas, rows, "likelihood, within a model", tips)


def _on_map(results: RegionalResults, frame: pd.DataFrame) -> list[Row]:
    panels = {
        str(model): {row.pop("code"): row for row in records(part.drop(columns="model"))}
        for model, part in frame.groupby("model", sort=False)
    }
    return on_map(results.atlas, panels) if results.atlas else []


MAKERS: Mapping[str, tuple[Callable[[RegionalResults], Chart], str]] = {
    "scores_figure": (scores, "No region of this study has a score."),
    "positive_map": (positive_map, "No classifier of this study has read prefixes of countries on the map."),
    "positive_figure": (positive_figure, "No classifier of this study has read prefixes of regions."),
    "score_map": (score_map, "No country of this study has a score."),
    "band_map": (band_map, "No country of this study has a score with a band."),
    "word_map": (word_map, "This study has no country on the map, or not the word of this map."),
    "points_figure": (points, "This study has too few regions to lay out in two dimensions."),
    "names_figure": (
        name_points,
        "This study has no vectors of names, or too few to lay out in two dimensions.",
    ),
    "series_figure": (series, "No model of this study was trained further on sentences about regions."),
}
"""By name: what makes a chart, and why there may be none."""

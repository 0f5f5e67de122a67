"""The charts of regional bias: scores, and Figures 1, 3, 4 and 5 of the paper; two are maps of countries."""

import json
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow.compute as pc

from unmask.regional.results import OVERALL, RegionalResults
from unmask.regional.schema import LIKELIHOODS, NAME_VECTORS
from unmask.regional.terms import C_W, CONTROL
from unmask.report.forms import Axis, Grid, Kinds, SharedData, forest, only, panels, scatter, tooltips
from unmask.report.study_results import facts_by, load_tables
from unmask.report.tables import columns_of, records
from unmask.tables import read_arrow

Chart = alt.FacetChart | None
"""None where the study has nothing to draw."""

Floats = npt.NDArray[np.float64]

THOUSAND = 1000.0
"""C_w and C_z are shown times 1000, as in the paper."""

SCORE = f"{C_W} × 1000"

CLAIMS = ("not more", "more, before correction", "more, corrected", "not tested")
"""What may be said of a score beside what permutations of the model's own vectors give."""

OBJECT = "countries"
"""What countries are called in the file of borders."""

CENTRE = 11
"""Longitude of the middle of the map, in degrees; its edge then lies in Bering Strait and cuts no land."""

CORNERS = [[CENTRE - 180 + 1e-6, 0], [CENTRE + 180 - 1e-6, 0], [CENTRE, 84], [CENTRE, -57]]
"""What the map shows: longitude and latitude, in degrees, of what lies farthest to each side."""

WIDTH, ASPECT = 470, 0.45
"""Pixels of a map, where the page has no reason for another width, and its height as a share of that."""

FIFTHS = ("lowest fifth", "second", "middle", "fourth", "highest fifth")
"""Countries by their numbers, as many of each."""

KNOWN, BLANK = "known", "no number"


def scores(results: RegionalResults) -> Chart:
    """C_w of continents and overall, before the bands of permutations; a panel for each model."""
    rows = results.select(protocols=(results.main_protocol,)).dropna(subset="score")
    not_more, more, clearly_more, untested = CLAIMS
    tests = [rows["p"].isna(), rows["p_holm"] < results.alpha, rows["p"] < results.alpha]
    claims = np.select(tests, [untested, clearly_more, more], not_more)
    frame = columns_of(
        rows,
        *("model", "protocol", "region", "p", "p_holm", "children"),
        panel="model",
        name=rows["region"].map(results.regions["headed"]),
        claim=claims,
    ).join(rows[["score", "permuted_low", "permuted_high"]] * THOUSAND)
    return forest(
        frame,
        Axis(SCORE, ticks=4),
        value="score",
        kinds=Kinds("claim", "against permutations", CLAIMS, claimed=True),
        broad=("permuted_low", "permuted_high"),
        names=results.regions["headed"][results.columns],
        grid=Grid(width=270),
    )


def principal_components(vectors: Floats) -> tuple[Floats, Floats]:
    """The first two principal components (rows × 2) and the shares of the variance that they hold.

    The sign of a component is such that its largest coordinate is positive.
    """
    left, sizes, _ = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)
    points = (left * sizes)[:, :2]
    points *= np.sign(points[np.abs(points).argmax(axis=0), [0, 1]])
    return points, (sizes**2)[:2] / (sizes**2).sum()


def names(results: RegionalResults) -> Chart:
    """Figure 3: regions by the contextualised vectors of their names; continents are large."""
    regions, parts = results.regions, []
    vectors = load_tables(results.files["name_vectors"], NAME_VECTORS, "model")
    for model, rows in vectors.groupby("model", sort=False):
        if len(rows) < 3:
            continue
        points, (first, second) = principal_components(np.stack(rows["vector"].tolist()).astype(float))
        part = columns_of(
            rows,
            *("model", "region"),
            name=rows["region"].map(regions["name"]),
            level=rows["region"].map(regions["level"]),
            within=rows["region"].map(regions["continent"]).map(regions["name"]),
            large=rows["region"].isin(results.continents),
            first=points[:, 0],
            second=points[:, 1],
        ).assign(panel=f"{model} ({100 * first:.0f}% and {100 * second:.0f}% of the variance)")
        # large ones last, so that they lie above
        parts.append(part.sort_values("large", kind="stable"))
    if not parts:
        return None
    return scatter(
        pd.concat(parts),
        Axis("first component", independent=True),
        Axis("second component", independent=True),
        across="first",
        up="second",
        kinds=Kinds("within", "lies in", regions["name"][results.continents].tolist()),
        large="large",
        grid=Grid(2, width=400, height=300),
    )


def series(results: RegionalResults) -> Chart:
    """Figure 5: C_w against epochs of training, by continent and overall; a panel a series and protocol."""
    steps = pd.DataFrame(
        [{"series": one["name"], **step} for one in results.settings["series"] for step in one["models"]],
        columns=["series", "model", "epoch"],
    ).astype({"epoch": float})
    rows = steps.merge(results.select().dropna(subset="score"), on="model")
    names = results.regions["name"][results.continents].to_dict() | {results.root: OVERALL}
    frame = columns_of(
        rows,
        *("model", "protocol", "epoch"),
        panel=rows["series"] + ", " + rows["protocol"],
        name=rows["region"].map(names),
        score=rows["score"] * THOUSAND,
    )
    return scatter(
        frame,
        Axis("epochs of further training", zero=True, ticks=sorted(frame["epoch"].unique()), format=".3~g"),
        Axis(SCORE, independent=True),
        across="epoch",
        up="score",
        joined=True,
        kinds=Kinds("name", None, list(names.values())),
        grid=Grid(2, width=380, height=230),
    )


def word_map(results: RegionalResults) -> Chart:
    """Figure 1: the mean log-probability of the sentence with one word, by country."""
    countries, word = results.regions.dropna(subset="country_code"), results.settings["word"]
    frames, paths = [], list(results.files["likelihoods"]) if word else []
    for (model,), path in zip(facts_by(paths, "model"), paths, strict=True):
        # a table may have millions of sentences
        rows = read_arrow(path, LIKELIHOODS, ["name", "word", "log_prob"])
        of_word = rows.filter(pc.field("word") == word).to_pandas()
        log_probs = of_word.set_index("name")["log_prob"]
        frame = columns_of(countries, code="country_code", country="name")
        frames.append(frame.assign(panel=model, log_prob=frame["country"].map(log_probs)))
    return country_map(results, frames, "log_prob", "likelihood, within a model")


def positive_map(results: RegionalResults) -> Chart:
    """Figure 4: by country, the change of the share of texts that a classifier predicts to be positive.

    A panel is a classifier, table and template.
    """
    rows, regions = results.prefixes, results.regions
    rows = rows[rows["region"].isin(regions["country_code"].dropna().index) & (rows["level"] != CONTROL)]
    frame = columns_of(
        rows,
        *("classifier", "table", "template", "p_holm"),
        panel=rows["classifier"] + " on " + rows["table"] + "\n" + rows["template"],
        code=rows["region"].map(regions["country_code"]),
        country=rows["region"].map(regions["name"]),
        **{name: 100 * rows[name] for name in ("net", "over_control")},
    )
    return country_map(results, [frame], "net", "change, within a classifier")


def country_map(results: RegionalResults, frames: list[pd.DataFrame], value: str, title: str) -> Chart:
    """Countries coloured by the fifth of their number, a map for each panel; None where no country has one.

    frames: with the columns panel, code, country and `value`. title: of the colours.
    """
    frame = pd.concat(frames, ignore_index=True) if frames and results.files["borders"] else pd.DataFrame()
    if frame.empty:
        return None
    # the middle of the ranks of those that equal it, so that they are in one fifth
    middles = frame.groupby("panel")[value].transform(lambda numbers: (numbers.rank() - 0.5) / len(numbers))
    frame["fifth"] = (len(FIFTHS) * middles).astype(int).map(dict(enumerate(FIFTHS)))
    borders = Path(results.files["borders"]).read_text(encoding="utf-8")
    shapes = json.loads(borders)["objects"][OBJECT]["geometries"]
    lands = pd.DataFrame([(each["id"], each["properties"]["name"]) for each in shapes])
    every = lands.set_axis(["code", "land"], axis=1).merge(frame[["panel"]].drop_duplicates(), how="cross")
    rows = every.merge(frame.astype({"code": int}), how="left", on=["panel", "code"])
    rows["country"] = rows["country"].fillna(rows.pop("land"))
    rows["drawn"] = rows[value].notna().map({True: KNOWN, False: BLANK})
    colour = alt.Color(
        "fifth:N",
        title=title,
        scale=alt.Scale(domain=list(FIFTHS), range="heatmap"),
        legend=alt.Legend(symbolType="square"),
    )
    geo = alt.Shape("geo", type="geojson")
    blank, known = (alt.Chart().transform_filter(only("drawn", each)) for each in (BLANK, KNOWN))
    layers = [
        blank.mark_geoshape(style="no-score").encode(shape=geo, tooltip=tooltips(rows[["country"]])),
        known.mark_geoshape(style="country").encode(
            shape=geo, color=colour, tooltip=tooltips(rows.drop(columns=["code", "fifth", "drawn"]))
        ),
    ]
    corners = {"type": "MultiPoint", "coordinates": CORNERS}
    fit: Any = {"type": "Feature", "properties": {}, "geometry": corners}
    laid = [layer.project("equalEarth", rotate=[-CENTRE, 0, 0], fit=fit) for layer in layers]
    grid = Grid(2, width=WIDTH, height=round(ASPECT * WIDTH), aspect=ASPECT)
    form = alt.TopoDataFormat(type="topojson", feature=OBJECT)
    data = SharedData(name="borders", values=borders, format=form)
    return panels(laid, records(rows), grid, margin=0).transform_lookup(
        lookup="code", from_=alt.LookupData(data, key="id"), as_="geo"
    )

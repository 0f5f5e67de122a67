"""The charts of regional bias: scores, and Figures 1, 3, 4 and 5 of the paper."""

import altair as alt
import numpy as np
import pandas as pd

from unmask.regional.herb import Floats
from unmask.regional.maps import country_map
from unmask.regional.results import RegionalResults
from unmask.regional.terms import C_W, CONTROL
from unmask.report.forms import Axis, Grid, Kinds, forest, response, scatter
from unmask.report.panels import columns_of, ends_of

Chart = alt.FacetChart | None
"""None where the study has nothing to draw."""

THOUSAND = 1000.0
"""C_w and C_z are shown times 1000, as in the paper."""

SCORE = f"{C_W} × 1000"

CLAIMS = NOT_MORE, RAW, CLEAR, UNTESTED = (
    "not more",
    "more, before correction",
    "more, corrected",
    "not tested",
)
"""What may be said of a score beside what permutations of the model's own vectors give."""


def scores(results: RegionalResults) -> Chart:
    """C_w of continents and overall, before the bands of permutations; a panel for each model."""
    rows = results.select(protocols=(results.main_protocol,)).dropna(subset="score")
    tests = [rows["p"].isna(), rows["p_holm"] < results.alpha, rows["p"] < results.alpha]
    claims = np.select(tests, [UNTESTED, CLEAR, RAW], NOT_MORE)
    frame = columns_of(
        rows,
        *("model", "protocol", "region", "p", "p_holm", "children"),
        panel="model",
        name=rows["region"].map(results.regions["headed"]),
        claim=claims,
    ).join(rows[["score", "permuted_low", "permuted_high"]] * THOUSAND)
    tips = (
        ("panel", "model"),
        ("name", "region (children)"),
        ("score", SCORE, ".4g"),
        *ends_of(".4g", "permuted_low", "permuted_high", "permutations"),
        ("p", "p", ".3g"),
        ("p_holm", "p, Holm-corrected", ".3g"),
        ("claim", "against permutations"),
    )
    there = [claim for claim in CLAIMS if claim != UNTESTED or claim in claims]
    return forest(
        frame,
        Axis(SCORE, ticks=4),
        tips,
        value="score",
        kinds=Kinds("claim", "against permutations", there, claimed=True),
        broad=("permuted_low", "permuted_high"),
        names=results.regions["headed"][results.columns],
        grid=Grid(width=270),
    )


def principal_components(vectors: Floats) -> tuple[Floats, Floats]:
    """The first two principal components (rows × 2) and the shares of the variance that they hold.

    The sign of a component is such that its largest coordinate is positive; one that is not there is 0.
    """
    left, sizes, _ = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)
    points, sizes = np.pad(left * sizes, ((0, 0), (0, 2)))[:, :2], np.pad(sizes, (0, 2))
    signs = np.sign(points[np.abs(points).argmax(axis=0), [0, 1]])
    return points * np.where(signs == 0, 1, signs), (sizes**2)[:2] / ((sizes**2).sum() or 1)


def names(results: RegionalResults) -> Chart:
    """Figure 3: regions by the contextualised vectors of their names; continents are large."""
    regions, parts = results.regions, []
    for model, rows in results.name_vectors.groupby("model", sort=False):
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
    tips = (("panel", "model"), ("name", "region"), ("level", "level"), ("within", "lies in"))
    return scatter(
        pd.concat(parts),
        Axis("first component", independent=True),
        Axis("second component", independent=True),
        tips,
        across="first",
        up="second",
        kinds=Kinds("within", "lies in", regions["name"][results.continents].tolist()),
        large="large",
        grid=Grid(2, width=400, height=300),
    )


def series(results: RegionalResults) -> Chart:
    """Figure 5: C_w against epochs of training, by continent and overall; a panel a series and protocol."""
    steps = pd.DataFrame(
        [{"series": one["name"], **step} for one in results.series for step in one["models"]],
        columns=["series", "model", "epoch"],
    ).astype({"epoch": float})
    rows = steps.merge(results.select().dropna(subset="score"), on="model")
    names = results.regions["name"][results.continents].to_dict() | {results.root: "overall"}
    frame = columns_of(
        rows,
        *("model", "protocol", "epoch"),
        panel=rows["series"] + ", " + rows["protocol"],
        name=rows["region"].map(names),
        score=rows["score"] * THOUSAND,
    )
    tips = (
        ("panel", "series"),
        ("model", "model"),
        ("name", "region"),
        ("epoch", "epochs", ".3~g"),
        ("score", SCORE, ".4g"),
    )
    return response(
        frame,
        Axis("epochs of further training", zero=True, ticks=sorted(frame["epoch"].unique()), format=".3~g"),
        Axis(SCORE, independent=True),
        tips,
        dose="epoch",
        value="score",
        kinds=Kinds("name", None, list(names.values())),
        grid=Grid(2, width=380, height=230),
    )


def word_map(results: RegionalResults) -> Chart:
    """Figure 1: the mean log-probability of the sentence with one word, by country."""
    word, codes = results.settings["word"], results.codes
    if results.borders is None or word is None or not results.files["likelihoods"]:
        return None
    countries = results.regions["name"][codes.index].tolist()
    frame = pd.concat(
        pd.DataFrame({"panel": model, "code": codes.to_numpy(), "country": countries}).assign(
            log_prob=likelihoods[word].reindex(countries).to_numpy()
        )
        for model, likelihoods in results.likelihoods()
    )
    tips = (("log_prob", "mean log-probability", ".4g"),)
    return country_map(results.borders, frame, "log_prob", "likelihood, within a model", tips)


def positive_map(results: RegionalResults) -> Chart:
    """Figure 4: by country, the change of the share of texts that a classifier predicts to be positive.

    A panel is a classifier, table and, where it has several, template.
    """
    if results.borders is None:
        return None
    rows = results.prefixes
    rows = rows[rows["region"].isin(results.codes.index) & (rows["level"] != CONTROL)]
    templates = rows.groupby(["classifier", "table"])["template"].transform("nunique")
    panel = rows["classifier"].map(results.called) + " on " + rows["table"]
    frame = columns_of(
        rows,
        *("classifier", "table", "template", "p_holm"),
        panel=panel.where(templates == 1, panel + "\n" + rows["template"]),
        code=rows["region"].map(results.codes),
        country=rows["region"].map(results.regions["name"]),
        **{name: 100 * rows[name] for name in ("net", "over_control")},
    )
    tips = (
        ("net", "change, points", "+.2f"),
        ("over_control", "beyond the control, points", "+.2f"),
        ("p_holm", "p, Holm-corrected", ".3g"),
    )
    return country_map(results.borders, frame, "net", "change, within a classifier", tips)

"""The charts of association tests, and of tests against scores."""

from collections.abc import Callable, Mapping, Sequence

import altair as alt
import numpy as np
import pandas as pd

from unmask.associations.results import AssociationResults
from unmask.associations.tables import main_means
from unmask.associations.terms import JOINT, WORD, X, Y
from unmask.measures.registry import title_of
from unmask.report.forms import Axis, Grid, Kinds, forest, response, scatter
from unmask.report.panels import by_value, columns_of, ends_of
from unmask.report.sheets import rows_of

UNABLE, WITHIN, BEYOND = "cannot be tested", "explainable by chance", "beyond chance"
CLAIMS = (UNABLE, WITHIN, BEYOND)
"""What may be claimed of a test, from nothing to the most."""

SAME, OTHER = "the same sign", "signs differ"

CENTRE = 50.0
"""The bias score, in percent, of a model that prefers neither side."""


def _labelled(rows: pd.DataFrame) -> pd.DataFrame:
    """With the names of tests as `label`, with their suite where there are several."""
    suites = " (" + rows["suite"].astype(str) + ")" if rows["suite"].nunique() > 1 else ""
    return rows.assign(label=rows["test"].astype(str) + suites)


def _panels(rows: pd.DataFrame) -> "pd.Series[str]":
    """The pooling, with the suite where there are several."""
    suites = rows["suite"].astype(str) + ", " if rows["suite"].nunique() > 1 else ""
    return suites + rows["pooling"].astype(str)


def tests(results: AssociationResults, encoders: Sequence[str]) -> alt.FacetChart | None:
    """d of every test with its interval, before what |d| is on average without bias (the band about 0).

    A panel for each encoder and pooling, a row a test; colour and shape say whether it is beyond chance.
    """
    main = _labelled(results.main[results.main["d"].notna()])
    rows = by_value(by_value(main, "pooling", results.poolings), "encoder", encoders)
    able, beyond = rows["able"].astype(bool), rows["p_holm"] < results.alpha
    frame = columns_of(
        rows,
        *("encoder", "pooling", "suite", "test", "label", "d", "expected_d", "gap", "p_holm"),
        panel=rows["pooling"] if len(encoders) == 1 else rows["encoder"] + ": " + rows["pooling"],
        unit="level",
        low="d_low",
        high="d_high",
        without=-rows["expected_d"],
        claim=np.select([~able, beyond], [UNABLE, BEYOND], WITHIN),
    )
    tips = (
        ("label", "test"),
        ("encoder", "encoder"),
        ("pooling", "pooling"),
        ("unit", "unit"),
        ("claim", "it is"),
        ("d", "d", "+.2f"),
        *ends_of("+.2f"),
        ("expected_d", "|d| without bias, on average", ".2f"),
        ("gap", "gap", "+.3f"),
        ("p_holm", "p after Holm's correction", ".2g"),
    )
    return forest(
        frame,
        Axis("effect size d", line=0),
        tips,
        name="label",
        value="d",
        kinds=Kinds("claim", "after Holm's correction", CLAIMS, claimed=True),
        broad=("without", "expected_d"),
        names=main["label"].unique(),
        grid=Grid(4 if len(encoders) == 1 else 3, between=": "),
    )


def poolings(results: AssociationResults, encoders: Sequence[str]) -> alt.FacetChart | None:
    """d in one pooling against d in another, a panel for each two, a point a test with both intervals."""
    main = _labelled(results.main[results.main["d"].notna()])
    keys = ["encoder", "suite", "test", "label"]
    tested = columns_of(main, *keys, "pooling", d="d", low="d_low", high="d_high")
    pairs = by_value(results.poolings_compared, "encoder", encoders)[["encoder", "first", "second"]]
    first, second = (tested.rename(columns={"pooling": which}) for which in ("first", "second"))
    both = pairs.merge(first, on=["encoder", "first"])
    both = both.merge(second, on=[*keys, "second"], suffixes=("_first", "_second"))
    panel = both["first"] + " across, " + both["second"] + " up"
    # as the table counts them: two zeros are alike
    alike = np.sign(both["d_first"]) == np.sign(both["d_second"])
    rows = both.drop(columns=["suite", "test"]).assign(
        panel=panel if len(encoders) == 1 else both["encoder"] + ": " + panel,
        signs=np.where(alike, SAME, OTHER),
    )
    tips = (
        ("label", "test"),
        ("encoder", "encoder"),
        ("first", "first"),
        ("second", "second"),
        ("d_first", "d in the first", "+.2f"),
        *ends_of("+.2f", "low_first", "high_first"),
        ("d_second", "d in the second", "+.2f"),
        *ends_of("+.2f", "low_second", "high_second", "interval of the second"),
    )
    return scatter(
        rows,
        Axis("d in the first pooling", line=0),
        Axis("d in the second", line=0),
        tips,
        across="d_first",
        up="d_second",
        across_interval=("low_first", "high_first"),
        up_interval=("low_second", "high_second"),
        kinds=Kinds("signs", "in the two poolings", (SAME, OTHER), claimed=True),
        grid=Grid(height=220, between=": "),
    )


def _at(pooling: str) -> str:
    """What is said of a vector that is not the joint one of text and picture."""
    return "" if pooling == JOINT else f", {pooling}"


def grounded(results: AssociationResults) -> alt.FacetChart | None:
    """The 2×2 of each grounded test: mean s of X and of Y, with pictures of X and of Y.

    A panel for each test, encoder and pooling, joint and of the word; panels of a test and pooling have one
    scale.
    """
    means = main_means(results.means)
    means = _labelled(means[means["pooling"].isin([JOINT, WORD])])
    if means.empty:
        return None
    names = results.of_tests("categories")
    rows = [
        {
            "panel": f"{row.label}: {row.encoder}{_at(row.pooling)}",
            "label": row.label,
            "scale": f"{row.label}{_at(row.pooling)}",
            "pooling": row.pooling,
            "encoder": row.encoder,
            "words": f"words of {words}",
            "words_are": names.get((row.suite, row.test), {}).get(words),
            "pictures": f"of {pictures}",
            "pictures_are": names.get((row.suite, row.test), {}).get(pictures),
            "mean_s": getattr(row, f"{words.lower()}{number}"),
        }
        for row in rows_of(by_value(means, ["suite", "test"]))
        for words in (X, Y)
        for number, pictures in enumerate((X, Y), start=1)
    ]
    tips = (
        ("label", "test"),
        ("encoder", "encoder"),
        ("pooling", "pooling"),
        ("words", "mean over"),
        ("words_are", "which are"),
        ("pictures", "pictures"),
        ("pictures_are", "which show"),
        ("mean_s", "mean s", "+.3f"),
    )
    return response(
        pd.DataFrame(rows),
        Axis("seen with pictures"),
        Axis("mean s", line=0),
        tips,
        dose="pictures",
        value="mean_s",
        kinds=Kinds("words", "mean over"),
        together="scale",
        grid=Grid(4, width=200, height=170, between=": "),
    )


def pairs(results: AssociationResults) -> alt.FacetChart | None:
    """Mean d of each model against its bias score; a panel for each suite, pooling, measure and benchmark."""
    points = results.points
    keys = ["suite", "measure", "benchmark"]
    rows = by_value(by_value(points, "pooling", results.poolings), keys)
    measured = rows["measure"].map(title_of) + " on " + rows["benchmark"].astype(str)
    frame = columns_of(
        rows,
        *(*keys, "pooling", "model", "tests", "score", "low", "high", "mean_d"),
        panel=_panels(rows) + ": " + measured,
    )
    tips = (
        ("panel", "what"),
        ("model", "model"),
        ("tests", "tests", ".0f"),
        ("mean_d", "mean d", "+.2f"),
        ("score", "stereotype preferred, of 100", ".1f"),
        *ends_of(".1f"),
    )
    return scatter(
        frame,
        Axis("stereotype preferred, of 100 pairs", line=CENTRE),
        Axis("mean d", line=0),
        tips,
        across="score",
        up="mean_d",
        across_interval=("low", "high"),
        kinds=Kinds("model", "model", results.names, every=False),
        grid=Grid(4, height=170, between=": "),
    )


MAKERS: Mapping[str, tuple[Callable[[AssociationResults], alt.FacetChart | None], str]] = {
    "tests_figure": (
        lambda results: tests(results, results.names),
        "No test of this study has an effect size.",
    ),
    "grounded_figure": (grounded, "This study has no grounded test."),
    "poolings_figure": (
        lambda results: poolings(results, results.names),
        "No test of this study has an effect size in two poolings of one encoder.",
    ),
    "pairs_figure": (pairs, "No model of this study has both association tests and bias scores over pairs."),
}
"""By name: what makes a chart, and why there may be none."""

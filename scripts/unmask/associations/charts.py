"""The charts of association tests: effect sizes, poolings, tests with pictures."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from unmask.associations.results import AssociationResults
from unmask.associations.tables import main_means
from unmask.associations.terms import JOINT, X, Y
from unmask.associations.truth_charts import constructed, pairs, planted
from unmask.report.forms import Axis, Grid, Kinds, forest, response, scatter
from unmask.report.panels import by_value, columns_of, ends_of
from unmask.report.sheets import rows_of

UNABLE, WITHIN, BEYOND = "could not be beyond chance", "within chance", "beyond chance"
CLAIMS = (UNABLE, WITHIN, BEYOND)
"""What may be claimed of a test, from nothing to the most."""

SAME, OTHER = "the same sign", "signs differ"


def tests(results: AssociationResults, encoders: Sequence[str]) -> alt.FacetChart | None:
    """d of every test with its interval, before what |d| is on average without bias (the band about 0).

    A panel for each encoder and pooling, a row a test; colour and shape say whether it is beyond chance.
    """
    main = results.main[results.main["d"].notna()]
    labels = _labels(zip(main["suite"], main["test"], strict=True))
    rows = by_value(by_value(main, "pooling", results.poolings), "encoder", encoders)
    frame = columns_of(
        rows,
        *("encoder", "pooling", "suite", "test", "d", "expected_d", "gap", "p_holm"),
        panel=[
            row.pooling if len(encoders) == 1 else f"{row.encoder}: {row.pooling}" for row in rows_of(rows)
        ],
        label=[labels[row.suite, row.test] for row in rows_of(rows)],
        unit="level",
        low="d_low",
        high="d_high",
        without=-rows["expected_d"],
        claim=[_claim(row, results.alpha) for row in rows_of(rows)],
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
        names=labels.values(),
        grid=Grid(4 if len(encoders) == 1 else 3, between=": "),
    )


def _claim(row: Any, alpha: float) -> str:
    if not row.able:
        return UNABLE
    return BEYOND if row.p_holm < alpha else WITHIN


def _labels(tests_of_suites: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Names of tests by suite and test, with their suite where there are several."""
    keys = list(dict.fromkeys(tests_of_suites))
    several = len({suite for suite, _ in keys}) > 1
    return {(suite, test): f"{test} ({suite})" if several else test for suite, test in keys}


def poolings(results: AssociationResults, encoders: Sequence[str]) -> alt.FacetChart | None:
    """d in one pooling against d in another, a panel for each two, a point a test with both intervals."""
    main = results.main[results.main["d"].notna()]
    labels = _labels(zip(main["suite"], main["test"], strict=True))
    parts = []
    compared = results.poolings_compared
    for row in rows_of(compared[compared["encoder"].isin(list(encoders))]):
        of_encoder = main[main["encoder"] == row.encoder]
        first, second = (
            columns_of(
                of_encoder[of_encoder["pooling"] == pooling],
                "suite",
                "test",
                d="d",
                low="d_low",
                high="d_high",
            )
            for pooling in (row.first, row.second)
        )
        both = first.merge(second, on=["suite", "test"], suffixes=("_first", "_second"))
        panel = f"{row.first} across, {row.second} up"
        parts.append(
            both.assign(
                panel=panel if len(encoders) == 1 else f"{row.encoder}: {panel}",
                encoder=row.encoder,
                label=[labels[key] for key in zip(both["suite"], both["test"], strict=True)],
                first=row.first,
                second=row.second,
                # as the table counts them: two zeros are alike
                signs=np.where(np.sign(both["d_first"]) == np.sign(both["d_second"]), SAME, OTHER),
            ).drop(columns=["suite", "test"])
        )
    if not parts:
        return None
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
        pd.concat(parts, ignore_index=True),
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


def grounded(results: AssociationResults) -> alt.FacetChart | None:
    """The 2×2 of each grounded test: mean s of X and of Y, with pictures of X and of Y.

    A panel for each test and encoder; panels of a test have one scale.
    """
    means = main_means(results.means)
    means = means[means["pooling"] == JOINT]
    if means.empty:
        return None
    labels = _labels(zip(means["suite"], means["test"], strict=True))
    rows = []
    for (suite, test), label in labels.items():
        names = results.categories.get((suite, test)) or {}
        of_test = means[(means["suite"] == suite) & (means["test"] == test)]
        rows += [
            {
                "panel": f"{label}: {row.encoder}",
                "label": label,
                "encoder": row.encoder,
                "words": f"words of {words}",
                "words_are": names.get(words),
                "pictures": f"of {pictures}",
                "pictures_are": names.get(pictures),
                "mean_s": getattr(row, f"{words.lower()}{number}"),
            }
            for row in rows_of(of_test)
            for words in (X, Y)
            for number, pictures in enumerate((X, Y), start=1)
        ]
    tips = (
        ("label", "test"),
        ("encoder", "encoder"),
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
        together="label",
        grid=Grid(4, width=200, height=170, between=": "),
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
    "constructed_figure": (constructed, "This study has no constructed world."),
    "planted_figure": (planted, "Nothing was planted in the tests of this study."),
}
"""By name: what makes a chart, and why there may be none."""

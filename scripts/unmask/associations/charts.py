"""The charts of association tests: effect sizes, poolings, tests with pictures."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import altair as alt

from unmask.associations.results import Found
from unmask.associations.tables import main_means
from unmask.associations.terms import JOINT, X, Y
from unmask.associations.truth_charts import constructed, pairs, planted
from unmask.report.panels import (
    AXES,
    MARK,
    NO_BIAS,
    STEP,
    Row,
    claims,
    kinds,
    line,
    names_down,
    of_row,
    panels,
    plain,
    room_for,
    row_height,
    told,
    with_shared_scales,
)
from unmask.report.sheets import rows_of

UNABLE, WITHIN, BEYOND = "could not be beyond chance", "within chance", "beyond chance"
CLAIMS = (UNABLE, WITHIN, BEYOND)
"""What may be claimed of a test, from nothing to the most."""

SAME, OTHER = "the same sign", "signs differ"

NOTHING: Mapping[str, str] = {
    "tests_figure": "No test of this study has an effect size.",
    "grounded_figure": "This study has no grounded test.",
    "poolings_figure": "No test of this study has an effect size in two poolings of one encoder.",
    "pairs_figure": "No model of this study has both association tests and bias scores over pairs.",
    "constructed_figure": "This study has no constructed world.",
    "planted_figure": "Nothing was planted in the tests of this study.",
}
"""What is said where a study has nothing for a chart."""


def charts(found: Found, wanted: Iterable[str]) -> Iterator[tuple[str, alt.FacetChart | None]]:
    """The charts of these names, those of unmask.associations.shown.FIGURES; None where the study has nothing
    for one. Raises KeyError for an unknown name (a defect of the caller)."""
    makers: Mapping[str, Callable[[Found], alt.FacetChart | None]] = {
        "tests_figure": lambda all_of: tests(all_of, all_of.names),
        "grounded_figure": grounded,
        "poolings_figure": lambda all_of: poolings(all_of, all_of.names),
        "pairs_figure": pairs,
        "constructed_figure": constructed,
        "planted_figure": planted,
    }
    for name in wanted:
        yield name, makers[name](found)


def tests(found: Found, encoders: Sequence[str]) -> alt.FacetChart | None:
    """d of every test with its interval, before what |d| is on average without bias (the band about 0).

    A panel for each encoder and pooling, a row a test; colour and shape say whether it is beyond chance.
    """
    rows: list[Row] = []
    main = found.main[found.main["d"].notna()]
    labels = _labels(zip(main["suite"], main["test"], strict=True))
    for encoder, pooling in itertools.product(encoders, found.poolings):
        own = main[(main["encoder"] == encoder) & (main["pooling"] == pooling)]
        rows += [
            {
                "panel": pooling if len(encoders) == 1 else f"{encoder}: {pooling}",
                "encoder": encoder,
                "pooling": pooling,
                "label": labels[row.suite, row.test],
                **of_row(row, *_TEST, unit="level", low="d_low", high="d_high"),
                "claim": _claim(row, found.alpha),
            }
            for row in rows_of(own)
        ]
    if not rows:
        return None
    shown = {row["label"] for row in rows}
    names = [label for label in labels.values() if label in shown]
    looks = claims("claim", "after Holm's correction", CLAIMS)
    y = names_down("label", names)

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", title="effect size d", axis=alt.Axis(tickCount=5, labelFlush=False))

    base = alt.Chart().transform_calculate(without="-datum.expected_d_at")
    layers = [
        base.mark_bar(style="chance", height=STEP - 4).encode(x=x("without"), x2="expected_d_at:Q", y=y),
        line(x=0),
        base.mark_rule(strokeWidth=1.5).encode(x=x("low_at"), x2="high_at:Q", y=y, color=looks["color"]),
        base.mark_point(filled=True, opacity=1, size=MARK).encode(
            x=x("d"), y=y, tooltip=_of_test({"label": "test"}), **looks
        ),
    ]
    return panels(
        layers,
        rows,
        4 if len(encoders) == 1 else 3,
        margin=room_for(names),
        height=row_height(1),
        ends={"low": "d", "high": "d", "expected_d": NO_BIAS},
        between=": ",
    )


_TEST = ("suite", "test", "d", "expected_d", "gap", "p_holm")


def _of_test(what: Mapping[str, str]) -> list[alt.Tooltip]:
    return told(
        **what,
        encoder="encoder",
        pooling="pooling",
        unit="unit",
        claim="it is",
        d=("d", "+.2f"),
        low=("interval from", "+.2f"),
        high=("interval to", "+.2f"),
        expected_d=("|d| without bias, on average", ".2f"),
        gap=("gap", "+.3f"),
        p_holm=("p after Holm's correction", ".2g"),
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


def poolings(found: Found, encoders: Sequence[str]) -> alt.FacetChart | None:
    """d in one pooling against d in another, a panel for each two, a point a test with both intervals."""
    compared, main = found.poolings_compared, found.main[found.main["d"].notna()]
    labels = _labels(zip(main["suite"], main["test"], strict=True))
    rows: list[Row] = []
    for row in rows_of(compared[compared["encoder"].isin(list(encoders))]):
        own = main[main["encoder"] == row.encoder]
        of = {
            pooling: {(each.suite, each.test): each for each in rows_of(own[own["pooling"] == pooling])}
            for pooling in (row.first, row.second)
        }
        panel = f"{row.first} across, {row.second} up"
        for key, one in of[row.first].items():
            other = of[row.second].get(key)
            if other is None:
                continue
            rows.append(
                {
                    "panel": panel if len(encoders) == 1 else f"{row.encoder}: {panel}",
                    "encoder": row.encoder,
                    "label": labels[key],
                    "first": row.first,
                    "second": row.second,
                    **of_row(one, d_first="d", low_first="d_low", high_first="d_high"),
                    **of_row(other, d_second="d", low_second="d_low", high_second="d_high"),
                    # as the table counts them: two zeros are alike
                    "signs": SAME if _sign(one.d) == _sign(other.d) else OTHER,
                }
            )
    if not rows:
        return None
    looks = claims("signs", "in the two poolings", (SAME, OTHER))
    thin: dict[str, Any] = {"strokeWidth": 1, "opacity": 0.35}
    axis = alt.Axis(tickCount=5)
    x = alt.X("d_first:Q", title="d in the first pooling", axis=axis)
    y = alt.Y("d_second:Q", title="d in the second", axis=axis)
    base = alt.Chart()
    layers = [
        line(x=0),
        line(y=0),
        base.mark_rule(**thin).encode(
            x=alt.X("low_first_at:Q"), x2="high_first_at:Q", y=y, color=looks["color"]
        ),
        base.mark_rule(**thin).encode(
            x=x, y=alt.Y("low_second_at:Q"), y2="high_second_at:Q", color=looks["color"]
        ),
        base.mark_point(filled=True, opacity=1, size=MARK - 15).encode(
            x=x,
            y=y,
            tooltip=told(
                label="test",
                encoder="encoder",
                first="first",
                second="second",
                d_first=("d in the first", "+.2f"),
                low_first=("interval from", "+.2f"),
                high_first=("interval to", "+.2f"),
                d_second=("d in the second", "+.2f"),
                low_second=("interval of the second from", "+.2f"),
                high_second=("interval of the second to", "+.2f"),
            ),
            **looks,
        ),
    ]
    ends = {f"{end}_{which}": f"d_{which}" for which in ("first", "second") for end in ("low", "high")}
    return panels(layers, rows, 3, margin=AXES, height=220, ends=ends, between=": ")


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def grounded(found: Found) -> alt.FacetChart | None:
    """The 2×2 of each grounded test: mean s of X and of Y, with pictures of X and of Y.

    A panel for each test and encoder; panels of a test have one scale.
    """
    means = main_means(found.means)
    means = means[means["pooling"] == JOINT]
    if means.empty:
        return None
    labels = _labels(zip(means["suite"], means["test"], strict=True))
    rows: list[Row] = []
    for (suite, test), label in labels.items():
        names = found.categories.get((suite, test)) or {}
        own = means[(means["suite"] == suite) & (means["test"] == test)]
        for row in rows_of(own):
            for words, cells in ((X, ("x1", "x2")), (Y, ("y1", "y2"))):
                rows += [
                    {
                        "panel": f"{label}: {row.encoder}",
                        "label": label,
                        "encoder": row.encoder,
                        "words": f"words of {words}",
                        "words_are": names.get(words),
                        "pictures": f"of {pictures}",
                        "pictures_are": names.get(pictures),
                        "mean_s": plain(getattr(row, cell)),
                    }
                    for pictures, cell in zip((X, Y), cells, strict=True)
                ]
    looks = kinds("words", "mean over", [f"words of {words}" for words in (X, Y)])
    y = alt.Y("mean_s:Q", title="mean s", axis=alt.Axis(tickCount=5))
    x = alt.X(
        "pictures:N",
        title="seen with pictures",
        sort=[f"of {each}" for each in (X, Y)],
        axis=alt.Axis(labelAngle=0),
    )
    base = alt.Chart()
    layers = [
        line(y=0),
        base.mark_line(strokeWidth=1.5).encode(x=x, y=y, color=looks["color"]),
        base.mark_point(filled=True, opacity=1, size=MARK + 10).encode(
            x=x,
            y=y,
            tooltip=told(
                label="test",
                encoder="encoder",
                words="mean over",
                words_are="which are",
                pictures="pictures",
                pictures_are="which show",
                mean_s=("mean s", "+.3f"),
            ),
            **looks,
        ),
    ]
    reach = ["max(mean_s)", "min(mean_s)"]
    return with_shared_scales(layers, rows, 4, by="label", reach=reach, width=200, height=170, between=": ")

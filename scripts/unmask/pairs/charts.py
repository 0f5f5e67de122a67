"""Charts of bias scores: small panels with intervals, the band of chance and the line at 50."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd

from unmask.measures.registry import title_of
from unmask.pairs.published import scores
from unmask.pairs.verdicts import BEYOND, CONTROL, UNDECIDED, UNKNOWN, VERDICTS, WITHIN_NOISE, WITHIN_WORDS
from unmask.report.panels import (
    STEP,
    Row,
    claims,
    domain,
    having,
    kinds,
    line,
    names_down,
    of_row,
    panels,
    told,
)
from unmask.report.sheets import counted, rows_of
from unmask.report.study import Study
from unmask.statistics.schema import BIAS_TYPE, DIRECTION, OVERALL
from unmask.terms import ANTISTEREO, CORRECTED, STEREO

MARGIN = 104
"""Pixels for the names of measures, beside the panels."""

ON = " on "
"""Between the two lines of a panel's name."""

_CLAIMS = (WITHIN_NOISE, WITHIN_WORDS, BEYOND, UNKNOWN, UNDECIDED, CONTROL)
"""Verdicts in the order of their colours and shapes."""
_ALWAYS = (WITHIN_NOISE, WITHIN_WORDS, BEYOND)
"""Verdicts that a legend has though no score has them."""

_DRAWN = ("score", "low", "high", "words_low", "words_high", "untrained_low", "untrained_high", "reported")

_TOLD: Mapping[str, str | tuple[str, str]] = {
    "panel": "what",
    "side": "stereotypes",
    "measure": "measure",
    "score": ("score", ".1f"),
    "low": ("interval from", ".1f"),
    "high": ("interval to", ".1f"),
    "words_low": ("words alone from", ".1f"),
    "words_high": ("words alone to", ".1f"),
    "untrained_low": ("untrained from", ".1f"),
    "untrained_high": ("untrained to", ".1f"),
    "reported": ("reported", ".1f"),
    "reported_by": "by",
    "verdict": "distance from 50",
}

ADVANTAGED, DISADVANTAGED = "of advantaged groups (Adv)", "of disadvantaged groups (Dis)"
_SIDES: Mapping[str, str] = {ANTISTEREO: ADVANTAGED, STEREO: DISADVANTAGED}


def overview(study: Study, bias: pd.DataFrame, published: pd.DataFrame) -> alt.FacetChart | None:
    """Scores over all pairs, beside those that are published; a panel for each model and benchmark.

    bias, here and below: BIAS over the study, with the columns model, benchmark and verdict, of sentences in
    their original order; the protocol corrected is shown. published: what
    unmask.pairs.published.published_percents gives. None, here and below, where nothing has a score.
    """
    models = {model.name: model.published for model in study.models}
    benchmarks = {benchmark.name: benchmark.published for benchmark in study.benchmarks}
    reported = first_reported(published)
    rows = []
    for row in rows_of(shown(bias, OVERALL)):
        key = (models[row.model], benchmarks[row.benchmark], row.measure)
        beside = reported.get(key, {"reported": None, "reported_by": None})
        rows.append(_row(row, f"{row.model}{ON}{row.benchmark}") | beside)
    return _panels(rows, len({row["benchmark"] for row in rows}))


def bias_types(bias: pd.DataFrame) -> alt.FacetChart | None:
    """Scores of one model on one benchmark: a panel for each bias type."""
    return _panels(
        [_row(row, f"{row.group} ({counted(row.n)})") for row in rows_of(shown(bias, BIAS_TYPE))], 3
    )


def directions(bias: pd.DataFrame) -> alt.FacetChart | None:
    """Scores over stereotypes of advantaged and of disadvantaged groups; a panel for each model and
    benchmark that tells these apart."""
    rows = [
        _row(row, f"{row.model}{ON}{row.benchmark}") | {"side": _SIDES[row.group]}
        for row in rows_of(shown(bias, DIRECTION))
    ]
    return _panels(rows, 3, sides=True)


def first_reported(published: pd.DataFrame) -> dict[tuple[str | None, str | None, str], Row]:
    """What is published for scores over all pairs, and by whom, by published model and benchmark and measure:
    of several values the first of the file."""
    rows = scores(published[published["group"] == "all"])
    first = rows.drop_duplicates(["model", "benchmark", "measure"])
    return {
        (row.model, row.benchmark, row.measure): {"reported": row.percent, "reported_by": row.source}
        for row in rows_of(first)
    }


def shown(bias: pd.DataFrame, grouping: str) -> pd.DataFrame:
    """The rows of one grouping, protocol corrected, that have a score."""
    chosen = (bias["protocol"] == CORRECTED) & (bias["grouping"] == grouping)
    return bias[chosen & bias["score"].notna()]


def _row(row: Any, panel: str) -> Row:
    """A score as a row of a chart's data, under names that the charts here have for it."""
    return {
        "panel": panel,
        "model": str(row.model),
        "benchmark": str(row.benchmark),
        "group": str(row.group),
        "measure": title_of(str(row.measure)),
        "pairs": int(row.n),
        **of_row(row, "score", "low", "high", "untrained_low", "untrained_high"),
        **of_row(row, words_low="null_low", words_high="null_high"),
        "verdict": str(row.verdict),
    }


def _panels(rows: Sequence[Row], columns: int, sides: bool = False) -> alt.FacetChart | None:
    """Panels in rows of so many, in the order of the data; down each the measures, in theirs.

    sides: whether a measure has two scores, whose colours say which is which; else colours say what may be
    claimed of a score.
    """
    if not rows:
        return None
    y = names_down("measure", (row["measure"] for row in rows), MARGIN)
    # from 40 to 60 at least
    scale = alt.Scale(domain=domain(rows, _DRAWN, (40, 60), 5), nice=False, zero=False)

    def x(name: str) -> alt.X:
        # labels at the ends stay within their panel
        axis = alt.Axis(tickCount=5, labelFlush=True, labelBound=True)
        return alt.X(f"{name}:Q", title=None, scale=scale, axis=axis)

    both = (ADVANTAGED, DISADVANTAGED)
    apart = {"yOffset": alt.YOffset("side:N", sort=list(both))} if sides else {}
    looks = kinds("side", "stereotypes", both) if sides else _claims(rows)
    tips = told(**{name: title for name, title in _TOLD.items() if name in rows[0]})
    # bands first: what is drawn later lies over them
    base = alt.Chart()
    layers: list[alt.Chart] = []
    if not sides:
        layers.append(
            having("words_low")
            .mark_bar(style="chance", height=STEP - 4)
            .encode(x=x("words_low"), x2="words_high:Q", y=y)
        )
        layers.append(
            base.mark_rule(style="untrained").encode(x=x("untrained_low"), x2="untrained_high:Q", y=y)
        )
    layers.append(line(x=50))
    layers.append(
        base.mark_rule(strokeWidth=1.5).encode(x=x("low"), x2="high:Q", y=y, color=looks["color"], **apart)
    )
    if any(row.get("reported") is not None for row in rows):
        triangle = base.mark_point(style="reported", shape="triangle-up", size=70, opacity=1)
        layers.append(triangle.encode(x=x("reported"), y=y, tooltip=tips))
    points = base.mark_point(filled=True, opacity=1, size=55)
    layers.append(points.encode(x=x("score"), y=y, tooltip=tips, **looks, **apart))
    height = alt.Step(STEP * (2 if sides else 1), **{"for": "position"})
    # names of models and benchmarks hold no spaces
    drawn = panels(layers, rows, columns, margin=MARGIN, height=height, axes=("x",), between=ON)
    titled: alt.FacetChart = drawn.properties(title=_legend(rows, sides))
    return titled


def _legend(rows: Sequence[Mapping[str, Any]], sides: bool) -> alt.Title:
    """What is drawn, in lines that fit on a phone: a chart that is saved has no caption."""

    def there(name: str) -> bool:
        return any(row.get(name) is not None for row in rows)

    bands = not sides and there("words_low")
    marks = [
        *(["narrow bar: untrained networks"] if not sides and there("untrained_low") else []),
        *(["triangle: reported elsewhere"] if there("reported") else []),
    ]
    return alt.Title(
        "stereotype preferred, of 100 pairs",
        subtitle=[
            f"line: 50, no preference{'; broad band: what words alone give' if bands else ''}",
            *(["; ".join(marks)] if marks else []),
        ],
    )


def _claims(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    found = {row["verdict"] for row in rows}
    there = [verdict for verdict in VERDICTS if verdict in found or verdict in _ALWAYS]
    # a verdict looks the same whichever others there are
    return claims("verdict", "distance from 50", _CLAIMS, there)

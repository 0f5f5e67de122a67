"""Charts of bias scores: small panels with intervals, the band of chance and the line at 50."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd

from unmask.measures.registry import title_of
from unmask.pairs.published import Published
from unmask.pairs.verdicts import BEYOND, UNKNOWN, WITHIN_NOISE, WITHIN_WORDS
from unmask.report.sheets import counted, rows_of
from unmask.report.study import Named, Study
from unmask.statistics.schema import BIAS_TYPE, DIRECTION, OVERALL
from unmask.terms import ANTISTEREO, CORRECTED, STEREO

STEP = 17
"""Pixels from one measure to the next."""

WIDTH = 300
"""Pixels of a panel, where the page has no reason for another width."""

MARGIN = 104
"""Pixels for the names of measures, beside the panels."""

ON = " on "
"""Between the two lines of a panel's name."""

_CLAIMS = (WITHIN_NOISE, WITHIN_WORDS, BEYOND, UNKNOWN)
_SHAPES = ("circle", "diamond", "square", "cross")

PAPER = "Kaneko and Bollegala (2022)"

ADVANTAGED, DISADVANTAGED = "of advantaged groups (Adv)", "of disadvantaged groups (Dis)"
_SIDES: Mapping[str, str] = {ANTISTEREO: ADVANTAGED, STEREO: DISADVANTAGED}


def overview(study: Study, bias: pd.DataFrame, published: Published) -> alt.FacetChart | None:
    """Scores over all pairs, beside those that are published; a panel for each model and benchmark.

    bias, here and below: BIAS over the study, with the columns model, benchmark and verdict, of sentences in
    their original order; the protocol corrected is shown. None, here and below, where nothing has a score.
    """
    models = {model.name: model for model in study.models}
    benchmarks = {benchmark.name: benchmark for benchmark in study.benchmarks}
    rows = []
    for row in _shown(bias, OVERALL):
        found, by = reported(published, models[row.model], benchmarks[row.benchmark], row.measure)
        rows.append(_row(row, f"{row.model}{ON}{row.benchmark}") | {"reported": found, "reported_by": by})
    return _panels(rows, len({row["benchmark"] for row in rows}))


def bias_types(bias: pd.DataFrame) -> alt.FacetChart | None:
    """Scores of one model on one benchmark: a panel for each bias type."""
    return _panels([_row(row, f"{row.group} ({counted(row.n)})") for row in _shown(bias, BIAS_TYPE)], 3)


def directions(bias: pd.DataFrame) -> alt.FacetChart | None:
    """Scores over stereotypes of advantaged and of disadvantaged groups; a panel for each model and
    benchmark that tells these apart."""
    rows = [
        _row(row, f"{row.model}{ON}{row.benchmark}") | {"side": _SIDES[row.group]}
        for row in _shown(bias, DIRECTION)
    ]
    return _panels(rows, 3, sides=True)


def reported(
    published: Published, model: Named, benchmark: Named, measure: str
) -> tuple[float | None, str | None]:
    """What is published for a score over all pairs, in percent, and by whom: the paper, else the first who
    has it."""
    of_paper = published.score(model.published, benchmark.published, measure)
    if of_paper is not None:
        return of_paper, PAPER
    for peer in published.peers(model.published, benchmark.published):
        if (peer.measure, peer.group) == (measure, "all"):
            return peer.percent, peer.source
    return None, None


def _shown(bias: pd.DataFrame, grouping: str) -> list[Any]:
    """The rows of one grouping, protocol corrected, that have a score."""
    chosen = (bias["protocol"] == CORRECTED) & (bias["grouping"] == grouping)
    return rows_of(bias[chosen & bias["score"].notna()])


def _row(row: Any, panel: str) -> dict[str, Any]:
    """A score as a row of a chart's data, under names that the charts here have for it."""
    values = {
        "score": row.score,
        "low": row.low,
        "high": row.high,
        "words_low": row.null_low,
        "words_high": row.null_high,
        "untrained_low": row.untrained_low,
        "untrained_high": row.untrained_high,
    }
    return {
        "panel": panel,
        "model": str(row.model),
        "benchmark": str(row.benchmark),
        "group": str(row.group),
        "measure": title_of(str(row.measure)),
        "pairs": int(row.n),
        **{name: None if pd.isna(value) else float(value) for name, value in values.items()},
        "verdict": str(row.verdict),
    }


def _panels(rows: Sequence[dict[str, Any]], columns: int, sides: bool = False) -> alt.FacetChart | None:
    """Panels in rows of so many, in the order of the data; down each the measures, in theirs.

    sides: whether a measure has two scores, whose colours say which is which; else colours say what may be
    claimed of a score.
    """
    if not rows:
        return None
    measures = list(dict.fromkeys(row["measure"] for row in rows))
    y = alt.Y("measure:N", sort=measures, title=None, axis=_names())
    scale = _scale(rows)

    def x(name: str) -> alt.X:
        # labels at the ends stay within their panel
        axis = alt.Axis(tickCount=5, labelFlush=True, labelBound=True)
        return alt.X(f"{name}:Q", title=None, scale=scale, axis=axis)

    apart = {"yOffset": alt.YOffset("side:N", sort=[ADVANTAGED, DISADVANTAGED])} if sides else {}
    colour, shape = _sides() if sides else _claims(rows)
    # bands first: what is drawn later lies over them
    base = alt.Chart()
    layers: list[alt.Chart] = []
    if not sides:
        layers.append(
            base.mark_bar(style="chance", height=STEP - 4).encode(x=x("words_low"), x2="words_high:Q", y=y)
        )
        layers.append(
            base.mark_rule(style="untrained").encode(x=x("untrained_low"), x2="untrained_high:Q", y=y)
        )
    layers.append(base.mark_rule(style="neutral").encode(x=alt.XDatum(50)))
    layers.append(base.mark_rule(strokeWidth=1.5).encode(x=x("low"), x2="high:Q", y=y, color=colour, **apart))
    if any(row.get("reported") is not None for row in rows):
        layers.append(
            base.mark_point(style="reported", shape="triangle-up", size=70, opacity=1).encode(
                x=x("reported"), y=y, tooltip=_tooltips(rows[0])
            )
        )
    layers.append(
        base.mark_point(filled=True, opacity=1, size=55).encode(
            x=x("score"), y=y, color=colour, shape=shape, tooltip=_tooltips(rows[0]), **apart
        )
    )
    drawn: alt.FacetChart = (
        alt.layer(*layers)
        .properties(width=WIDTH, height=alt.Step(STEP * (2 if sides else 1), **{"for": "position"}))
        .facet(
            data=alt.InlineData(values=list(rows)),
            facet=alt.Facet(
                "panel:N",
                title=None,
                sort=alt.EncodingSortField("place", op="min"),
                # names of models and benchmarks hold no spaces
                header=alt.Header(labelExpr=f"split(datum.label, '{ON}')"),
            ),
            columns=min(columns, len({row["panel"] for row in rows})),
            spacing={"row": 14, "column": 18},
        )
        # in the order of the data
        .transform_window(place="row_number()")
        .resolve_axis(x="independent")
        .properties(usermeta={"margin": MARGIN}, title=_legend(rows, sides))
    )

    return drawn


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


def _names() -> alt.Axis:
    return alt.Axis(labelLimit=MARGIN - 8, minExtent=MARGIN, maxExtent=MARGIN)


def _scale(rows: Sequence[Mapping[str, Any]]) -> alt.Scale:
    """From 40 to 60 at least, and as far as anything reaches, in steps of five."""
    kinds = ("score", "low", "high", "words_low", "words_high", "untrained_low", "untrained_high", "reported")
    reached = [row[kind] for row in rows for kind in kinds if row.get(kind) is not None]
    return alt.Scale(
        domain=[min(40, 5 * int(min(reached) // 5)), max(60, 5 * -int(-max(reached) // 5))],
        nice=False,
        zero=False,
    )


def _claims(rows: Sequence[Mapping[str, Any]]) -> tuple[alt.Color, alt.Shape]:
    found = {row["verdict"] for row in rows}
    claims = [claim for claim in _CLAIMS if claim in found or claim != UNKNOWN]
    return (
        alt.Color("verdict:N", title="distance from 50", scale=alt.Scale(domain=claims, range="ordinal")),
        alt.Shape(
            "verdict:N",
            title="distance from 50",
            scale=alt.Scale(domain=claims, range=_SHAPES[: len(claims)]),
        ),
    )


def _sides() -> tuple[alt.Color, alt.Shape]:
    sides = [ADVANTAGED, DISADVANTAGED]
    return (
        alt.Color("side:N", title="stereotypes", scale=alt.Scale(domain=sides, range="category")),
        alt.Shape("side:N", title="stereotypes", scale=alt.Scale(domain=sides, range=["circle", "square"])),
    )


def _tooltips(row: Mapping[str, Any]) -> list[alt.Tooltip]:
    named = {
        "panel": "what",
        "side": "stereotypes",
        "measure": "measure",
        "score": "score",
        "low": "interval from",
        "high": "interval to",
        "words_low": "words alone from",
        "words_high": "words alone to",
        "untrained_low": "untrained from",
        "untrained_high": "untrained to",
        "reported": "reported",
        "reported_by": "by",
        "verdict": "distance from 50",
    }
    texts = {"panel", "side", "measure", "reported_by", "verdict"}
    return [
        alt.Tooltip(f"{name}:N", title=title)
        if name in texts
        else alt.Tooltip(f"{name}:Q", title=title, format=".1f")
        for name, title in named.items()
        if name in row
    ]

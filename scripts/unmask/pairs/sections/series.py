"""One model in many states: how far each state has moved from the first."""

from collections.abc import Iterator

import altair as alt
import pandas as pd

from unmask.measures.names import title_of
from unmask.pairs.charts import AT_50, ON, first_reported, known_scores
from unmask.pairs.results import PairResults
from unmask.report.charts import chart
from unmask.report.declared_tables import Column, Table, with_marks
from unmask.report.findings import Finding, Row, records, sentences
from unmask.report.forms import Axis, Grid, response
from unmask.report.panels import by_value, columns_of, ends_of
from unmask.report.sections import MODEL_AND_BENCHMARK, Fold, Section, chosen, folded
from unmask.report.sheets import rows_of
from unmask.report.table_files import TableAndSheet
from unmask.statistics.decisions import NO_PREFERENCE
from unmask.statistics.schema import OVERALL
from unmask.terms import CORRECTED

MOST = 4
"""Of so many series and benchmarks there are sentences each; the table has all."""

WIDTH = 340
"""Pixels of a panel, which has the names of states below it."""

SERIES = Table(
    "series",
    ["series", "benchmark", "title", "state"],
    [
        Column(
            "score", "{score:.1f}", "Its bias score in percent, over the pairs that count for all states."
        ),
        Column(
            "less the first",
            "{difference:+.1f}{mark}[ ({low:+.1f} to {high:+.1f})]",
            "Its score less that of the first state, in points, with its interval.",
        ),
        Column("p", "{p:p}", "Two-sided p of no difference."),
        Column("Holm", "{p_holm:p}", "The same as p, after Holm's correction over the study."),
        Column("changed", "{changed}", "Pairs that are decided otherwise than by the first state."),
        Column("beyond", "{beyond}", "Those of them that float error cannot have turned."),
        Column("of", "{n}", "Pairs that count for all states."),
    ],
    heads={"title": "measure"},
)

ALT = (
    "Bias scores of the states of a model from first to last, with intervals, before the band of word choice "
    "alone and the line at 50; the numbers are in the table below."
)


def table(results: PairResults) -> TableAndSheet:
    """Every state of every series, protocol corrected."""
    rows = with_marks(_corrected(results), results.alpha)
    rows = rows.assign(title=rows["measure"].map(title_of))
    return results.states, SERIES.captioned(rows, results.captions)


def scores(results: PairResults) -> pd.DataFrame:
    """The bias scores of all states, first ones included: with series, state, title, and what others report
    of the same state in percent (reported, reported_by)."""
    published = first_reported(results.published)
    names = {model.name: model.published for model in results.study.models}
    benchmarks = {benchmark.name: benchmark.published for benchmark in results.study.benchmarks}
    rows = known_scores(results.original, OVERALL)
    parts = []
    for series, states in results.series.items():
        part = by_value(rows, "model", states.values())
        state_of = {model: state for state, model in states.items()}
        parts.append(part.assign(series=series, state=part["model"].map(state_of)))
    frame = pd.concat(parts, ignore_index=True)
    known = [
        published.get((names[row.model], benchmarks[row.benchmark], row.measure), (None, None))
        for row in rows_of(frame)
    ]
    return frame.assign(
        title=frame["measure"].map(title_of),
        reported=pd.Series([score for score, _ in known], frame.index, float),
        reported_by=pd.Series([by for _, by in known], frame.index, object),
    )


def picture(results: PairResults) -> alt.FacetChart | None:
    """The headline measure by state, a panel for each series and benchmark."""
    rows = results.of_headline(scores(results))
    return _lines(rows, rows["series"] + ON + rows["benchmark"].astype(str))


def _lines(rows: pd.DataFrame, panel: "pd.Series[str]") -> alt.FacetChart | None:
    frame = columns_of(
        rows,
        *("series", "model", "state", "title", "score", "low", "high", "reported", "reported_by"),
        panel=panel,
        words_low="null_low",
        words_high="null_high",
    )
    # a state by itself is no series
    frame = frame[frame.groupby("panel")["state"].transform("nunique") > 1]
    titles = frame["title"].unique()
    what = f"{titles[0]}: " if len(titles) == 1 else ""
    tips = (
        ("panel", "what"),
        ("state", "state"),
        ("title", "measure"),
        ("score", "score", ".1f"),
        *ends_of(".1f"),
        *ends_of(".1f", "words_low", "words_high", "word choice alone"),
        ("reported", "reported", ".1f"),
        ("reported_by", "by"),
    )
    return response(
        frame,
        Axis(None, independent=True),
        Axis(None, line=NO_PREFERENCE, span=(45, 55)),
        tips,
        dose="state",
        value="score",
        broad=("words_low", "words_high"),
        reported="reported",
        grid=Grid(
            2,
            width=WIDTH,
            between=ON,
            title=f"{what}stereotype preferred, of 100 pairs",
            subtitle=[AT_50],
        ),
    )


def moves(results: PairResults) -> Iterator[Row]:
    """How many differences there are, and how many are clear: in series of trained models, where there are
    some."""
    rows = _corrected(results)
    if results.trained_series:
        rows = rows[rows["series"].isin(results.trained_series)]
    yield {
        "tested": int(rows["p"].notna().sum()),
        "clear": int((rows["p_holm"] < results.alpha).sum()),
        "changed": int(rows["changed"].sum()),
        "alpha": results.alpha,
    }


def furthest(results: PairResults) -> Iterator[Row]:
    """The state that has moved furthest, of each series and benchmark under the headline measure."""
    rows = _corrected(results)
    for (series, _), part in list(rows.groupby(["series", "benchmark"], sort=False, observed=True))[:MOST]:
        first_model = next(iter(results.series[str(series)].values()))
        part = part[part["measure"].astype(str) == results.headline_of(first_model)]
        if len(part):
            size = part["difference"].abs()
            (row,) = records(part[size == size.max()].head(1))
            ends = {"low": row["low"], "high": row["high"]}
            yield row | {"title": title_of(row["measure"]), "others": len(part) - 1, "ends": ends}


MOVES = Finding(
    "differences of states",
    moves,
    """{% if tested %}{{ clear or "None" }} of {{ tested | counted("difference") }} between a state and the
    first of its series {{ clear | many("is", "are") }} clear ({{ say.significant(alpha) }}).
    {%- elif changed %}No difference between a state and the first of its series can be tested.
    {%- else %}No state decides any pair otherwise than the first of its series does, under any measure.
    {%- endif %}""",
)

FURTHEST = Finding(
    "furthest state",
    furthest,
    """{% if changed %}On {{ benchmark }}, {{ title }} of {{ series }} moves by
    {{ difference | number(1, True) }} points
    {%- if ends.low is not none %} ({{ ends | ends(1, True) }}){% endif %}
    from {{ first }} to {{ state }}{% if others %}, its furthest state{% endif %}. There {{ changed }} of
    {{ n | counted("pair") }} {{ changed | many("is", "are") }} decided otherwise,
    {{ beyond | none }} of them beyond float error.
    {%- else %}On {{ benchmark }}, {{ title }} decides no pair otherwise in any state of {{ series }}.
    {%- endif %}""",
)


def section(results: PairResults) -> Section:
    drawn = picture(results)
    charts = (chart(results.captions["series_chart"], ALT, drawn),) if drawn else ()
    said = sentences([MOVES, FURTHEST], results)
    return Section(
        "series",
        "One model, many states",
        said,
        (
            *charts,
            *chosen(MODEL_AND_BENCHMARK, list(_folds(results))),
            *folded("States against the first of their series", table(results)[1]),
            results.captions.computed("series"),
        ),
        label="States",
        closing=tuple(said[:2]),
    )


def _folds(results: PairResults) -> Iterator[Fold]:
    """Every measure of one series on one benchmark."""
    rows = scores(results)
    for (series, benchmark), part in rows.groupby(["series", "benchmark"], sort=False, observed=True):
        drawn = _lines(part, part["title"]) if part["measure"].nunique() > 1 else None
        if drawn:
            title = f"{series} on {benchmark}: every measure"
            yield Fold(title, (chart(f"{title}. {results.captions['series_chart']}", ALT, drawn),))


def _corrected(results: PairResults) -> pd.DataFrame:
    return results.states[results.states["protocol"] == CORRECTED]

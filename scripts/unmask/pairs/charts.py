"""Charts of bias scores: small panels with intervals, the band of chance and the line at 50."""

import math
from collections.abc import Mapping, Sequence

import altair as alt
import pandas as pd

from unmask.measures.names import title_of
from unmask.pairs.published import scores
from unmask.pairs.verdicts import (
    BY_WORDS,
    CANNOT_TELL,
    CLEAR,
    CONTROL,
    IN_EVERY_LEGEND,
    NO_CLEAR,
    VERDICTS,
)
from unmask.report.forms import Axis, Beside, Grid, Kinds, forest
from unmask.report.panels import Tips, columns_of, ends_of
from unmask.report.sheets import counted, rows_of
from unmask.report.study import Study
from unmask.statistics.decisions import NO_PREFERENCE
from unmask.statistics.schema import BIAS_TYPE, DIRECTION, OVERALL
from unmask.terms import ANTISTEREO, CORRECTED, STEREO

ON = " on "
"""Between the two lines of a panel's name."""

HEADLINE_WIDTH = 220
"""Pixels of a panel of the first picture, which has words below its scale."""

_CLAIMS = (NO_CLEAR, BY_WORDS, CLEAR, CANNOT_TELL, CONTROL)
"""Verdicts in the order of their colours and shapes."""

_TIPS: Tips = (
    ("panel", "what"),
    ("side", "stereotypes"),
    ("measure", "measure"),
    ("score", "score", ".1f"),
    *ends_of(".1f"),
    *ends_of(".1f", "words_low", "words_high", "word choice alone"),
    *ends_of(".1f", "untrained_low", "untrained_high", "untrained"),
    ("reported", "reported", ".1f"),
    ("reported_by", "by"),
    ("verdict", "verdict"),
)

ADVANTAGED, DISADVANTAGED = "of advantaged groups (Adv)", "of disadvantaged groups (Dis)"
_SIDES: Mapping[str, str] = {ANTISTEREO: ADVANTAGED, STEREO: DISADVANTAGED}


AT_50 = "line: 50, no preference"
DIRECTIONS_OF_SCORES = "← antistereotype  |  stereotype →"
"""Below a scale whose middle is 50."""


def headline(scores: pd.DataFrame, confidence: str) -> alt.FacetChart | None:
    """The scores of one measure, a panel for each benchmark with the models down its rows; of several
    measures, of one model, these.

    scores: those of unmask.pairs.answer.pictured. confidence: of their intervals, in percent.
    """
    models, measures = scores["who"].unique(), scores["title"].unique()
    names = scores["who"] if len(measures) == 1 else scores["title"]
    if len(models) > 1 and len(measures) > 1:
        names = scores["who"] + ", " + scores["title"]
    frame = _frame(scores, scores["benchmark"].astype(str).tolist()).assign(name=names)
    if frame.empty:
        return None
    numbers = frame[["score", "low", "high", "words_low", "words_high"]].astype(float)
    # 50 is in the middle, where the words below the scale part
    reach = max(10.0, 5 * math.ceil((numbers - NO_PREFERENCE).abs().max().max() / 5))
    what = measures[0] if len(measures) == 1 else models[0] if len(models) == 1 else "Headline measures"
    known = {name for name in frame if frame[name].notna().any()}
    lines = [
        f"{confidence}% intervals; {AT_50}" if "low" in known else AT_50,
        *(["band: word choice alone"] if "words_low" in known else []),
    ]
    return forest(
        frame,
        Axis(
            DIRECTIONS_OF_SCORES,
            line=NO_PREFERENCE,
            span=(NO_PREFERENCE - reach, NO_PREFERENCE + reach),
            step=5,
        ),
        [tip for tip in _TIPS if tip[0] in frame],
        name="name",
        value="score",
        kinds=_verdicts_of(frame),
        broad=("words_low", "words_high"),
        narrow=("untrained_low", "untrained_high"),
        grid=Grid(
            2,
            width=HEADLINE_WIDTH,
            title=f"{what}: stereotype preferred (%)",
            subtitle=lines,
        ),
    )


def overview(study: Study, bias: pd.DataFrame, published: pd.DataFrame) -> alt.FacetChart | None:
    """Scores over all pairs, beside those that are published; a panel for each model and benchmark.

    bias, here and below: BIAS over the study, with the columns model, benchmark and verdict, of sentences in
    their original order; the protocol corrected is shown. published: what
    unmask.pairs.published.published_percents gives. None, here and below, where nothing has a score.
    """
    models = {model.name: model.published for model in study.models}
    benchmarks = {benchmark.name: benchmark.published for benchmark in study.benchmarks}
    reported = first_reported(published)
    rows = known_scores(bias, OVERALL)
    known = [
        reported.get((models[row.model], benchmarks[row.benchmark], row.measure), (None, None))
        for row in rows_of(rows)
    ]
    frame = _frame(rows, _of_model(rows)).assign(
        reported=pd.Series([score for score, _ in known], rows.index, float),
        reported_by=pd.Series([by for _, by in known], rows.index, object),
    )
    return _panels(frame, rows["benchmark"].nunique())


def bias_types(bias: pd.DataFrame) -> alt.FacetChart | None:
    """Scores of one model on one benchmark: a panel for each bias type."""
    rows = known_scores(bias, BIAS_TYPE)
    return _panels(_frame(rows, [f"{row.group} ({counted(row.n)})" for row in rows_of(rows)]), 3)


def directions(bias: pd.DataFrame) -> alt.FacetChart | None:
    """Scores over stereotypes of advantaged and of disadvantaged groups; a panel for each model and
    benchmark that tells these apart."""
    rows = known_scores(bias, DIRECTION)
    return _panels(_frame(rows, _of_model(rows)).assign(side=rows["group"].map(_SIDES)), 3)


def first_reported(
    published: pd.DataFrame,
) -> dict[tuple[str | None, str | None, str], tuple[float | None, str | None]]:
    """What is published for scores over all pairs, and by whom, by published model and benchmark and measure:
    of several values the first of the file."""
    rows = scores(published[published["group"] == "all"])
    first = rows.drop_duplicates(["model", "benchmark", "measure"])
    return {(row.model, row.benchmark, row.measure): (row.percent, row.source) for row in rows_of(first)}


def known_scores(bias: pd.DataFrame, grouping: str) -> pd.DataFrame:
    """The rows of one grouping, protocol corrected, that have a score."""
    chosen = (bias["protocol"] == CORRECTED) & (bias["grouping"] == grouping)
    return bias[chosen & bias["score"].notna()]


def _of_model(rows: pd.DataFrame) -> list[str]:
    # names of models and benchmarks hold no spaces
    return [f"{row.model}{ON}{row.benchmark}" for row in rows_of(rows)]


def _frame(rows: pd.DataFrame, panel: Sequence[str]) -> pd.DataFrame:
    """Scores as a chart's data, under names that the charts here have for them."""
    return columns_of(
        rows,
        *("model", "benchmark", "group", "score", "low", "high", "untrained_low", "untrained_high"),
        "verdict",
        panel=panel,
        measure=rows["measure"].map(title_of),
        pairs="n",
        words_low="null_low",
        words_high="null_high",
    )


def _verdicts_of(frame: pd.DataFrame) -> Kinds:
    """Colours and shapes of verdicts: each looks the same whichever others there are."""
    there = {*frame["verdict"], *IN_EVERY_LEGEND}
    return Kinds(
        "verdict",
        "verdict",
        _CLAIMS,
        claimed=True,
        listed=[verdict for verdict in VERDICTS if verdict in there],
    )


def _panels(frame: pd.DataFrame, columns: int) -> alt.FacetChart | None:
    """Down each panel the measures. Where a measure has two scores, of either side, colours say which is
    which; else what may be claimed of a score."""
    known = {name for name in frame if frame[name].notna().any()}
    sides = "side" in frame
    kinds = Kinds("side", "stereotypes", (ADVANTAGED, DISADVANTAGED)) if sides else _verdicts_of(frame)
    # what is drawn, in lines that fit on a phone: a chart that is saved has no caption
    bands = "; broad band: word choice alone" if not sides and "words_low" in known else ""
    marks = [
        *(["narrow bar: untrained networks"] if not sides and "untrained_low" in known else []),
        *(["triangle: reported elsewhere"] if "reported" in known else []),
    ]
    return forest(
        frame,
        Axis(None, line=50, span=(40, 60), step=5),
        [tip for tip in _TIPS if tip[0] in frame],
        name="measure",
        value="score",
        kinds=kinds,
        apart="side" if sides else None,
        broad=None if sides else ("words_low", "words_high"),
        narrow=None if sides else ("untrained_low", "untrained_high"),
        beside=[Beside("reported", "triangle", "reported")] if "reported" in frame else [],
        grid=Grid(
            columns,
            between=ON,
            title="stereotype preferred, of 100 pairs",
            subtitle=[f"{AT_50}{bands}", *(["; ".join(marks)] if marks else [])],
        ),
    )

"""Charts of bias scores, in small panels with intervals, the band of word choice and the line at 50; and the
paper's Figure 1."""

import math

import altair as alt
import pandas as pd

from unmask.measures.formulas import title_of
from unmask.pairs.results import TESTABLE, VERDICTS
from unmask.report.forms import Axis, Beside, Grid, Kinds, forest, only, panels, scatter, tooltips
from unmask.report.tables import columns_of, in_order, records, rows_of
from unmask.report.wording import counted
from unmask.statistics.schema import NO_PREFERENCE

ON = " on "
"""Between the two lines of a panel's name."""

_COLUMNS = ("model", "benchmark", "group", "score", "low", "high", "untrained_low", "untrained_high")

TITLE = "stereotype preferred, of 100 pairs"
AT_50 = "line: 50, no preference"

FALSE_RATE, TRUE_RATE = "false_positive_rate", "true_positive_rate"


def headline(scores: pd.DataFrame) -> alt.FacetChart | None:
    """The scores of one measure, a panel for each benchmark with the models down its rows; of several
    measures, of one model, these.

    scores: those of unmask.pairs.answer.pictured.
    """
    models, measures = scores["who"].unique(), scores["title"].unique()
    names = scores["who"] if len(measures) == 1 else scores["title"]
    if len(models) > 1 and len(measures) > 1:
        names = scores["who"] + ", " + scores["title"]
    what = measures[0] if len(measures) == 1 else models[0] if len(models) == 1 else "Headline measures"
    frame = _frame(scores, scores["benchmark"].astype(str)).assign(name=names)
    return _panels(frame, 2, name="name", title=f"{what}: {TITLE}")


def overview(rows: pd.DataFrame) -> alt.FacetChart | None:
    """Scores over all pairs, beside those that are published; a panel for each model and benchmark.

    rows, here and below: of BIAS over the study, with model, benchmark and verdict, of one protocol; reported
    and reported_by as unmask.pairs.printed.with_reported has them. None, here and below, where nothing has a
    score.
    """
    # names of models and benchmarks hold no spaces
    panel = rows["model"].astype(str) + ON + rows["benchmark"].astype(str)
    return _panels(_frame(rows, panel), rows["benchmark"].nunique())


def bias_types(rows: pd.DataFrame) -> alt.FacetChart | None:
    """Scores of one model on one benchmark: a panel for each bias type."""
    panel = pd.Series([f"{row.group} ({counted(row.n)})" for row in rows_of(rows)], rows.index, dtype="str")
    return _panels(_frame(rows, panel), 3)


def states(rows: pd.DataFrame) -> alt.FacetChart | None:
    """Scores by state of a model; a panel for each value of `panel`.

    rows: as above, with panel and state.
    """
    frame = _frame(rows, rows["panel"]).assign(state=rows["state"])
    # a state by itself is no series
    frame = frame[frame.groupby("panel")["state"].transform("nunique") > 1]
    return scatter(
        frame,
        Axis(None, independent=True),
        Axis(None, line=NO_PREFERENCE, span=(45, 55)),
        across="state",
        up="score",
        joined=True,
        broad=("words_low", "words_high"),
        reported="reported",
        grid=Grid(2, width=340, between=ON, title=TITLE, subtitle=[AT_50]),
    )


def _frame(rows: pd.DataFrame, panel: "pd.Series[str]") -> pd.DataFrame:
    """Scores as a chart's data, under names that the charts here have for them."""
    return columns_of(
        rows,
        *(*_COLUMNS, "verdict", *(name for name in ("reported", "reported_by") if name in rows)),
        panel=panel,
        measure=rows["measure"].map(title_of),
        pairs="n",
        words_low="null_low",
        words_high="null_high",
    )


def _panels(
    frame: pd.DataFrame, columns: int, name: str = "measure", title: str = TITLE
) -> alt.FacetChart | None:
    """Down each panel the measures, or other names. Colours say what may be claimed of a score."""
    if frame.empty:
        return None
    numbers = frame[["score", "low", "high", "words_low", "words_high"]].astype(float)
    # 50 is in the middle, where the words below the scale part
    reach = max(10.0, 5 * math.ceil((numbers - NO_PREFERENCE).abs().max().max() / 5))
    # each verdict looks the same whichever others there are
    there = {*frame["verdict"], *TESTABLE}
    verdicts = [verdict for verdict in VERDICTS if verdict in there]
    marks = {
        "words_low": "band: word choice alone",
        "untrained_low": "narrow bar: untrained networks",
        "reported": "triangle: reported elsewhere",
    }
    known = [said for column, said in marks.items() if column in frame and frame[column].notna().any()]
    return forest(
        frame,
        Axis("← antistereotype  |  stereotype →", line=NO_PREFERENCE, span=(50 - reach, 50 + reach), step=5),
        name=name,
        value="score",
        kinds=Kinds("verdict", "verdict", VERDICTS, claimed=True, listed=verdicts),
        broad=("words_low", "words_high"),
        narrow=("untrained_low", "untrained_high"),
        beside=[Beside("reported", "triangle", "reported")] if "reported" in frame else [],
        # lines that fit on a phone: a chart that is saved has no caption
        grid=Grid(columns, between=ON, title=title, subtitle=["; ".join([AT_50, *known[:1]]), *known[1:]]),
    )


def figure1(rows: pd.DataFrame) -> alt.FacetChart:
    """The paper's Figure 1: a panel for each ROC curve, at most four in a row.

    rows: of unmask.pairs.printed.curves; of one model and benchmark alone a panel does not name these.
    """
    several = len(rows[["model", "benchmark"]].drop_duplicates()) > 1
    of = "\n" + rows["model"].astype(str) + ON + rows["benchmark"].astype(str)
    rows = rows.assign(panel=rows["title"] + of if several else rows["title"])
    # scores that know nothing of the ratings lie on the diagonal
    corners = pd.DataFrame({FALSE_RATE: [0.0, 1.0], TRUE_RATE: [0.0, 1.0]})
    diagonal = rows.drop(columns=[FALSE_RATE, TRUE_RATE]).drop_duplicates().merge(corners, how="cross")
    frame = pd.concat([diagonal.assign(drawn="chance"), rows.assign(drawn="curve")], ignore_index=True)
    frame = in_order(frame.assign(measure=frame["measure"].map(title_of)), panel=rows["panel"].unique())
    scale, ticks = alt.Scale(domain=[0, 1], nice=False), [0, 0.2, 0.4, 0.6, 0.8, 1]
    across, up = alt.Axis(values=ticks), alt.Axis(values=ticks, minExtent=44, maxExtent=44)
    axes = {
        "x": alt.X(f"{FALSE_RATE}:Q", title="false positive rate", scale=scale, axis=across),
        "y": alt.Y(f"{TRUE_RATE}:Q", title="true positive rate", scale=scale, axis=up),
    }
    chance, curve = (alt.Chart().transform_filter(only("drawn", each)) for each in ("chance", "curve"))
    # in the order of its points: it may rise straight up
    line = curve.mark_line(style="single", strokeWidth=1.8).encode(
        **axes,
        order=alt.Order("place:Q"),
        tooltip=tooltips(frame[["measure", FALSE_RATE, TRUE_RATE]]),
    )
    layers = [chance.mark_line(style="neutral", strokeDash=[3, 3]).encode(**axes), line]
    grid = Grid(min(4, frame["measure"].nunique()), width=240, height=240)
    return panels(layers, records(frame), grid, margin=60)

"""Agreement with human raters: the ROC curves of Figure 1, and the areas under them."""

from collections.abc import Iterator

import altair as alt
import pandas as pd

from unmask.measures.formulas import sees_context, title_of
from unmask.pairs.results import PairResults
from unmask.report.panels import by_value, only, panels, records, tooltips
from unmask.report.sheets import interval, number, rows_of
from unmask.report.topics import Topic
from unmask.report.wording import span
from unmask.terms import PUBLISHED

SIZE = 240
"""Pixels of a panel of curves, either way, where the page has no reason for another width."""

NUMBERS, BESIDE = 44, 60
"""Pixels for the numbers beside these panels, and for these with their title."""

CHANCE = 0.5
"""The area of scores that know nothing of the ratings."""

FALSE, TRUE = "false_positive_rate", "true_positive_rate"
KEYS = ["model", "benchmark", "measure"]


AT_ONCE = 4
"""So many panels stand in a row at most, as in the paper's figure."""


def chosen(results: PairResults, protocol: str) -> pd.DataFrame:
    """The areas of one protocol, without controls; the pairs of a world nobody rated."""
    rows = results.agreement[results.agreement["protocol"] == protocol]
    rated = [each.name for each in results.study.benchmarks if each.world is None]
    sees = rows["measure"].astype(str).map(sees_context).astype(bool)
    return rows[sees & rows["auc"].notna() & rows["benchmark"].isin(rated)]


def says(results: PairResults) -> Iterator[str]:
    """How large the areas of trained models are, and how many intervals exclude chance."""
    areas = results.study.of_trained(chosen(results, PUBLISHED))
    if len(areas):
        known = areas[areas["low"].notna()]
        off = int((known["low"].gt(CHANCE) | known["high"].lt(CHANCE)).sum())
        yield f"{off} of {len(known)} areas under the ROC curve have intervals that exclude chance (0.5)."
        yield (
            "Given one pair that raters call biased and one they do not, models rank the first higher with "
            f"probability {span(areas['auc'].min(), areas['auc'].max())}."
        )


def curves(results: PairResults) -> pd.DataFrame:
    """The ROC curves, points and panels, protocol published as in the paper."""
    rows = chosen(results, PUBLISHED)
    titles = [
        f"{title_of(str(row.measure))}: area {number(row.auc)}"
        + (f" ({interval(row.low, row.high, 2)})" if pd.notna(row.low) else "")
        for row in rows_of(rows)
    ]
    of = rows[KEYS].assign(title=titles)
    roc = results.roc
    return of.merge(roc.loc[roc["protocol"] == PUBLISHED, [*KEYS, FALSE, TRUE]], on=KEYS)


def figure1(rows: pd.DataFrame) -> alt.FacetChart | None:
    """A panel for each curve, in rows of as many as there are measures. None where there is no curve.

    rows: of `curves`; of one model and benchmark alone a panel does not name these.
    """
    if rows.empty:
        return None
    several = len(rows[["model", "benchmark"]].drop_duplicates()) > 1
    of = "\n" + rows["model"].astype(str) + " on " + rows["benchmark"].astype(str)
    rows = rows.assign(panel=rows["title"] + of if several else rows["title"])
    # scores that know nothing of the ratings lie on the diagonal
    corners = pd.DataFrame({FALSE: [0.0, 1.0], TRUE: [0.0, 1.0]})
    diagonal = rows.drop(columns=[FALSE, TRUE]).drop_duplicates().merge(corners, how="cross")
    frame = pd.concat([diagonal.assign(drawn="chance"), rows.assign(drawn="curve")], ignore_index=True)
    frame = by_value(frame.assign(measure=frame["measure"].map(title_of)), "panel")
    scale = alt.Scale(domain=[0, 1], nice=False)
    ticks = [0, 0.2, 0.4, 0.6, 0.8, 1]
    x = alt.X(f"{FALSE}:Q", title="false positive rate", scale=scale, axis=alt.Axis(values=ticks))
    axis = alt.Axis(values=ticks, minExtent=NUMBERS, maxExtent=NUMBERS)
    y = alt.Y(f"{TRUE}:Q", title="true positive rate", scale=scale, axis=axis)
    chance, curve = (alt.Chart().transform_filter(only("drawn", each)) for each in ("chance", "curve"))
    # in the order of its points: it may rise straight up
    line = curve.mark_line(style="single", strokeWidth=1.8).encode(
        x=x, y=y, order=alt.Order("place:Q"), tooltip=tooltips(frame[["measure", FALSE, TRUE]])
    )
    columns = min(AT_ONCE, frame["measure"].nunique())
    layers = [chance.mark_line(style="neutral", strokeDash=[3, 3]).encode(x=x, y=y), line]
    return panels(layers, records(frame), columns, margin=BESIDE, width=SIZE, height=SIZE)


AGREEMENT = Topic[PairResults](
    "agreement",
    "Figure 1 of the paper: agreement with human raters",
    curves,
    chart=figure1,
    each=("model", "benchmark"),
    says=says,
    file="figure1",
)

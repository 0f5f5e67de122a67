"""Where the measures of a model disagree: a picture of every two, and those furthest apart."""

from collections.abc import Iterator
from urllib.parse import quote, urlencode

import altair as alt
import pandas as pd

from unmask.measures.names import title_of
from unmask.pairs.comparisons import of_context
from unmask.pairs.results import PairResults
from unmask.report.findings import Finding, Row, records
from unmask.report.panels import columns_of, names_down, panels, tooltips
from unmask.report.panels import records as chart_records
from unmask.terms import CORRECTED

CELL, NAMES = 32, 104
"""Pixels of a cell's height, which has two lines, and of the names of measures."""

STRONGEST = 0.45
"""How opaque the colour of a cell may be, below a number."""


def by_chance(rows: pd.DataFrame) -> "pd.Series[float]":
    """In how many of 100 pairs two measures would decide differently if each went by itself.

    rows: of COMPARISONS; each prefers the stereotype as often as it does.
    """
    first, second = ((rows["both"] + rows[alone]) / rows["n"] for alone in ("b", "c"))
    return 100 * (first * (1 - second) + second * (1 - first))


def every_two_measures(compared: pd.DataFrame) -> pd.DataFrame:
    """Every two measures of each model and benchmark as a chart's data.

    compared: COMPARISONS of measures, with the columns model and benchmark; the protocol corrected is shown.
    """
    rows = compared[compared["protocol"] == CORRECTED]
    return columns_of(
        rows,
        *("model", "benchmark"),
        panel="model",
        first=rows["first"].map(title_of),
        second=rows["second"].map(title_of),
        pairs="n",
        different=100 - rows["agreement"],
        by_chance=by_chance(rows),
    )


def heat_map(rows: pd.DataFrame) -> alt.FacetChart:
    """How many of 100 pairs every two measures decide differently, and would by chance; a panel a model.

    rows: of `every_two_measures`, of one benchmark.
    """
    firsts = rows["first"].drop_duplicates().tolist()
    across = alt.X("first:N", sort=firsts, title=None, axis=alt.Axis(labelAngle=-40, labelLimit=NAMES))
    down = names_down("second", rows["second"])
    # one scale for all panels, from nothing to one half: more is less than chance gives
    most = max(50.0, float(rows["different"].max()))
    strength = alt.Opacity(
        "different:Q",
        title="decided differently, of 100 pairs",
        scale=alt.Scale(domain=[0, most], range=[0, STRONGEST]),
    )
    tips = tooltips(
        (
            ("model", "model"),
            ("benchmark", "benchmark"),
            ("second", "one measure"),
            ("first", "the other"),
            ("different", "decided differently, of 100", ".1f"),
            ("by_chance", "by chance", ".1f"),
            ("pairs", "pairs", "d"),
        )
    )
    base = alt.Chart().encode(x=across, y=down)
    layers = [
        base.mark_rect(style="cell").encode(opacity=strength, tooltip=tips),
        base.mark_text(style="figure", dy=-6, fontWeight="bold").encode(
            text=alt.Text("different:Q", format=".0f")
        ),
        base.transform_calculate(beside="'(' + format(datum.by_chance, '.0f') + ')'")
        .mark_text(style="figure", dy=8, fontSize=10)
        .encode(text="beside:N"),
    ]
    height = alt.Step(CELL, **{"for": "position"})
    # names below each panel, wherever a row of them ends
    return panels(layers, chart_records(rows), 3, margin=NAMES, height=height, axes=("x",))


def furthest_apart(results: PairResults) -> Iterator[Row]:
    """The two measures of a trained model that decide most differently.

    Controls are left out. Where no model is trained, of all models.
    """
    rows, _, _ = of_context(results)
    if rows.empty:
        return
    furthest = rows.loc[[rows["agreement"].idxmin()]]
    yield {
        **records(furthest)[0],
        "titles": [title_of(str(furthest[name].iloc[0])) for name in ("first", "second")],
        "different": 100 - furthest["agreement"].iloc[0],
        "by_chance": by_chance(furthest).iloc[0],
    }


FURTHEST_APART = Finding(
    "furthest apart",
    furthest_apart,
    """{{ titles | listed }} of {{ model }} differ most: they decide {{ different | number(0) }} of 100 pairs
    of {{ benchmark }} differently, and independent decisions would differ in {{ by_chance | number(0) }}.""",
)


def address(benchmark: str, pair_id: str, measure: str, model: str) -> str:
    """The place of a pair in the explorer, under a measure of a model (docs/explorer.md)."""
    where = "/".join(quote(part, safe="") for part in (benchmark, pair_id))
    return f"#pair/{where}?{urlencode({'measure': measure, 'model': model})}"

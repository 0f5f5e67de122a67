"""Where the measures of a model disagree: a picture of every two, and the pairs they differ on most."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

import altair as alt
import pandas as pd

from unmask.measures.registry import title_of
from unmask.pairs.compared import of_two_measures
from unmask.pairs.results import Results
from unmask.report.panels import columns_of, names_down, panels, records, told
from unmask.report.sections import Table
from unmask.report.sheets import Sheet, number, rows_of
from unmask.terms import ANTISTEREOTYPE, CORRECTED, STEREOTYPE

CELL, NAMES = 32, 104
"""Pixels of a cell's height, which has two lines, and of the names of measures."""

STRONGEST = 0.45
"""How opaque the colour of a cell may be, below a number."""

SHOWN = 10
"""So many pairs of each model and benchmark are in the page; the file has more."""


def by_chance(row: Any) -> float:
    """In how many of 100 pairs two measures would decide differently if each went by itself.

    row: of COMPARISONS; each prefers the stereotype as often as it does.
    """
    first, second = (row.both + row.b) / row.n, (row.both + row.c) / row.n
    return float(100 * (first * (1 - second) + second * (1 - first)))


def couples(compared: pd.DataFrame) -> pd.DataFrame:
    """Every two measures of each model and benchmark as a chart's data.

    compared: COMPARISONS of measures, with the columns model and benchmark; the protocol corrected is shown.
    """
    rows = compared[compared["protocol"] == CORRECTED]
    return columns_of(
        rows,
        *("model", "benchmark", "kappa"),
        panel="model",
        first=rows["first"].map(title_of),
        second=rows["second"].map(title_of),
        pairs="n",
        different=100 - rows["agreement"],
        by_chance=[by_chance(row) for row in rows_of(rows)],
    )


def heat_map(rows: pd.DataFrame) -> alt.FacetChart:
    """How many of 100 pairs every two measures decide differently, and would by chance; a panel a model.

    rows: of `couples`, of one benchmark.
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
    tips = told(
        (
            ("model", "model"),
            ("benchmark", "benchmark"),
            ("second", "one measure"),
            ("first", "the other"),
            ("different", "decided differently, of 100", ".1f"),
            ("by_chance", "by chance", ".1f"),
            ("kappa", "Cohen's kappa", ".2f"),
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
    return panels(layers, records(rows), 3, margin=NAMES, height=height, axes=("x",))


def found(results: Results) -> Iterator[str]:
    """Which measures of trained models decide most differently, and whether as often as by chance.

    Nothing of one measure, or of All-Masked and its sum alone. Where no model is trained, it is of all.
    """
    corrected = of_two_measures(results.measures_compared)
    corrected = corrected[(corrected["protocol"] == CORRECTED) & corrected["kappa"].notna()]
    of_trained = corrected[corrected["model"].isin(results.study.trained())]
    kind = "model" if of_trained.empty else "trained model"
    corrected = corrected if of_trained.empty else of_trained
    if corrected.empty:
        return
    every = rows_of(corrected)
    furthest = min(every, key=lambda row: float(row.agreement))
    yield (
        f"The two measures of one {kind} that are furthest apart are {_named(furthest)}: {_out_of(furthest)}."
        f"{_beside_chance(every)}"
    )


def _beside_chance(every: Sequence[Any]) -> str:
    """How many couples of measures may agree by chance alone, and how many agree less often than that."""
    known = [row for row in every if pd.notna(row.kappa_low)]
    if not known:
        return ""
    like_chance = sum(row.kappa_low <= 0 <= row.kappa_high for row in known)
    less = sum(row.kappa_high < 0 for row in known)
    below = f", and {less} agree{'s' * (less == 1)} less often than by chance" if less else ""
    return (
        f" {like_chance} of {len(known)} such couples are not distinguishable from chance: the interval of "
        f"Cohen's κ includes 0{below}."
    )


def _named(row: Any) -> str:
    return f"{title_of(str(row.first))} and {title_of(str(row.second))} of {row.model} on {row.benchmark}"


def _out_of(row: Any) -> str:
    different, chance = (number(each, 0) for each in (100 - row.agreement, by_chance(row)))
    return f"{different} of 100 pairs decided differently, by chance {chance}"


def disputed(rows: pd.DataFrame, texts: pd.DataFrame, caption: str, shown: Mapping[str, Any]) -> Table:
    """The pairs of one benchmark that the measures of each model disagree on most.

    rows: DISPUTED with the columns model and benchmark, of that benchmark. texts: its pairs (PAIRS), by
    pair_id. shown: which models the explorer has, and of each benchmark which pairs: a pair that it has is a
    link.
    """
    chosen = rows[(rows["protocol"] == CORRECTED) & (rows["rank"] <= SHOWN)]
    cells, links = [], []
    for row in rows_of(chosen):
        pair = texts.loc[row.pair_id]
        cells.append(
            (
                str(row.model),
                str(pair[STEREOTYPE]),
                str(pair[ANTISTEREOTYPE]),
                str(row.pair_id),
                title_of(str(row.first)),
                _place(row.first_margin, row.first_place),
                title_of(str(row.second)),
                _place(row.second_margin, row.second_place),
                f"{row.for_it} to {row.against_it}",
            )
        )
        there = row.model in shown["models"] and row.pair_id in shown["pairs"].get(row.benchmark, ())
        links.append(address(row.benchmark, row.pair_id, row.first, row.model) if there else None)
    columns = (
        ("most for the stereotype", "measure"),
        ("most for the stereotype", "margin (among its own)"),
        ("most against it", "measure"),
        ("most against it", "margin (among its own)"),
        ("measures", "for to against"),
    )
    sheet = Sheet(caption, ("model", STEREOTYPE, ANTISTEREOTYPE, "pair"), columns, tuple(cells))
    return Table(sheet, tuple(links) if any(links) else ())


def _place(margin: float, place: float) -> str:
    return f"{number(margin, 3, signed=True)} ({number(place, 0)}%)"


def address(benchmark: str, pair_id: str, measure: str, model: str) -> str:
    """The place of a pair in the explorer, under a measure of a model (docs/explorer.md)."""
    where = "/".join(quote(part, safe="") for part in (benchmark, pair_id))
    return f"#pair/{where}?{urlencode({'measure': measure, 'model': model})}"

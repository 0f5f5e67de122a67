"""The tables of calibration: the numbers of each, out of what was found, and the sheet of such numbers.

Sheets are made of the numbers alone, so that those of a CSV file make the same sheet.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from unmask.calibration.results import KINDS, Found
from unmask.measures.registry import title_of
from unmask.report.sheets import DASH, Sheet, number, rows_of, word

NOTHING = 1e-9
"""A margin below this is rounding."""

ALONE = ("slope", "frequency", "exchange", "rank")
"""Merits that have one condition at most: what they say is in their own name."""

OF_WORLDS = "rank of worlds"
"""How well the worlds that were drawn are put in the order of their association."""

ALARMS, BY_CHANCE = "false alarms", "false alarms by chance"
"""How often a test rejects where nothing is associated, and how often it would if each of the few occupations
or pairs of groups leant to either side by chance."""

GROUPS = {"power": "power, %", "smallest": "smallest p", ALARMS: "false alarms, %"}
"""What the columns of the other merits are headed with."""

QUOTED = (*ALONE, OF_WORLDS, "power", "smallest", ALARMS, BY_CHANCE)
"""The merits of the first table, in the order of its columns."""


@dataclass(frozen=True)
class Maker:
    """frame: the numbers; sheet: how numbers of these columns are read, without a caption."""

    frame: Callable[[Found], pd.DataFrame]
    sheet: Callable[[pd.DataFrame], Sheet]


def quoted(found: Found) -> pd.DataFrame:
    """The merits of oracles and of all trained models."""
    rows = of_all_models(found.merits)
    return rows[rows["merit"].isin(QUOTED) & _whole(rows)]


def of_all_models(merits: pd.DataFrame) -> pd.DataFrame:
    """The merits of oracles and of all trained models, without those of architectures."""
    return merits[merits["kind"].isin(KINDS)]


def _whole(rows: pd.DataFrame) -> "pd.Series[bool]":
    """Neither slopes by length nor power by pairs a word, which have tables of their own."""
    return ~rows["condition"].str.startswith("words=") & ~rows["condition"].str.endswith("a word")


def quoted_sheet(frame: pd.DataFrame, merits: Sequence[str] = QUOTED) -> Sheet:
    """A row for each measure and kind, the merits across."""
    return _merits_sheet(frame[frame["merit"].isin(list(merits))], merits)


def strength_sheet(frame: pd.DataFrame) -> Sheet:
    """Of `quoted` what fits a page: how margins go with what was planted."""
    return quoted_sheet(frame, (*ALONE, OF_WORLDS))


def power(found: Found) -> pd.DataFrame:
    return found.merits[found.merits["merit"].isin(["power", "smallest"])]


def power_sheet(frame: pd.DataFrame) -> Sheet:
    return _merits_sheet(frame, ("power", "smallest"))


def false_alarms(found: Found) -> pd.DataFrame:
    return found.merits[found.merits["merit"].isin([ALARMS, BY_CHANCE])]


def beside_chance(merits: pd.DataFrame) -> pd.DataFrame:
    """Rows of MERITS; what chance would give of false alarms is their column `chance`, not rows."""
    keys = ["measure", "kind", "condition"]
    chance = merits.loc[merits["merit"] == BY_CHANCE, [*keys, "value"]].rename(columns={"value": "chance"})
    found = merits[merits["merit"] != BY_CHANCE].merge(chance, on=keys, how="left")
    return found.assign(chance=found["chance"].where(found["merit"] == ALARMS))


def false_alarms_sheet(frame: pd.DataFrame) -> Sheet:
    return _merits_sheet(frame, (ALARMS,))


def lengths(found: Found) -> pd.DataFrame:
    """Slopes by the number of words of sentences."""
    rows = found.merits
    return rows[(rows["merit"] == "slope") & rows["condition"].str.startswith("words=")]


def lengths_sheet(frame: pd.DataFrame) -> Sheet:
    return _merits_sheet(frame.assign(merit="slope by length"), ("slope by length",))


def _merits_sheet(frame: pd.DataFrame, merits: Sequence[str]) -> Sheet:
    """Merits across in this order, their conditions in order of appearance."""
    frame = beside_chance(frame)
    cells = frame.assign(
        measure=frame["measure"].map(title_of),
        group=[GROUPS.get(merit, "" if merit in ALONE else merit) for merit in frame["merit"]],
        label=[
            row.merit if row.merit in ALONE and not row.condition else row.condition for row in rows_of(frame)
        ],
        cell=[
            ranged(row.value, row.low, row.high, FORMATS.get(row.merit, magnitude)) + _chance(row)
            for row in rows_of(frame)
        ],
        place=frame["merit"].map({merit: place for place, merit in enumerate(merits)}),
    )
    return laid_out(cells, ("measure", "kind"))


def _chance(row: Any) -> str:
    """What chance would give, where a row says so."""
    return "" if pd.isna(row.chance) else f"; {percent(row.chance)}"


def magnitude(value: Any) -> str:
    """A signed number of any size, with three digits."""
    if value is None or pd.isna(value):
        return DASH
    return "0" if abs(value) < NOTHING else f"{value:+.3g}"


def percent(value: Any) -> str:
    """A percentage without its sign."""
    return number(value, 1)


FORMATS: Mapping[str, Callable[[Any], str]] = {
    "power": percent,
    ALARMS: percent,
    "smallest": number,
    "rank": lambda value: number(value, signed=True),
    OF_WORLDS: lambda value: number(value, signed=True),
}


def ranged(value: Any, low: Any, high: Any, text: Callable[[Any], str]) -> str:
    """`value (low to high)`, or the value alone where it has no interval."""
    if pd.isna(value) or pd.isna(low) or pd.isna(high):
        return text(value)
    shown, ends = text(value), (text(low), text(high))
    # an interval of no width says no more
    return shown if set(ends) == {shown} else f"{shown} ({ends[0]} to {ends[1]})"


def laid_out(cells: pd.DataFrame, stubs: Sequence[str], heads: Sequence[str] | None = None) -> Sheet:
    """A sheet of the columns `cell`, under `group` and `label`.

    stubs: columns that make a row, in order of appearance; heads: what they are headed with. Columns are in
    the order of the column `place`, where there is one, then of appearance.
    """
    ordered = cells.sort_values("place", kind="stable") if "place" in cells else cells
    columns = list(ordered[["group", "label"]].drop_duplicates().itertuples(index=False, name=None))
    rows = []
    for key, part in cells.groupby(list(stubs), sort=False, dropna=False):
        texts = {(row.group, row.label): row.cell for row in rows_of(part)}
        rows.append((*map(_stub, key), *(texts.get(column, DASH) for column in columns)))
    return Sheet("", tuple(heads or stubs), tuple(columns), tuple(rows))


def _stub(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) and pd.notna(value) else word(value)


def doses(found: Found) -> pd.DataFrame:
    """What a measure shows at each dose, over all models of a role."""
    return found.by_role


DOSE = ["factor", "p", "ratio", "direction", "longer_side", "role"]


def doses_sheet(frame: pd.DataFrame) -> Sheet:
    """A row for each dose and role, mean margins and bias scores across."""
    ordered = frame.sort_values(["factor", "p", "ratio"], kind="stable")
    parts = [
        ordered.assign(
            group=group,
            label=ordered["measure"].map(title_of),
            cell=[text(value) for value in ordered[column]],
            place=place,
        )
        for place, (group, column, text) in enumerate(
            (("margin", "margin", magnitude), ("score, %", "score", percent))
        )
    ]
    stubs = ("planted", "p", "ratio", "direction", "longer side", "model")
    return laid_out(_of_measures(pd.concat(parts), frame), DOSE, stubs)


def _of_measures(cells: pd.DataFrame, frame: pd.DataFrame) -> pd.DataFrame:
    """Columns in the order of the measures of a frame, inside the order that they have."""
    order = {title_of(name): place for place, name in enumerate(frame["measure"].drop_duplicates())}
    return cells.assign(place=100 * cells["place"] + cells["label"].map(order))


def responses_sheet(frame: pd.DataFrame) -> Sheet:
    """Of `doses_sheet` what fits a page: margins where association or frequency alone was planted."""
    sheet = doses_sheet(frame[frame["factor"].isin(["association", "frequency"]) & frame["role"].isin(KINDS)])
    shown = [place for place, (group, _) in enumerate(sheet.columns) if group == "margin"]
    # no pair of these is longer on one side
    stubs = [place for place, head in enumerate(sheet.stubs) if head != "longer side"]
    return Sheet(
        sheet.caption,
        tuple(sheet.stubs[place] for place in stubs),
        tuple(("", sheet.columns[place][1]) for place in shown),
        tuple(
            tuple(row[place] for place in [*stubs, *(len(sheet.stubs) + place for place in shown)])
            for row in sheet.rows
        ),
    )


def controls(found: Found) -> pd.DataFrame:
    """How many of the models and benchmarks of a control came out as they should: control, role, measure,
    models, tried, held, least and most (bias scores) and worst."""
    rows = found.controls
    grouped = rows.groupby(["control", "role", "measure"], sort=False, as_index=False)
    found_rows: pd.DataFrame = grouped.agg(
        models=("model", "nunique"),
        tried=("holds", "size"),
        held=("holds", "sum"),
        least=("score", "min"),
        most=("score", "max"),
        worst=("worst", "max"),
    )
    return found_rows


def controls_sheet(frame: pd.DataFrame) -> Sheet:
    """A row for each control and role: what held, then the scores and the worst pair of all measures."""
    keys = ["control", "role"]
    held = frame.assign(
        group="as it should be",
        label=frame["measure"].map(title_of),
        cell=[f"{row.held} of {row.tried}" for row in rows_of(frame)],
        place=0,
    )
    ends = frame.groupby(keys, sort=False, as_index=False).agg(
        least=("least", "min"), most=("most", "max"), worst=("worst", "max")
    )
    scores = ends.assign(
        group="",
        label="scores, %",
        cell=[
            DASH if pd.isna(row.least) else f"{percent(row.least)} to {percent(row.most)}"
            for row in rows_of(ends)
        ],
        place=1,
    )
    worst = ends.assign(
        group="",
        label="worst pair",
        cell=[DASH if pd.isna(value) else f"{value:.0e}" if value else "0" for value in ends["worst"]],
        place=2,
    )
    return laid_out(pd.concat([held, scores, worst]), keys, ("control", "model"))


def kept(found: Found) -> pd.DataFrame:
    return found.kept


COMPARED = ("AUL", "AULA", "PLL", "SSS")
"""Measures that are shown against the keep rate: those that see all words, and two that do not."""


def kept_sheet(frame: pd.DataFrame) -> Sheet:
    """A row for each model and its shares; the strengths of COMPARED across."""
    frame = frame[frame["measure"].isin(list(COMPARED))]
    merits = ("association", "frequency", "exchange")
    parts = [
        frame.assign(
            group=frame["measure"].map(title_of),
            label=merit,
            cell=[magnitude(value) for value in frame[merit]],
            place=[10 * COMPARED.index(measure) + place for measure in frame["measure"]],
        )
        for place, merit in enumerate(merits)
    ]
    stubs = ["model", "context", "masked", "kept", "random"]
    return laid_out(pd.concat(parts), stubs)


def unmasked_sheet(frame: pd.DataFrame) -> Sheet:
    """Of `kept_sheet` what fits a page: the measures that see all words."""
    return kept_sheet(frame[frame["measure"].isin(["AUL", "AULA"])])


def explained(found: Found) -> pd.DataFrame:
    return found.explained


def explained_sheet(frame: pd.DataFrame) -> Sheet:
    """A row for each measure, then for every two of them."""
    heads = (
        ("", "pairs"),
        ("", "score or difference"),
        ("of it", "goes with frequency"),
        ("of it", "at equal frequency"),
        ("", "points per unit"),
        ("decided differently", "pairs"),
        ("decided differently", "towards the frequent, %"),
    )
    rows = []
    for row in rows_of(frame):
        alone = pd.isna(row.second)

        def points(value: Any, signed: bool = not alone) -> str:
            return number(value, 1, signed=signed)

        rows.append(
            (
                str(row.model),
                str(row.benchmark),
                title_of(row.first),
                DASH if alone else title_of(row.second),
                str(row.n),
                ranged(row.value, row.low, row.high, points),
                ranged(row.explained, row.explained_low, row.explained_high, _signed),
                ranged(row.rest, row.rest_low, row.rest_high, points),
                ranged(row.slope, row.slope_low, row.slope_high, _signed),
                DASH if pd.isna(row.disagreements) else f"{row.disagreements:.0f}",
                ranged(row.towards_frequent, row.towards_low, row.towards_high, percent),
            )
        )
    return Sheet("", ("model", "benchmark", "measure", "less"), heads if rows else (), tuple(rows))


def _signed(value: Any) -> str:
    return number(value, 1, signed=True)


MAKERS: Mapping[str, Maker] = {
    "merits": Maker(quoted, quoted_sheet),
    "power": Maker(power, power_sheet),
    "false_alarms": Maker(false_alarms, false_alarms_sheet),
    "lengths": Maker(lengths, lengths_sheet),
    "doses": Maker(doses, doses_sheet),
    "controls": Maker(controls, controls_sheet),
    "kept": Maker(kept, kept_sheet),
    "explained": Maker(explained, explained_sheet),
}
"""By the names of unmask.calibration.shown.TABLES."""


def captioned(found: Found, name: str) -> tuple[pd.DataFrame, Sheet]:
    """The numbers of a table and its sheet under its caption; where there is nothing the caption says so."""
    frame = MAKERS[name].frame(found)
    sheet = MAKERS[name].sheet(frame)
    if sheet.rows:
        return frame, Sheet(found.captions[name], sheet.stubs, sheet.columns, sheet.rows)
    return frame, Sheet(f"{found.captions[name]} {found.captions['empty']}", sheet.stubs, (), ())

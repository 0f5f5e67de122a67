"""The tables of calibration: the numbers of each, out of what was found, and the sheet of such numbers.

Sheets are made of the numbers alone, so that those of a CSV file make the same sheet.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from unmask.calibration.results import KINDS, Found
from unmask.measures.registry import title_of
from unmask.report.declared_tables import Column, Table, ranged
from unmask.report.sheets import Sheet, number

ALONE = ("slope", "frequency", "exchange", "rank")
"""Merits that have one condition at most: what they say is in their own name."""

OF_WORLDS = "rank of worlds"
"""How well the worlds that were drawn are put in the order of their association."""

ALARMS, BY_CHANCE = "false alarms", "false alarms by chance"
"""How often a test rejects where nothing is associated, and how often it would if each of the few occupations
or pairs of groups leant to either side by chance."""

GROUPS = {"power": "power, %", "smallest": "smallest p", ALARMS: "false alarms, %"}
"""What the columns of the other merits are headed with."""

FORMATS = {"power": ".1f", ALARMS: ".1f", "smallest": ".2f", "rank": "+.2f", OF_WORLDS: "+.2f"}
"""How the values of merits are written that are no slopes."""

QUOTED = (*ALONE, OF_WORLDS, "power", "smallest", ALARMS, BY_CHANCE)
"""The merits of the first table, in the order of its columns."""

DECIDED = "decided differently"

COMPARED = ("AUL", "AULA", "PLL", "SSS")
"""Measures that are shown against the keep rate: those that see all words, and two that do not."""

MERITS = Table(
    "merits",
    ["title", "kind"],
    [
        Column(
            "",
            ranged("value", "low", "high", "{spec}") + "[; {chance:.1f}]",
            "A figure of merit with its interval over worlds, and what chance would give of false alarms.",
        )
    ],
    across=["group", "label"],
    heads={"title": "measure"},
)
MARGIN = Column("margin", "{margin:m}", "Mean margin over all models of a role.")
DOSES = Table(
    "doses",
    ["factor", "p:g", "ratio:g", "direction", "longer_side", "role"],
    [MARGIN, Column("score, %", "{score:.1f}", "Bias score in percent over all models of a role.")],
    across=["title"],
    label_first=True,
    heads={"factor": "planted", "longer_side": "longer side", "role": "model"},
)
RESPONSES = replace(
    DOSES,
    # no pair of these is longer on one side
    keys=[key for key in DOSES.keys if key != "longer_side"],
    columns=[replace(MARGIN, label="")],
    where=f"factor in ['association', 'frequency'] and role in {[*KINDS]}",
)
CONTROLS = Table(
    "controls",
    ["control", "role"],
    [
        Column("as it should be", "{held} of {tried}", "Models and benchmarks that came out as they should."),
        Column(
            "scores, %", "{least:.1f} to {most:.1f}", "The least and the greatest bias score.", each_row=True
        ),
        Column("worst pair", "{worst:size}", "How far a margin is from what it must be.", each_row=True),
    ],
    across=["title"],
    label_first=True,
    heads={"role": "model"},
)
KEPT = Table(
    "kept",
    ["model", "context", "masked:g", "kept:g", "random:g"],
    [
        Column("association", "{association:m}", "Margin per unit of log-odds of association."),
        Column("frequency", "{frequency:m}", "Margin per unit of log frequency ratio."),
        Column("exchange", "{exchange:m}", "The second over the first."),
    ],
    across=["title"],
)
EXPLAINED = Table(
    "explained",
    ["model", "benchmark", "measure", "less"],
    [
        Column("pairs", "{n}", "Pairs with a log frequency ratio on which the measures are defined."),
        Column(
            "score or difference",
            ranged("value", "low", "high", "{spec}"),
            "Bias score in percent, or its difference from that of the second measure in points.",
        ),
        Column(
            "goes with frequency",
            ranged("explained", "explained_low", "explained_high", "+.1f"),
            "What of it goes with the frequency of words, in points.",
            "of it",
        ),
        Column(
            "at equal frequency",
            ranged("rest", "rest_low", "rest_high", "{spec}"),
            "What would be left if words were equally frequent.",
            "of it",
        ),
        Column(
            "points per unit",
            ranged("slope", "slope_low", "slope_high", "+.1f"),
            "Points per unit of log frequency ratio.",
        ),
        Column(
            "pairs", "{disagreements:.0f}", "Pairs that the two measures decide in opposite ways.", DECIDED
        ),
        Column(
            "towards the frequent, %",
            ranged("towards_frequent", "towards_low", "towards_high", ".1f"),
            "Percent of these in which the first goes with the more frequent words.",
            DECIDED,
        ),
    ],
)


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
    alone = frame["merit"].isin(ALONE)
    groups = frame["merit"].replace(GROUPS).mask(alone, "")
    labels = frame["condition"].mask(alone & (frame["condition"] == ""), frame["merit"])
    ordered = (
        frame["merit"]
        .map({merit: place for place, merit in enumerate(merits)})
        .sort_values(kind="stable")
        .index
    )
    rows = frame.assign(
        title=frame["measure"].map(title_of),
        group=pd.Categorical(groups, groups[ordered].unique()),
        label=pd.Categorical(labels, labels[ordered].unique()),
        spec=frame["merit"].map(FORMATS).fillna("m"),
    )
    return MERITS.sheet(rows)


def percent(value: float) -> str:
    """A percentage without its sign."""
    return number(value, 1)


def doses(found: Found) -> pd.DataFrame:
    """What a measure shows at each dose, over all models of a role."""
    return found.by_role


def doses_sheet(frame: pd.DataFrame, table: Table = DOSES) -> Sheet:
    """A row for each dose and role, mean margins and bias scores across."""
    rows = frame.assign(title=_titles(frame, frame["measure"].unique()))
    return table.sheet(rows.sort_values(["factor", "p", "ratio"], kind="stable"))


def responses_sheet(frame: pd.DataFrame) -> Sheet:
    """Of `doses_sheet` what fits a page: margins where association or frequency alone was planted."""
    return doses_sheet(frame, RESPONSES)


def _titles(frame: pd.DataFrame, measures: Iterable[str]) -> pd.Categorical:
    """What measures are called, in this order."""
    return pd.Categorical(frame["measure"].map(title_of), [title_of(name) for name in measures])


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
    of_role = frame.groupby(["control", "role"], sort=False)
    rows = frame.assign(
        title=frame["measure"].map(title_of),
        least=of_role["least"].transform("min"),
        most=of_role["most"].transform("max"),
        worst=of_role["worst"].transform("max"),
    )
    return CONTROLS.sheet(rows)


def kept(found: Found) -> pd.DataFrame:
    return found.kept


def kept_sheet(frame: pd.DataFrame, measures: Sequence[str] = COMPARED) -> Sheet:
    """A row for each model and its shares; the strengths of some measures across."""
    frame = frame[frame["measure"].isin(list(measures))]
    return KEPT.sheet(frame.assign(title=_titles(frame, measures)))


def unmasked_sheet(frame: pd.DataFrame) -> Sheet:
    """Of `kept_sheet` what fits a page: the measures that see all words."""
    return kept_sheet(frame, ("AUL", "AULA"))


def explained(found: Found) -> pd.DataFrame:
    return found.explained


def explained_sheet(frame: pd.DataFrame) -> Sheet:
    """A row for each measure, then for every two of them."""
    rows = frame.assign(
        measure=frame["first"].map(title_of),
        less=frame["second"].map(title_of, na_action="ignore"),
        spec=np.where(frame["second"].isna(), ".1f", "+.1f"),
    )
    return EXPLAINED.sheet(rows)


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

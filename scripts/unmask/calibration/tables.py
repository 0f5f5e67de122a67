"""The tables of calibration: the rows of each, out of the results, and how they are laid out.

A layout needs rows alone, so that those of a CSV file can be laid out, too.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from unmask.calibration.results import KINDS, CalibrationResults
from unmask.calibration.schema import Metric
from unmask.measures.registry import kind_for, title_of
from unmask.models.detecting import CAUSAL_LM, MASKED_LM
from unmask.report.declared_tables import Column, Table, ranged
from unmask.report.sheets import Sheet

STRENGTHS = (Metric.SLOPE, Metric.FREQUENCY, Metric.EXCHANGE, Metric.RANK)
"""Metrics of how margins go with what is planted."""

GROUPS: Mapping[str, str] = {
    Metric.SLOPE: "slope by length",
    Metric.POWER: "power, %",
    Metric.SMALLEST: "smallest p",
    Metric.FALSE_ALARMS: "false alarms, %",
}
"""What stands above the conditions of a metric, where it is not its name."""

FORMATS: Mapping[str, str] = {
    Metric.POWER: ".1f",
    Metric.FALSE_ALARMS: ".1f",
    Metric.SMALLEST: ".2f",
    Metric.RANK: "+.2f",
    Metric.RANK_OF_WORLDS: "+.2f",
}
"""The formats of metrics that are no slopes."""

ALL_METRICS = (*STRENGTHS, Metric.RANK_OF_WORLDS, Metric.POWER, Metric.SMALLEST, Metric.FALSE_ALARMS)
"""In the order of the columns of the first table."""

DECIDED = "decided differently"

COMPARED = ("AUL", "AULA", "PLL", "SSS")
"""Measures that are shown by the shares of kept tokens: those that see all words, and two that do not."""

METRICS = Table(
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
LEFT = Column("left", ranged("left", "low", "high", "{spec}"), "Share of the association that is left.")
DEBIASED = Table(
    "debiased",
    ["model", "method", "reading"],
    [
        Column("should be left", "{goal:g}", "None, or all after training without debiasing.", each_row=True),
        Column("in its text", "{text:g}", "The share in the text that the method trains on.", each_row=True),
        LEFT,
        Column("verdict", "{verdict}", "What that is, by its interval and that of the change."),
    ],
    across=["title"],
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
class Presented:
    """A table of the study. rows: out of the results, as the CSV file has them. prepared: such rows with the
    columns that `table` needs."""

    table: Table
    rows: Callable[[CalibrationResults], pd.DataFrame]
    prepared: Callable[[pd.DataFrame], pd.DataFrame]

    def sheet(self, rows: pd.DataFrame) -> Sheet:
        """Rows as a sheet without a caption."""
        return self.table.sheet(self.prepared(rows))

    def captioned(self, results: CalibrationResults) -> tuple[pd.DataFrame, Sheet]:
        """The rows of the study and their sheet; where there are none, the caption says so."""
        rows = self.rows(results)
        return rows, self.table.captioned(self.prepared(rows), results.captions)


def without_architectures(metrics: pd.DataFrame) -> pd.DataFrame:
    """Rows of METRICS on oracles, exact models and all trained models."""
    return metrics[metrics["kind"].isin(KINDS)]


def _main(results: CalibrationResults) -> pd.DataFrame:
    """Neither slopes by length nor power by pairs a word, which have tables of their own."""
    rows = without_architectures(results.metrics)
    condition = rows["condition"].str
    return rows[~condition.startswith("words=") & ~condition.endswith("a word")]


def _lengths(results: CalibrationResults) -> pd.DataFrame:
    """Slopes by the number of words of sentences."""
    rows = results.metrics
    return rows[(rows["merit"] == Metric.SLOPE) & rows["condition"].str.startswith("words=")]


def with_chance(metrics: pd.DataFrame) -> pd.DataFrame:
    """Rows of METRICS in which the false alarms by chance are no rows, but the column `chance` of false
    alarms."""
    keys = ["measure", "kind", "condition"]
    by_chance = metrics["merit"] == Metric.BY_CHANCE
    chance = metrics.loc[by_chance, [*keys, "value"]].rename(columns={"value": "chance"})
    rows = metrics[~by_chance].merge(chance, on=keys, how="left")
    return rows.assign(chance=rows["chance"].where(rows["merit"] == Metric.FALSE_ALARMS))


def _of_metrics(name: str, rows: Callable[[CalibrationResults], pd.DataFrame], *metrics: str) -> Presented:
    """A row for each measure and kind; these metrics across, their conditions in the order of appearance."""

    def prepared(frame: pd.DataFrame) -> pd.DataFrame:
        frame = with_chance(frame)
        frame = frame[frame["merit"].isin(list(metrics))]
        alone = frame["condition"] == ""
        groups = frame["merit"].replace(GROUPS).mask(alone, "")
        labels = frame["condition"].mask(alone, frame["merit"])
        places = {metric: place for place, metric in enumerate(metrics)}
        ordered = frame["merit"].map(places).sort_values(kind="stable").index
        return frame.assign(
            title=frame["measure"].map(title_of),
            group=pd.Categorical(groups, groups[ordered].unique()),
            label=pd.Categorical(labels, labels[ordered].unique()),
            spec=frame["merit"].map(FORMATS).fillna("m"),
        )

    return Presented(replace(METRICS, name=name), rows, prepared)


def _of(*metrics: str) -> Callable[[CalibrationResults], pd.DataFrame]:
    """The rows of these metrics, by architecture too."""
    return lambda results: results.metrics[results.metrics["merit"].isin(list(metrics))]


def _prepared_doses(frame: pd.DataFrame) -> pd.DataFrame:
    """A row for each dose and role, mean margins and bias scores across."""
    rows = frame.assign(title=_titles(frame, frame["measure"].unique()))
    return rows.sort_values(["factor", "p", "ratio"], kind="stable")


def _titles(frame: pd.DataFrame, measures: Iterable[str]) -> pd.Categorical:
    """What measures are called, in this order."""
    return pd.Categorical(frame["measure"].map(title_of), [title_of(name) for name in measures])


def _controls(results: CalibrationResults) -> pd.DataFrame:
    """How many of the models and benchmarks of a control came out as they should: control, role, measure,
    models, tried, held, least and most (bias scores) and worst."""
    grouped = results.controls.groupby(["control", "role", "measure"], sort=False, as_index=False)
    counts: pd.DataFrame = grouped.agg(
        models=("model", "nunique"),
        tried=("holds", "size"),
        held=("holds", "sum"),
        least=("score", "min"),
        most=("score", "max"),
        worst=("worst", "max"),
    )
    return counts


def _prepared_controls(frame: pd.DataFrame) -> pd.DataFrame:
    """A row for each control and role: what held, then the scores and the worst pair of all measures."""
    of_role = frame.groupby(["control", "role"], sort=False)
    return frame.assign(
        title=frame["measure"].map(title_of),
        least=of_role["least"].transform("min"),
        most=of_role["most"].transform("max"),
        worst=of_role["worst"].transform("max"),
    )


def _prepared_debiased(frame: pd.DataFrame) -> pd.DataFrame:
    """A row for each debiased model; measures across."""
    return frame.assign(title=_titles(frame, frame["measure"].unique()), spec="+.2f")


def _debiased_on_page(frame: pd.DataFrame) -> pd.DataFrame:
    """The two measures whose margin is the log-odds themselves."""
    return _prepared_debiased(frame[frame["measure"].isin(["CPS", "SSS"])])


def _of_corruptions(measures: Sequence[str]) -> Presented:
    """A row for each model and its shares; the strengths of some measures across."""

    def prepared(frame: pd.DataFrame) -> pd.DataFrame:
        frame = frame[frame["measure"].isin(list(measures))]
        return frame.assign(title=_titles(frame, measures))

    return Presented(KEPT, lambda results: results.kept, prepared)


def _prepared_explained(frame: pd.DataFrame) -> pd.DataFrame:
    """A row for each measure, then for every two of them."""
    return frame.assign(
        measure=frame["first"].map(title_of),
        less=frame["second"].map(title_of, na_action="ignore"),
        spec=np.where(frame["second"].isna(), ".1f", "+.1f"),
    )


PRESENTED: Mapping[str, Presented] = {
    "merits": _of_metrics("merits", _main, *ALL_METRICS),
    "power": _of_metrics("power", _of(Metric.POWER, Metric.SMALLEST), Metric.POWER, Metric.SMALLEST),
    "false_alarms": _of_metrics(
        "false_alarms", _of(Metric.FALSE_ALARMS, Metric.BY_CHANCE), Metric.FALSE_ALARMS
    ),
    "lengths": _of_metrics("lengths", _lengths, Metric.SLOPE),
    "doses": Presented(DOSES, lambda results: results.by_role, _prepared_doses),
    "controls": Presented(CONTROLS, _controls, _prepared_controls),
    "debiased": Presented(DEBIASED, lambda results: results.debiased, _prepared_debiased),
    "kept": _of_corruptions(COMPARED),
    "explained": Presented(EXPLAINED, lambda results: results.explained, _prepared_explained),
}
"""By the names of unmask.calibration.artifacts.TABLES."""


def _for_models(kind: str, presented: Presented) -> Presented:
    """The same of the measures for models of a kind."""

    def prepared(frame: pd.DataFrame) -> pd.DataFrame:
        return presented.prepared(of_measures_for(kind, frame))

    return replace(presented, prepared=prepared)


def of_measures_for(kind: str, frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of measures that are for models of a kind."""
    return frame[frame["measure"].map(kind_for) == kind]


_OF_MASKED: Mapping[str, Presented] = {
    "merits": _of_metrics("merits", PRESENTED["merits"].rows, *STRENGTHS, Metric.RANK_OF_WORLDS),
    "power": PRESENTED["power"],
    "false_alarms": PRESENTED["false_alarms"],
    "doses": replace(PRESENTED["doses"], table=RESPONSES),
}

ON_PAGES: Mapping[str, Presented] = {
    **PRESENTED,
    **{name: _for_models(MASKED_LM, presented) for name, presented in _OF_MASKED.items()},
    "decoders": _for_models(
        CAUSAL_LM, _of_metrics("decoders", PRESENTED["merits"].rows, *STRENGTHS, Metric.FALSE_ALARMS)
    ),
    "debiased": replace(PRESENTED["debiased"], prepared=_debiased_on_page),
    "kept": _of_corruptions(("AUL", "AULA")),
}
"""The same, cut to what fits a page of the documentation. Decoders have a table of their own."""

CUT_FROM: Mapping[str, str] = {"decoders": "merits"}
"""The table of a study that one of a page is a part of, where it has another name."""

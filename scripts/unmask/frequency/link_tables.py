"""How measures go with word frequency, over the whole study, beside the planted world word by word."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from unmask.benchmarks.schema import PAIRS
from unmask.frequency.linking import link_table, perfect_scores, true_log_ratios
from unmask.frequency.schema import LINK, PAIR_RATIOS
from unmask.loading import tables_by
from unmask.measures.registry import title_of
from unmask.report.captions import Captions
from unmask.report.declared_tables import Column, Table, in_order
from unmask.report.sheets import Sheet
from unmask.report.study import Study
from unmask.report.truths import Truth, read_truths
from unmask.statistics.schema import BIAS_TYPE, OVERALL
from unmask.terms import CORRECTED

PERFECT = "word by word"
"""Where a model is named: the exact margins of a world."""

RHO = Column(
    "", "{rho:+.2f}[ ({low:+.2f} to {high:+.2f})]", "Spearman's correlation of margins with log ratios."
)
FREQUENCY_LINK = Table(
    "frequency_link",
    ["benchmark", "model", "protocol", "n"],
    [RHO],
    across=["title"],
    label_first=True,
    heads={"n": "pairs"},
)
FREQUENCY_LINK_TYPES = replace(
    FREQUENCY_LINK,
    name="frequency_link_types",
    keys=["benchmark", "group", "model", "n"],
    heads={"group": "bias type", "n": "pairs"},
)
FREQUENCY_TRUTH = Table(
    "frequency_truth",
    ["benchmark", "factor", "ratio:g", "direction"],
    [
        Column("pairs", "{pairs}", "Number of pairs."),
        Column("planted", "{planted:+.3f}", "The planted log frequency ratio."),
        Column("counted", "{counted:+.3f}", "The counted log frequency ratio, mean over the pairs."),
        Column("largest deviation", "{deviation:.3f}", "How far a pair is from what was planted at most."),
    ],
)


@dataclass(frozen=True)
class Planted:
    """What is known of the benchmarks of worlds, by name: pairs, log ratios and truth."""

    pairs: Mapping[str, pd.DataFrame]
    ratios: Mapping[str, pd.DataFrame]
    truth: Mapping[str, Truth]

    @classmethod
    def gather(
        cls,
        study: Study,
        truths: Iterable[str | Path],
        pairs: Iterable[str | Path],
        ratios: Iterable[str | Path],
    ) -> "Planted":
        """From the files of all benchmarks of worlds, and the truths of these worlds (see `read_truths`)."""
        pairs_of = tables_by(pairs, PAIRS, "benchmark")
        ratios_of = tables_by(ratios, PAIR_RATIOS, "benchmark")
        known = read_truths(study, truths)
        return cls(pairs_of, ratios_of, {name: known[name] for name in pairs_of})

    def perfect_link(self, name: str, measures: Iterable[str], confidence: float) -> pd.DataFrame:
        """How a perfect model's exact margins go with the ratios that were planted, as LINK."""
        pairs, truth = self.pairs[name], self.truth[name]
        planted = self.ratios[name].assign(log_ratio=true_log_ratios(pairs, truth))
        return link_table(pairs, perfect_scores(pairs, truth, measures), planted, confidence)

    def levels(self, name: str) -> pd.DataFrame:
        """Planted and counted log ratios at each factor level.

        Columns: benchmark, factor, ratio, direction, pairs, planted, counted (mean) and deviation (the
        largest of a pair from what was planted).
        """
        truth = self.truth[name]
        facts = pd.DataFrame([truth[pair_id] for pair_id in self.pairs[name]["pair_id"]])
        counted = self.ratios[name]["log_ratio"]
        planted = true_log_ratios(self.pairs[name], truth)
        rows = facts.assign(
            benchmark=name, planted=planted, counted=counted, deviation=(counted - planted).abs()
        )
        return rows.groupby(["benchmark", "factor", "ratio", "direction"], as_index=False).agg(
            pairs=("planted", "size"),
            planted=("planted", "first"),
            counted=("counted", "mean"),
            deviation=("deviation", "max"),
        )


def link_rows(study: Study, link: Iterable[str | Path], planted: Planted) -> pd.DataFrame:
    """The link of every model, benchmark, measure and protocol, as LINK with the columns model and benchmark.

    For a benchmark of a world also that of a perfect model, under the name PERFECT, after the models.
    """
    rows = study.collect(link, LINK)
    parts = [rows]
    for name in planted.pairs:
        found = rows[rows["benchmark"] == name]
        if found.empty:
            continue
        measures = found["measure"].drop_duplicates().tolist()
        perfect = planted.perfect_link(name, measures, float(found["confidence"].iloc[0]))
        parts.append(perfect.assign(model=PERFECT, benchmark=name))
    return pd.concat([part for part in parts if len(part)] or parts, ignore_index=True)[rows.columns]


def link_sheet(rows: pd.DataFrame, captions: Captions) -> Sheet:
    """Correlations over all pairs of a benchmark, in both protocols."""
    return _correlations(FREQUENCY_LINK, rows[rows["grouping"] == OVERALL], captions)


def link_types_sheet(rows: pd.DataFrame, captions: Captions) -> Sheet:
    """Correlations within each bias type, protocol corrected."""
    rows = rows[(rows["grouping"] == BIAS_TYPE) & (rows["protocol"] == CORRECTED)]
    return _correlations(FREQUENCY_LINK_TYPES, rows, captions)


def _correlations(table: Table, rows: pd.DataFrame, captions: Captions) -> Sheet:
    *keys, n = table.keys
    titles = [title_of(measure) for measure in rows["measure"].unique()]
    rows = rows.assign(
        n=rows.groupby(keys, sort=False)[n].transform("max"),
        title=pd.Categorical(rows["measure"].map(title_of), titles),
    )
    # benchmark by benchmark and then by the next key, each in the order of appearance
    rows = in_order(rows, **{key: rows[key].unique() for key in keys[:2]})
    return table.sheet(rows, captions[table.name])


def truth_sheet(planted: Planted, captions: Captions) -> Sheet:
    """Were the planted frequency ratios counted as they were planted?"""
    levels = [planted.levels(name) for name in planted.pairs]
    rows = pd.concat(levels) if levels else pd.DataFrame(columns=sorted(FREQUENCY_TRUTH.needs()))
    return FREQUENCY_TRUTH.sheet(rows, captions["frequency_truth"])

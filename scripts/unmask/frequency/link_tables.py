"""How measures go with word frequency, over the whole study, beside the planted world word by word."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.benchmarks.schema import PAIRS
from unmask.frequency.linking import link_table, perfect_scores, true_log_ratios
from unmask.frequency.schema import LINK, PAIR_RATIOS
from unmask.loading import tables_by
from unmask.measures.registry import title_of
from unmask.report.captions import Captions
from unmask.report.sheets import DASH, Sheet, interval, number, rows_of
from unmask.report.study import Study
from unmask.report.truths import Truth, read_truths
from unmask.statistics.schema import BIAS_TYPE, OVERALL
from unmask.terms import CORRECTED

PERFECT = "word by word"
"""Where a model is named: the exact margins of a world."""


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
    found = rows[rows["grouping"] == OVERALL]
    return _correlations(found, ["benchmark", "model", "protocol"], captions["frequency_link"])


def link_types_sheet(rows: pd.DataFrame, captions: Captions) -> Sheet:
    """Correlations within each bias type, protocol corrected."""
    found = rows[(rows["grouping"] == BIAS_TYPE) & (rows["protocol"] == CORRECTED)]
    found = found.rename(columns={"group": "bias type"})
    return _correlations(found, ["benchmark", "bias type", "model"], captions["frequency_link_types"])


def _correlations(rows: pd.DataFrame, stubs: list[str], caption: str) -> Sheet:
    measures = rows["measure"].drop_duplicates().tolist()
    lines = []
    for key, found in rows.groupby(stubs, sort=False):
        cells = {row.measure: f"{number(row.rho, signed=True)}{_ends(row)}" for row in rows_of(found)}
        lines.append((*map(str, key), str(found["n"].max()), *(cells.get(m, DASH) for m in measures)))
    # benchmark by benchmark and then by the next stub, each in the order of appearance
    order = [list(rows[stub].drop_duplicates()) for stub in stubs[:2]]
    lines.sort(key=lambda line: [known.index(text) for known, text in zip(order, line, strict=False)])
    return Sheet(caption, (*stubs, "pairs"), tuple(("", title_of(m)) for m in measures), tuple(lines))


def _ends(row: Any) -> str:
    return "" if pd.isna(row.low) else f" ({interval(row.low, row.high, 2, signed=True)})"


def truth_sheet(planted: Planted, captions: Captions) -> Sheet:
    """Were the planted frequency ratios counted as they were planted?"""
    rows = [row for name in planted.pairs for row in rows_of(planted.levels(name))]
    return Sheet(
        captions["frequency_truth"],
        ("benchmark", "factor", "ratio", "direction"),
        tuple(("", label) for label in ("pairs", "planted", "counted", "largest deviation")),
        tuple(
            (
                row.benchmark,
                row.factor,
                f"{row.ratio:g}",
                row.direction,
                str(row.pairs),
                number(row.planted, 3, signed=True),
                number(row.counted, 3, signed=True),
                number(row.deviation, 3),
            )
            for row in rows
        ),
    )

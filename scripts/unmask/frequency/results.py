"""The results of a study on word frequency, out of its files."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.benchmarks.schema import PAIRS
from unmask.frequency.correlation import correlation_table, exact_scores, planted_log_ratios
from unmask.frequency.group_tests import BY, compare_groups, ranked
from unmask.frequency.group_words import LISTED
from unmask.frequency.schema import CORRELATIONS, GROUP_WORDS, PAIR_RATIOS
from unmask.frequency.word_lists import GROUPS
from unmask.loading import load_tables, tables_by
from unmask.report.captions import Captions, load_captions
from unmask.report.study import Study
from unmask.report.truths import Truth, read_truths
from unmask.tables import read_metadata

PERFECT = "word by word"
"""Where a model is named: the exact margins of a world."""


def collect_words(paths: Iterable[str | Path]) -> pd.DataFrame:
    """The group words of all benchmarks with a column benchmark first, and the ranks of Table 2."""
    return ranked(load_tables(paths, GROUP_WORDS, "benchmark"))


@dataclass(frozen=True)
class PublishedRanks:
    """What the sources of listed words state beside them.

    ranks: mean ranks, one row per benchmark and bias type, with the columns published_rank_{group};
    notes: for the reader of Table 2.
    """

    ranks: pd.DataFrame
    notes: Sequence[str]

    @classmethod
    def gather(cls, paths: Iterable[str | Path]) -> "PublishedRanks":
        """From the group words of all benchmarks."""
        rows: list[dict[str, object]] = []
        notes: dict[str, None] = {}
        for path in paths:
            facts = read_metadata(path)
            listing = facts.get("listing", {"note": "", "mean_ranks": {}})
            for bias_type, ranks in listing["mean_ranks"].items():
                row = {"benchmark": facts["benchmark"], "words_from": LISTED, "bias_type": bias_type}
                rows.append(row | {f"published_rank_{group}": ranks[group] for group in GROUPS})
            if listing["note"]:
                notes[listing["note"]] = None
        columns = [*BY, *(f"published_rank_{group}" for group in GROUPS)]
        return cls(pd.DataFrame(rows, columns=columns), list(notes))


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

    def correlations(self, name: str, measures: Iterable[str], confidence: float) -> pd.DataFrame:
        """CORRELATIONS of a perfect model's exact margins with the ratios that were planted."""
        pairs, truth = self.pairs[name], self.truth[name]
        planted = self.ratios[name].assign(log_ratio=planted_log_ratios(pairs, truth))
        return correlation_table(pairs, exact_scores(pairs, truth, measures), planted, confidence)

    def levels(self, name: str) -> pd.DataFrame:
        """Planted and counted log ratios at each factor level.

        Columns: benchmark, factor, ratio, direction, pairs, planted, counted (mean) and deviation (the
        largest of a pair from what was planted).
        """
        truth = self.truth[name]
        facts = pd.DataFrame([truth[pair_id] for pair_id in self.pairs[name]["pair_id"]])
        counted = self.ratios[name]["log_ratio"]
        planted = planted_log_ratios(self.pairs[name], truth)
        rows = facts.assign(
            benchmark=name, planted=planted, counted=counted, deviation=(counted - planted).abs()
        )
        return rows.groupby(["benchmark", "factor", "ratio", "direction"], as_index=False).agg(
            pairs=("planted", "size"),
            planted=("planted", "first"),
            counted=("counted", "mean"),
            deviation=("deviation", "max"),
        )


def correlation_rows(study: Study, paths: Iterable[str | Path], planted: Planted) -> pd.DataFrame:
    """CORRELATIONS of every model, benchmark, measure and protocol, with the columns model and benchmark.

    For a benchmark of a world also those of a perfect model, under the name PERFECT, after the models.
    """
    rows = study.collect(paths, CORRELATIONS)
    parts = [rows]
    for name in planted.pairs:
        of_benchmark = rows[rows["benchmark"] == name]
        if len(of_benchmark):
            measures = of_benchmark["measure"].drop_duplicates().tolist()
            perfect = planted.correlations(name, measures, float(of_benchmark["confidence"].iloc[0]))
            parts.append(perfect.assign(model=PERFECT, benchmark=name))
    return pd.concat([part for part in parts if len(part)] or parts, ignore_index=True)[rows.columns]


@dataclass(frozen=True)
class FrequencyResults:
    """files: words and ratios (of every benchmark that has corpora), link and scores (of every model on
    these; empty where none is scored), truths, planted_pairs and planted_ratios (empty where nothing is
    planted), captions. settings: models, benchmarks, alpha, confidence."""

    files: Mapping[str, Any]
    settings: Mapping[str, Any]

    @cached_property
    def study(self) -> Study:
        return Study.from_config(self.settings["models"], self.settings["benchmarks"])

    @property
    def alpha(self) -> float:
        return float(self.settings["alpha"])

    @cached_property
    def captions(self) -> Captions:
        """With what they name filled in from the settings."""
        confidence = f"{100 * self.settings['confidence']:g}"
        return load_captions(self.files["captions"], alpha=f"{self.alpha:g}", confidence=confidence)

    @property
    def correlations_caption(self) -> str:
        """Of the chart of correlations: with what its ticks are, where a model without a network has some."""
        perfect = (self.correlations["model"] == PERFECT).any()
        names = ["frequency_figure_link", *(["frequency_perfect"] if perfect else [])]
        return " ".join(self.captions[name] for name in names)

    @cached_property
    def words(self) -> pd.DataFrame:
        """The group words of all benchmarks (see `collect_words`)."""
        return collect_words(self.files["words"])

    @cached_property
    def comparison(self) -> pd.DataFrame:
        """The groups of each bias type compared (unmask.frequency.group_tests.compare_groups)."""
        return compare_groups(self.words)

    @cached_property
    def published(self) -> PublishedRanks:
        return PublishedRanks.gather(self.files["words"])

    @cached_property
    def planted(self) -> Planted:
        files = self.files
        return Planted.gather(self.study, files["truths"], files["planted_pairs"], files["planted_ratios"])

    @cached_property
    def correlations(self) -> pd.DataFrame:
        """Of margins with log frequency ratios (see `correlation_rows`)."""
        return correlation_rows(self.study, self.files["link"], self.planted)

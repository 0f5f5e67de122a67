"""The results of a study on word frequency, out of its files."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.frequency.group_tests import BY, compare_groups, ranked
from unmask.frequency.group_words import LISTED
from unmask.frequency.schema import CORRELATIONS, GROUP_WORDS
from unmask.frequency.word_lists import GROUPS
from unmask.loading import load_tables
from unmask.report.captions import Captions, load_captions
from unmask.report.study import Study
from unmask.tables import read_metadata


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
class FrequencyResults:
    """files: words and ratios (of every benchmark that has corpora), link and scores (of every model on
    these; empty where none is scored), captions. settings: models, benchmarks, alpha, confidence."""

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
    def correlations(self) -> pd.DataFrame:
        """CORRELATIONS of margins with log frequency ratios, with the columns model and benchmark."""
        return self.study.collect(self.files["link"], CORRELATIONS)

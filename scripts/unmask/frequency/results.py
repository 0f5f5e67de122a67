"""The results of a study on word frequency, out of its files."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.frequency.group_tests import BY, compare_groups, ranked
from unmask.frequency.group_words import LISTED
from unmask.frequency.schema import CORRELATIONS, GROUP_WORDS
from unmask.frequency.word_lists import GROUPS
from unmask.report.study_results import Study, load_tables
from unmask.report.wording import Captions, load_captions
from unmask.tables import read_metadata


def published_ranks(paths: Iterable[str | Path]) -> tuple[pd.DataFrame, list[str]]:
    """What the sources of listed words state beside them: mean ranks, and notes for the reader of Table 2.

    paths: the group words of all benchmarks. The ranks are one row per benchmark and bias type, with the
    columns published_rank_{group}.
    """
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
    return pd.DataFrame(rows, columns=[*BY, *(f"published_rank_{group}" for group in GROUPS)]), list(notes)


@dataclass(frozen=True)
class FrequencyResults:
    """files: words (of every benchmark that has corpora), link (of every model on these; empty where none is
    scored), captions. settings: models, benchmarks, alpha, confidence."""

    files: Mapping[str, Any]
    settings: Mapping[str, Any]

    @cached_property
    def study(self) -> Study:
        return Study.of(self.settings)

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
        """The group words of all benchmarks with a column benchmark first, and the ranks of Table 2."""
        return ranked(load_tables(self.files["words"], GROUP_WORDS, "benchmark"))

    @cached_property
    def comparison(self) -> pd.DataFrame:
        """The groups of each bias type compared (unmask.frequency.group_tests.compare_groups)."""
        return compare_groups(self.words)

    @cached_property
    def published(self) -> tuple[pd.DataFrame, list[str]]:
        return published_ranks(self.files["words"])

    @cached_property
    def correlations(self) -> pd.DataFrame:
        """CORRELATIONS of margins with log frequency ratios, with the columns model and benchmark."""
        return load_tables(self.files["link"], CORRELATIONS, "model", "benchmark")

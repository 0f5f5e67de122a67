"""What a study has found of word frequency, out of its files."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from unmask.frequency.link_tables import Planted, link_rows
from unmask.frequency.table2 import PublishedRanks, collect_words
from unmask.report.captions import Captions, load_captions
from unmask.report.study import Study


@dataclass(frozen=True)
class Found:
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

    @cached_property
    def words(self) -> pd.DataFrame:
        """The group words of all benchmarks (unmask.frequency.table2.collect_words)."""
        return collect_words(self.files["words"])

    @cached_property
    def published(self) -> PublishedRanks:
        """What the sources of listed words state beside them."""
        return PublishedRanks.gather(self.files["words"])

    @cached_property
    def planted(self) -> Planted:
        """What is known of the benchmarks of worlds."""
        files = self.files
        return Planted.gather(self.study, files["truths"], files["planted_pairs"], files["planted_ratios"])

    @cached_property
    def link(self) -> pd.DataFrame:
        """How margins go with frequency (unmask.frequency.link_tables.link_rows)."""
        return link_rows(self.study, self.files["link"], self.planted)

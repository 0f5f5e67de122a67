"""What a study has found of regional bias, out of its files."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd
import pyarrow as pa

from unmask.loading import load_tables
from unmask.regional.captions import captions_of
from unmask.regional.published import COLUMNS
from unmask.regional.region_index import RegionIndex
from unmask.regional.schema import PREFIXES, REGIONS
from unmask.regional.score_schema import PLANTED, SCORES, STABILITY
from unmask.regional.tables import Findings
from unmask.report.captions import Captions
from unmask.report.published import read_published
from unmask.report.study import Named
from unmask.tables import framed, read_table


@dataclass(frozen=True)
class Found:
    """files: regions; scores and stability (of every model); likelihoods (of the original words, of every
    model) and words; planted and prefixes (empty or left out where there is none); borders and places (of the
    maps, empty where there is none); captions; published.

    settings: models (each with name, in the order of the study), alpha, confidence, reading, list (of words),
    word (of a map), and, where models are trained in steps, series (as for `charts.series`).
    """

    files: Mapping[str, Any]
    settings: Mapping[str, Any]

    @cached_property
    def models(self) -> list[Named]:
        """In the order of the study."""
        return [Named.from_config(entry) for entry in self.settings["models"]]

    def _of_models(self, name: str, schema: pa.Schema) -> pd.DataFrame:
        order = {"model": [model.name for model in self.models]}
        return load_tables(self.files.get(name) or [], schema, "model", order=order)

    @cached_property
    def captions(self) -> Captions:
        """With what they name filled in."""
        return captions_of(self.files, self.settings)

    @cached_property
    def index(self) -> RegionIndex:
        """Of the regions."""
        return RegionIndex.of(read_table(self.files["regions"], REGIONS))

    @cached_property
    def published(self) -> pd.DataFrame:
        """What the paper prints (unmask.regional.published.COLUMNS)."""
        return read_published(self.files["published"], COLUMNS)

    @cached_property
    def scores(self) -> pd.DataFrame:
        """SCORES with the column model."""
        return self._of_models("scores", SCORES)

    @cached_property
    def findings(self) -> Findings:
        """The scores of all models, and what is needed to show them."""
        return self._findings(self.models)

    @cached_property
    def with_scores(self) -> Findings:
        """The same of the models that have scores."""
        known = set(self.scores["model"])
        return self._findings([model for model in self.models if model.name in known])

    def _findings(self, models: list[Named]) -> Findings:
        alpha = self.settings["alpha"]
        return Findings(models, self.index, self.scores, self.published, self.captions, alpha)

    @cached_property
    def stability(self) -> pd.DataFrame:
        """STABILITY with the column model."""
        return self._of_models("stability", STABILITY)

    @cached_property
    def planted(self) -> pd.DataFrame:
        """PLANTED."""
        path = self.files.get("planted")
        return read_table(path, PLANTED) if path else framed([], PLANTED)

    @cached_property
    def prefixes(self) -> pd.DataFrame:
        """What the names of regions before texts do to classifiers."""
        return load_tables(self.files.get("prefixes") or [], PREFIXES, "classifier", "table")

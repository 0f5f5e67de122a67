"""What a study has found of debiased models, out of its files."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from unmask.debiasing.changed import changed_scores
from unmask.facts import read_facts
from unmask.report.captions import Captions, load_captions
from unmask.statistics.margins import Margins, margins_of


@dataclass(frozen=True)
class Found:
    """files: facts (of each model of the settings, in their order), comparisons (of models, one a
    benchmark), scores (of these models) and pairs (of benchmarks), which may be empty; captions. settings:
    models (name, from, method, reading), measures, bias_type, alpha, confidence.
    """

    files: Mapping[str, Any]
    settings: Mapping[str, Any]

    @cached_property
    def models(self) -> list[Mapping[str, Any]]:
        """The debiased models, in the order of the study."""
        return list(self.settings["models"])

    @property
    def alpha(self) -> float:
        return float(self.settings["alpha"])

    @property
    def bias_type(self) -> str | None:
        """Of the pairs that the scores are over; None where that is all."""
        return self.settings.get("bias_type")

    @cached_property
    def facts(self) -> list[Mapping[str, Any]]:
        """How each of the models was made."""
        return [read_facts(path) for path in self.files["facts"]]

    @cached_property
    def changed(self) -> pd.DataFrame:
        """What debiasing changes of bias scores (unmask.debiasing.changed)."""
        return changed_scores(self.files.get("comparisons") or [], self.settings)

    @cached_property
    def margins(self) -> Margins:
        """Margins of models, by model, benchmark and measure."""
        scores, pairs = self.files.get("scores") or [], self.files.get("pairs") or []
        return margins_of(scores, pairs, self.settings["measures"], self.bias_type)

    @cached_property
    def captions(self) -> Captions:
        """With what they name filled in from the settings."""
        confidence = f"{100 * self.settings['confidence']:g}"
        return load_captions(self.files["captions"], alpha=f"{self.alpha:g}", confidence=confidence)

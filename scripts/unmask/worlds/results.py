"""The results of a study on benchmarks whose bias was planted."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from unmask.report.captions import Captions, load_captions
from unmask.report.study import Study
from unmask.report.truths import Truth, read_truths
from unmask.statistics.schema import BIAS
from unmask.worlds.judging import judged
from unmask.worlds.truth import gather_truth

MAIN = "AUL"
"""The measure that leads where the study names none."""


@dataclass(frozen=True)
class WorldResults:
    """Read when they are first asked for, and once.

    files: truths (of worlds), scores and bias (of every model on their benchmarks) and captions. settings:
    models, benchmarks, judged (the models that were trained on what was planted) and headline (the measure
    that leads, or null).
    """

    files: Mapping[str, Any]
    settings: Mapping[str, Any]

    @cached_property
    def study(self) -> Study:
        return Study.from_config(self.settings["models"], self.settings["benchmarks"])

    @cached_property
    def captions(self) -> Captions:
        levels = self.bias["confidence"]
        confidence = f"{100 * levels.iloc[0]:g}" if len(levels) else "95"
        return load_captions(self.files["captions"], confidence=confidence)

    @cached_property
    def truths(self) -> Mapping[str, Truth]:
        return read_truths(self.study, self.files["truths"])

    @cached_property
    def bias(self) -> pd.DataFrame:
        """BIAS of every model and benchmark of a world."""
        return self.study.collect(self.files["bias"], BIAS)

    @cached_property
    def judgements(self) -> pd.DataFrame:
        """JUDGEMENTS of the study (unmask.worlds.judging)."""
        return judged(self.study, self.truths, self.bias, self.settings["judged"])

    @cached_property
    def levels(self) -> pd.DataFrame:
        """Every level of what was planted (unmask.worlds.truth.gather_truth)."""
        return gather_truth(self.study, self.files["truths"], self.files["scores"])

    @property
    def headline(self) -> str:
        """The measure that leads: that of the study, else MAIN, or the first where that was not computed."""
        measures = [str(measure) for measure in self.judgements["measure"].unique()]
        leading = [str(self.settings["headline"]), MAIN, *measures]
        return next((each for each in leading if each in measures), MAIN)

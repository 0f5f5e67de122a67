"""All numbers that tables and sections over sentence pairs are made from."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.benchmarks.schema import PAIRS
from unmask.loading import tables_by
from unmask.pairs.captions import caption_facts
from unmask.pairs.paper_tables import lay_out, paper_tables, with_holm
from unmask.pairs.published import published_percents
from unmask.pairs.unknown import COLUMNS, unknown_tokens
from unmask.pairs.verdicts import verdicts
from unmask.report.captions import Captions, load_captions
from unmask.report.sheets import Sheet
from unmask.report.study import Study
from unmask.statistics.correction import holm
from unmask.statistics.schema import (
    ACCURACY,
    AGREEMENT,
    AREAS_COMPARED,
    BIAS,
    COMPARISONS,
    DISPUTED,
    FLAWS,
    LEVERAGE,
    NEAR_TIES,
    OVERALL,
    QUALITY,
    ROC,
    ROC_BANDS,
    TESTS,
)
from unmask.tables import read_table
from unmask.terms import ORIGINAL

FILES = (
    "bias",
    "leverage",
    "accuracy",
    "tests",
    "agreement",
    "measures_compared",
    "models_compared",
    "areas_compared",
    "quality",
    "disputed",
    "pairs",
    "published",
    "captions",
)
"""What Results.gather reads."""


@dataclass(frozen=True)
class Results:
    """All numbers of a study.

    bias (with `verdict`), leverage, accuracy, tests, agreement, measures_compared, areas_compared, quality,
    disputed: the tables of unmask.statistics.schema over the whole study, with the columns model and
    benchmark. models_compared: COMPARISONS over the whole study, with the column benchmark. Tests,
    comparisons and quality have p_holm beside p. published: what unmask.pairs.published.published_percents
    gives. alpha: the level of the tests. unknown: the tokens that each model's tokenizer does not know
    (unmask.pairs.unknown).
    """

    study: Study
    bias: pd.DataFrame
    leverage: pd.DataFrame
    accuracy: pd.DataFrame
    tests: pd.DataFrame
    agreement: pd.DataFrame
    measures_compared: pd.DataFrame
    models_compared: pd.DataFrame
    areas_compared: pd.DataFrame
    quality: pd.DataFrame
    disputed: pd.DataFrame
    captions: Captions
    published: pd.DataFrame
    alpha: float
    unknown: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=list(COLUMNS)))

    @classmethod
    def gather(
        cls,
        study: Study,
        bias: Iterable[str | Path],
        leverage: Iterable[str | Path],
        accuracy: Iterable[str | Path],
        tests: Iterable[str | Path],
        agreement: Iterable[str | Path],
        measures_compared: Iterable[str | Path],
        models_compared: Iterable[str | Path],
        areas_compared: Iterable[str | Path],
        quality: Iterable[str | Path],
        disputed: Iterable[str | Path],
        pairs: Iterable[str | Path],
        published: str | Path,
        captions: str | Path,
        alpha: float,
    ) -> "Results":
        """From the files of every model and benchmark, the pairs of every benchmark, the CSV of published
        values and the YAML of captions.

        models_compared: a file for each benchmark.
        """
        quality = list(quality)
        bias_rows, accuracy_rows = study.collect(bias, BIAS), study.collect(accuracy, ACCURACY)
        bias_rows = bias_rows.assign(verdict=verdicts(bias_rows))
        test_rows = with_holm(study.collect(tests, TESTS))
        agreement_rows = study.collect(agreement, AGREEMENT)
        return cls(
            study,
            bias_rows,
            study.collect(leverage, LEVERAGE),
            accuracy_rows,
            test_rows,
            agreement_rows,
            holm(study.collect(measures_compared, COMPARISONS), by=["protocol"]),
            holm(_between_models(study, models_compared), by=["protocol"]),
            holm(study.collect(areas_compared, AREAS_COMPARED), by=["protocol"]),
            holm(study.collect(quality, QUALITY), by=["protocol"]),
            study.collect(disputed, DISPUTED),
            load_captions(
                captions, **caption_facts(alpha, bias_rows, test_rows, agreement_rows, _raters(pairs))
            ),
            published_percents(published),
            alpha,
            unknown_tokens(study, quality),
        )

    @cached_property
    def tables(self) -> Mapping[str, pd.DataFrame]:
        """The paper's tables by name."""
        return paper_tables(self.study, self.bias, self.accuracy, self.tests, self.published, self.alpha)

    def overall(self) -> pd.DataFrame:
        """The bias scores over all pairs of a benchmark, in their original order."""
        original = self.original()
        return original[original["grouping"] == OVERALL]

    def original(self) -> pd.DataFrame:
        """The bias scores of sentences in their original order."""
        return self.bias[self.bias["variant"] == ORIGINAL]

    def tidy(self) -> dict[str, pd.DataFrame]:
        """The machine-readable tables by name."""
        return {
            "bias": self.bias,
            "leverage": self.leverage,
            "accuracy": self.accuracy,
            "tests": self.tests,
            "agreement": self.agreement,
            "measures_compared": self.measures_compared,
            "models_compared": self.models_compared,
            "areas_compared": self.areas_compared,
            "quality": self._quality_with_unknown(),
            "disputed": self.disputed,
            **self.tables,
        }

    def _quality_with_unknown(self) -> pd.DataFrame:
        """The rows of quality, with the percentage of tokens that the model's tokenizer does not know."""
        shares = self.unknown[["model", "benchmark", "share"]].rename(columns={"share": "unknown_percent"})
        return self.quality.merge(shares, on=["model", "benchmark"], how="left", validate="many_to_one")

    def sheets(self) -> dict[str, Sheet]:
        """The paper's tables as they are shown, by name."""
        empty = self.captions["empty"]
        return {name: lay_out(rows, self.captions[name], empty) for name, rows in self.tables.items()}


@dataclass(frozen=True)
class Found:
    """What the files of a study say of sentence pairs, each read when it is first asked for, and once.

    files: FILES; roc, roc_bands, near_ties and precision (of every model and benchmark), flaws (of every
    benchmark), scores (all of the study), and for the explorer labels (of the benchmarks that have some) and
    explored (of every model and benchmark that it shows). settings: models, benchmarks, alpha, dtype,
    measures, and explorer (what it shows: models, benchmarks, most).
    """

    files: Mapping[str, Any]
    settings: Mapping[str, Any]

    @cached_property
    def study(self) -> Study:
        return Study.from_config(self.settings["models"], self.settings["benchmarks"])

    @cached_property
    def results(self) -> Results:
        return Results.gather(
            self.study, **{name: self.files[name] for name in FILES}, alpha=self.settings["alpha"]
        )

    @cached_property
    def pairs(self) -> dict[str, pd.DataFrame]:
        """PAIRS of every benchmark, by name."""
        return tables_by(self.files["pairs"], PAIRS, "benchmark")

    @cached_property
    def flaws(self) -> dict[str, pd.DataFrame]:
        """FLAWS of every benchmark, by name."""
        return tables_by(self.files["flaws"], FLAWS, "benchmark")

    @cached_property
    def roc(self) -> pd.DataFrame:
        """ROC of every model and benchmark."""
        return self.study.collect(self.files["roc"], ROC)

    @cached_property
    def roc_bands(self) -> pd.DataFrame:
        """ROC_BANDS of every model and benchmark."""
        return self.study.collect(self.files["roc_bands"], ROC_BANDS)

    @cached_property
    def near_ties(self) -> pd.DataFrame:
        """NEAR_TIES of every model and benchmark."""
        return self.study.collect(self.files["near_ties"], NEAR_TIES)


def _between_models(study: Study, paths: Iterable[str | Path]) -> pd.DataFrame:
    """The comparisons of the study's models in these files, with the column benchmark first."""
    rows = study.of_benchmarks(paths, COMPARISONS)
    models = [model.name for model in study.models]
    return rows[rows["first"].isin(models) & rows["second"].isin(models)].reset_index(drop=True)


def _raters(pairs: Iterable[str | Path]) -> frozenset[int]:
    """By how many raters a pair that has ratings was rated."""
    return frozenset(
        len(ratings)
        for path in pairs
        for ratings in read_table(path, PAIRS)["ratings"]
        if ratings is not None
    )

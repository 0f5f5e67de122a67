"""The results of the association tests of a study, read from its files."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from unmask.associations import comparisons
from unmask.associations.chance import least_p, main_rows, with_power
from unmask.associations.published import COLUMNS
from unmask.associations.schema import ASSOCIATIONS
from unmask.associations.terms import GROUNDED, JOINT, VECTORS, WEAT
from unmask.loading import facts_by, load_tables, shared_facts
from unmask.models.poolings import POOLINGS
from unmask.report.captions import Captions, load_captions
from unmask.report.declared_tables import in_order
from unmask.report.published import read_published
from unmask.report.study import Named
from unmask.statistics.schema import BIAS, OVERALL
from unmask.terms import CORRECTED, ORIGINAL

MEANS = ["encoder", "suite", "test", "pooling", "level", "x1", "x2", "y1", "y2"]
"""Columns of the 2×2 of grounded tests."""

CELL_COLUMNS = [*MEANS[:5], "words", "pictured_with", "alone", "with_x", "with_y"]
"""Columns of all cells of grounded tests that have more than the 2×2."""

SCORES = ["model", "benchmark", "measure", "score", "low", "high"]
"""Columns of bias scores with their intervals, in percent; nan without one."""


@dataclass(frozen=True)
class AssociationResults:
    """files: associations (ASSOCIATIONS of every encoder and suite), captions and published; and, each empty
    or left out where there is none, bias (unmask.statistics.schema.BIAS of every model and benchmark) and
    truths (STIMULI of suites: what files call the sets).

    settings: encoders (each with name and, where it is known, source; in the order of the study), alpha,
    confidence, poolings (in the order of the study), published (what
    resources/associations/published.csv calls an encoder, by its name), released (the suites whose tests are
    those published ones) and pairs (the measures that bias scores are by).
    """

    files: Mapping[str, Any]
    settings: Mapping[str, Any]

    @cached_property
    def encoders(self) -> list[Named]:
        """In the order of the study."""
        return [Named.from_config(entry) for entry in self.settings["encoders"]]

    @property
    def names(self) -> list[str]:
        return [encoder.name for encoder in self.encoders]

    @property
    def alpha(self) -> float:
        return float(self.settings["alpha"])

    @property
    def confidence(self) -> float:
        return float(self.settings["confidence"])

    @cached_property
    def poolings(self) -> list[str]:
        """Joint ones, which come before those of the word, then those of the study and all others."""
        of_study = [str(pooling) for pooling in self.settings.get("poolings") or []]
        return list(dict.fromkeys([JOINT, *of_study, *POOLINGS, VECTORS, *GROUNDED]))

    def printed_name(self, encoder: str) -> str | None:
        """What published.csv calls an encoder, where its entry says so."""
        name = (self.settings.get("published") or {}).get(encoder)
        return None if name is None else str(name)

    @property
    def released(self) -> list[str]:
        """The suites whose tests are those that values were published of."""
        return list(self.settings.get("released") or [])

    def _paths(self, name: str) -> list[Any]:
        return list(self.files.get(name) or [])

    def _of_encoders(self, name: str, schema: pa.Schema) -> pd.DataFrame:
        """The tables of every encoder and suite, with the columns encoder and suite first."""
        return load_tables(self._paths(name), schema, "encoder", "suite", order={"encoder": self.names})

    @cached_property
    def rows(self) -> pd.DataFrame:
        """ASSOCIATIONS with the columns encoder and suite first, and least_p and able
        (unmask.associations.chance) last, in the order of suites and tests, then encoders and poolings."""
        rows = self._of_encoders("associations", ASSOCIATIONS)
        rows = rows.assign(least_p=least_p(rows), able=with_power(rows, self.alpha))
        # tests of two suites may have one name
        number = rows.groupby(["suite", "test"], sort=False).ngroup()
        rows = in_order(
            rows.assign(number=number),
            suite=rows["suite"].unique(),
            number=range(len(rows)),
            encoder=self.names,
            pooling=self.poolings,
        )
        return rows.drop(columns="number").reset_index(drop=True)

    @cached_property
    def weat(self) -> pd.DataFrame:
        """The rows of tests without pictures."""
        return self.rows[self.rows["experiment"] == WEAT]

    @cached_property
    def main(self) -> pd.DataFrame:
        """The main rows of `weat` (unmask.associations.chance.main_rows)."""
        return main_rows(self.weat)

    @cached_property
    def grounded(self) -> pd.DataFrame:
        """The main rows of grounded tests."""
        return main_rows(self.rows[self.rows["experiment"] != WEAT])

    @cached_property
    def means(self) -> pd.DataFrame:
        """The 2×2 of all grounded tests, with MEANS, in the order of the study."""
        return self._of_facts("means", MEANS)

    @cached_property
    def cells(self) -> pd.DataFrame:
        """All cells of grounded tests that have more than the 2×2, with CELL_COLUMNS, in the order of the
        study."""
        return self._of_facts("cells", CELL_COLUMNS)

    def _of_facts(self, name: str, columns: list[str]) -> pd.DataFrame:
        """What the metadata of ASSOCIATIONS list under a name, of all encoders and suites."""
        of_tests = [
            {"encoder": encoder, "suite": suite, **record}
            for (encoder, suite), facts in self._facts.items()
            for record in facts.get(name) or []
            if encoder in self.names
        ]
        return in_order(pd.DataFrame(of_tests, columns=columns), encoder=self.names)

    @cached_property
    def poolings_compared(self) -> pd.DataFrame:
        return comparisons.poolings_compared(self.main, self.poolings)

    @cached_property
    def flips(self) -> pd.DataFrame:
        return comparisons.flips(self.main, self.alpha)

    @cached_property
    def points(self) -> pd.DataFrame:
        """Mean d with bias scores."""
        scores = bias_scores(self._paths("bias"), self.settings.get("pairs") or [])
        return comparisons.points(self.main, scores)

    @cached_property
    def with_pairs(self) -> pd.DataFrame:
        return comparisons.with_pairs(self.points)

    @cached_property
    def _facts(self) -> dict[tuple[str, ...], dict[str, Any]]:
        """The metadata of ASSOCIATIONS by encoder and suite."""
        return facts_by(self._paths("associations"), "encoder", "suite")

    @cached_property
    def _tests(self) -> dict[tuple[str, str], dict[str, Any]]:
        """What the metadata of suites say of each test, by suite and test."""
        return {
            (suite, str(test["name"])): test
            for (suite,), facts in facts_by(self._paths("truths"), "suite").items()
            for test in facts.get("tests") or []
        }

    def of_tests(self, key: str) -> dict[tuple[str, str], Mapping[str, Any]]:
        """What suites say of their tests under a key, by suite and test, where they do: `categories`, what
        files call the sets, or `pictures`, how many the cells of a grounded test have."""
        return {name: test[key] for name, test in self._tests.items() if test.get(key)}

    def remarks(self) -> list[str]:
        """What was left out, each with its suite: of the tests as they were read, then of what encoders made
        of them; once where several say it."""
        of_tests = {f"{suite}: {test}: ": facts for (suite, test), facts in self._tests.items()}
        of_encoders = [(f"{suite}: ", facts) for (_, suite), facts in self._facts.items()]
        sources = [*of_tests.items(), *of_encoders]
        return list(
            dict.fromkeys(start + each for start, facts in sources for each in facts.get("remarks") or [])
        )

    @cached_property
    def published(self) -> pd.DataFrame:
        """What others have published (unmask.associations.published.COLUMNS)."""
        return read_published(self.files["published"], COLUMNS)

    @cached_property
    def captions(self) -> Captions:
        """With what they name filled in, from settings and from what the tables say of themselves."""
        options = shared_facts(self._paths("associations"), "options").get("options", {})
        return load_captions(
            self.files["captions"],
            alpha=f"{self.alpha:g}",
            confidence=f"{100 * self.confidence:g}",
            resamples=str(options.get("bootstrap", 0)),
            permutations=str(options.get("permutations", 0)),
            exact=str(options.get("exact", 0)),
        )


def bias_scores(paths: Iterable[str | Path], measures: Sequence[str]) -> pd.DataFrame:
    """The bias scores over all pairs of each model and benchmark, with SCORES: of the original sentences,
    corrected, by these measures. paths: tables BIAS, whose metadata name model and benchmark."""
    rows = load_tables(paths, BIAS, "model", "benchmark")
    chosen = (
        (rows["variant"] == ORIGINAL)
        & (rows["protocol"] == CORRECTED)
        & (rows["grouping"] == OVERALL)
        & rows["measure"].isin(list(measures))
        & rows["score"].notna()
    )
    return rows.loc[chosen, SCORES].reset_index(drop=True)

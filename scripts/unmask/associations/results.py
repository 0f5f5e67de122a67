"""What a study has found with association tests, out of its files."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd
import pyarrow as pa

from unmask.associations import agreement, comparisons
from unmask.associations.chance import least_p, main_rows, with_power
from unmask.associations.metadata import (
    bias_scores,
    categories_of,
    means_of,
    pictures_of,
    remarks_of,
    strengths_of,
)
from unmask.associations.published import COLUMNS
from unmask.associations.schema import ASSOCIATIONS, CONSTRUCTED, DRAWS
from unmask.associations.terms import GROUNDED, POOLINGS, VECTORS, WEAT
from unmask.loading import load_tables, shared_facts
from unmask.report.captions import Captions, load_captions
from unmask.report.published import read_published
from unmask.report.study import Named
from unmask.tables import framed, read_table
from unmask.terms import CORRECTED

TOLERANCE = 1e-6
"""How far a measured gap of hand-set weights may be from the truth: rounding of single precision."""


@dataclass(frozen=True)
class AssociationResults:
    """files: associations (ASSOCIATIONS of every encoder and suite), captions and published; and, each empty
    or left out where there is none, draws (DRAWS of the same), constructed (CONSTRUCTED), bias
    (unmask.statistics.schema.BIAS of every model and benchmark) and truths (STIMULI of suites: what was
    planted in them, and what files call the sets).

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
        """Those of the study, then all others."""
        of_study = [str(pooling) for pooling in self.settings.get("poolings") or []]
        return list(dict.fromkeys([*of_study, *POOLINGS, VECTORS, *GROUNDED]))

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
        poolings = {name: place for place, name in enumerate(self.poolings)}
        tests = {key: place for place, key in enumerate(_tests(rows))}
        order = pd.DataFrame(
            {
                "test": [tests[key] for key in zip(rows["suite"], rows["test"], strict=True)],
                "encoder": rows["encoder"].map({name: n for n, name in enumerate(self.names)}),
                "pooling": rows["pooling"].map(poolings),
            },
            index=rows.index,
        ).sort_values(["test", "encoder", "pooling"], kind="stable")
        in_order: pd.DataFrame = rows.loc[order.index].reset_index(drop=True)
        return in_order

    @cached_property
    def weat(self) -> pd.DataFrame:
        """The rows of tests without pictures."""
        return self.rows[self.rows["experiment"] == WEAT]

    @cached_property
    def main(self) -> pd.DataFrame:
        """Of `weat` the rows that are read first (unmask.associations.chance.main_rows)."""
        return main_rows(self.weat)

    @cached_property
    def grounded(self) -> pd.DataFrame:
        """The rows of grounded tests that are read first."""
        return main_rows(self.rows[self.rows["experiment"] != WEAT])

    @cached_property
    def means(self) -> pd.DataFrame:
        """The 2×2 of grounded tests."""
        return means_of(self.names, self._paths("associations"))

    @cached_property
    def poolings_compared(self) -> pd.DataFrame:
        return agreement.poolings_compared(self.main, self.poolings)

    @cached_property
    def flips(self) -> pd.DataFrame:
        return agreement.flips(self.main, self.alpha)

    @cached_property
    def differences(self) -> pd.DataFrame:
        """Between every two encoders (unmask.associations.comparisons), at both levels."""
        rows = self.rows[self.rows["protocol"] == CORRECTED]
        draws = self._of_encoders("draws", DRAWS)
        if len(draws):
            shared_facts([*self._paths("associations"), *self._paths("draws")], "options")
        return comparisons.differences(self.names, rows, draws, self.confidence)

    @cached_property
    def points(self) -> pd.DataFrame:
        """Mean d beside bias scores (unmask.associations.agreement.points)."""
        scores = bias_scores(self._paths("bias"), self.settings.get("pairs") or [])
        return agreement.points(self.main, scores)

    @cached_property
    def with_pairs(self) -> pd.DataFrame:
        return agreement.with_pairs(self.points)

    @cached_property
    def constructed(self) -> pd.DataFrame:
        """CONSTRUCTED."""
        path = self.files.get("constructed")
        return read_table(path, CONSTRUCTED) if path else framed([], CONSTRUCTED)

    @cached_property
    def planted(self) -> pd.DataFrame:
        """Of `main` the tests of which it is known what was planted, with STRENGTHS; weakest first."""
        rows = self.main.merge(strengths_of(self._paths("truths")), on=["suite", "test"])
        return rows.sort_values("strength", kind="stable")

    @cached_property
    def categories(self) -> dict[tuple[str, str], Mapping[str, str]]:
        """What files call the sets of their tests, by suite and test."""
        return categories_of(self._paths("truths"))

    def remarks(self) -> list[str]:
        """What the tables say of what was left out."""
        return remarks_of(self._paths("truths"), self._paths("associations"))

    @cached_property
    def pictures(self) -> dict[tuple[str, str], Mapping[str, int]]:
        """How many pictures the cells of grounded tests have, by suite and test."""
        return pictures_of(self._paths("truths"))

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


def _tests(rows: pd.DataFrame) -> list[tuple[str, str]]:
    """Suites in order of appearance, and the tests of each."""
    tests = list(dict.fromkeys(zip(rows["suite"], rows["test"], strict=True)))
    suites = list(dict.fromkeys(suite for suite, _ in tests))
    return sorted(tests, key=lambda key: suites.index(key[0]))

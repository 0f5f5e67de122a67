"""The evidence of one model on one benchmark in one order of words, and the scores that it comes to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.evidence.schema import LIKELIEST, read_evidence
from unmask.measures.formulas import maskings_of
from unmask.measures.schema import SCORES
from unmask.measures.scoring import Evidence, is_exact, score_pairs, without_float_error
from unmask.tables import framed, read_metadata, read_table


@dataclass(frozen=True, eq=False)
class Variant:
    """What a model says of the sentences of all pairs: EVIDENCE by masking, what its tables state likewise,
    and the measures that it is read for. Without measures it is empty.

    likeliest: LIKELIEST by masking, of those that have some.
    """

    name: str
    measures: Sequence[str]
    evidence: Evidence
    facts: Mapping[str, Mapping[str, Any]]
    likeliest: Mapping[str, pd.DataFrame]

    @classmethod
    def read(
        cls, tables: Mapping[str, Path], name: str, measures: Sequence[str], pairs: pd.DataFrame
    ) -> "Variant":
        """The variant `name` of the evidence that is listed as `tables` (unmask.evidence.lists.listed)."""
        paths = {masking: tables[f"{name}/{masking}.parquet"] for masking in maskings_of(measures)}
        tops = {masking: tables.get(f"{name}/{masking}.top.parquet") for masking in paths}
        return cls(
            name,
            measures,
            {masking: read_evidence(path, pairs) for masking, path in paths.items()},
            {masking: read_metadata(path) for masking, path in paths.items()},
            {masking: read_table(path, LIKELIEST) for masking, path in tops.items() if path},
        )

    def scores(self, pairs: pd.DataFrame) -> pd.DataFrame:
        """The rows of SCORES of all pairs; those of an exact model have no float error."""
        if not self.measures:
            return framed([], SCORES)
        rows = score_pairs(list(pairs["pair_id"]), self.evidence, self.measures)
        return without_float_error(rows) if all(map(is_exact, self.facts.values())) else rows

    @property
    def unknown_tokens(self) -> Mapping[str, Any] | None:
        """How many tokens the model's tokenizer does not know; None where there is no tokenizer."""
        unknown: Mapping[str, Any] | None = next(iter(self.facts.values()), {}).get("unknown_tokens")
        return unknown

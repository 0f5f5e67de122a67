"""One reading of the evidence of a model on a benchmark, for all that is made of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import pyarrow as pa

from unmask.evidence.schema import in_chunks
from unmask.measures.formulas import maskings_of
from unmask.measures.schema import SCORES
from unmask.measures.scoring import Evidence, score_pairs, without_float_error
from unmask.pairs.explorer import evidence_of_pairs
from unmask.statistics.computing import EvidenceCounts, Part
from unmask.tables import as_table
from unmask.terms import SHUFFLED


@dataclass
class Reading:
    """What is kept of evidence: its rows are not, but for those that the explorer shows.

    counts: what statistics need of it, if they are wanted. measures: those that are scored;
    shuffled_measures: those of the shuffled variant. exact: whether the model is exact, so that its scores
    have no float error. explored_pairs: those that the explorer shows, if it shows any.
    """

    counts: EvidenceCounts | None
    measures: Sequence[str]
    shuffled_measures: Sequence[str] = ()
    exact: bool = False
    explored_pairs: pd.DataFrame | None = None
    scores: list[pa.Table] = field(default_factory=list)
    """SCORES of the original variant, some pairs after the other."""
    shuffled_scores: list[pa.Table] = field(default_factory=list)
    explored_evidence: list[dict[str, pd.DataFrame]] = field(default_factory=list)
    """The evidence of explored pairs by masking."""

    def read(self, files: Mapping[str, str | Path], pairs: pd.DataFrame) -> None:
        """Read all evidence once: files by masking, that of the shuffled variant under SHUFFLED.

        Raises InputError as `in_chunks` does.
        """
        for some, evidence in in_chunks(files, pairs):
            shuffled = evidence.pop(SHUFFLED, None)
            if self.counts is not None:
                self.counts.add(Part(some, evidence, shuffled))
            self.scores.append(self._scores(some, evidence, self.measures))
            if shuffled is not None:
                (masking,) = maskings_of(self.shuffled_measures)
                self.shuffled_scores.append(self._scores(some, {masking: shuffled}, self.shuffled_measures))
            if self.explored_pairs is not None:
                self.explored_evidence.append(evidence_of_pairs(self.explored_pairs, evidence))

    def _scores(self, some: pd.DataFrame, evidence: Evidence, measures: Sequence[str]) -> pa.Table:
        rows = score_pairs(list(some["pair_id"]), evidence, measures)
        return as_table(without_float_error(rows) if self.exact else rows, SCORES)

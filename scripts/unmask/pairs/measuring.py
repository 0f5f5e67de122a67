"""All statistics of one model on one benchmark: of its evidence, or of a file of scores."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.evidence.schema import LIKELIEST, read_evidence
from unmask.measures.formulas import maskings_of
from unmask.measures.scoring import SCORES, Evidence, score_pairs
from unmask.pairs.elsewhere import MEANS, Matched
from unmask.statistics.computing import Measured, compute
from unmask.statistics.decisions import decisions
from unmask.statistics.null import words_of_scores
from unmask.tables import framed, read_metadata, read_table


@dataclass(frozen=True, eq=False)
class Variant:
    """What a model says of the sentences of all pairs, in one order of words: EVIDENCE by masking, what its
    tables state likewise, and the measures that it is read for. Without measures it is empty.

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
        exact = all(facts.get("dtype") == "float64" for facts in self.facts.values())
        return score_pairs(list(pairs["pair_id"]), self.evidence, self.measures, exact)

    @property
    def unknown_tokens(self) -> Mapping[str, Any] | None:
        """How many tokens the model's tokenizer does not know; None where there is no tokenizer."""
        unknown: Mapping[str, Any] | None = next(iter(self.facts.values()), {}).get("unknown_tokens")
        return unknown


def statistics_of(
    pairs: pd.DataFrame,
    flaws: pd.DataFrame,
    original: Variant,
    shuffled: Variant,
    scores: Mapping[str, pd.DataFrame],
    networks: Iterable[pd.DataFrame],
    options: Mapping[str, Any],
) -> dict[str, pd.DataFrame]:
    """The tables by name, as unmask.statistics.computing.compute has them.

    pairs, flaws: PAIRS and FLAWS; scores: SCORES by the name of the variant; networks: SCORES of untrained
    networks; options: the study's `statistics`. A shuffled variant without measures has no rows anywhere.
    """
    measured = {
        variant.name: Measured(decisions(pairs, scores[variant.name]), variant.evidence)
        for variant in (original, shuffled)
        if variant.measures
    }
    unknown = original.unknown_tokens
    return compute(
        pairs,
        flaws,
        measured[original.name],
        options,
        measured.get(shuffled.name),
        [decisions(pairs, rows) for rows in networks],
        unknown_id=unknown["id"] if unknown else None,
    )


def statistics_of_file(
    pairs: pd.DataFrame,
    flaws: pd.DataFrame,
    scores: pd.DataFrame,
    matched: Matched,
    options: Mapping[str, Any],
) -> dict[str, pd.DataFrame]:
    """The same of scores that were made elsewhere, which have no evidence: the null of word choice of MEANS
    is that of `words_of_scores`."""
    original = decisions(pairs, scores)
    series = [each for each in original.series if each[0] in MEANS]
    words = dict.fromkeys(series, words_of_scores(pairs, matched.sides)) if series else None
    return compute(pairs, flaws, Measured(original), options, words=words)

"""All statistics of one model on one benchmark: of its evidence, or of a file of scores, which are
matched with its pairs."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from unmask.errors import InputError
from unmask.evidence.schema import LIKELIEST, read_evidence
from unmask.measures.formulas import maskings_of, measure
from unmask.measures.scoring import SCORES, Evidence, decided, score_pairs
from unmask.pairs.elsewhere import MEANS, PAIR_ID, ScoreFile, one_line
from unmask.statistics.computing import Measured, compute
from unmask.statistics.decisions import decisions
from unmask.statistics.null import words_of_scores
from unmask.tables import framed, read_metadata, read_table
from unmask.terms import ANTISTEREOTYPE, CORRECTED, PROTOCOLS, STEREOTYPE

logger = logging.getLogger(__name__)

NAMED = 20
"""So many pairs without a score, and rows without a pair, are named; all are counted."""


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
    measured = Measured(decisions(pairs, scores[original.name]), original.evidence)
    control = None
    if shuffled.measures:
        control = Measured(decisions(pairs, scores[shuffled.name]), shuffled.evidence)
    unknown = (original.unknown_tokens or {}).get("id")
    untrained = [decisions(pairs, rows) for rows in networks]
    return compute(pairs, flaws, measured, options, control, untrained, unknown_id=unknown)


@dataclass(frozen=True)
class Matched:
    """The scores of both sides of all pairs, and what does not match.

    sides: shape (2, pairs), stereotype and antistereotype, nan where the file has no score of a pair.
    without_score: the pairs that it has none of. without_pair: the places of rows that match no pair.
    """

    sides: npt.NDArray[np.float64]
    without_score: list[str]
    without_pair: list[str]


def match(pairs: pd.DataFrame, file: ScoreFile, benchmark: str) -> Matched:
    """The scores of the pairs (PAIRS) of a benchmark.

    Neither the order of rows counts nor that of the sentences in them.
    Raises InputError where no pair has a score.
    """
    columns = [PAIR_ID] if file.by == PAIR_ID else [STEREOTYPE, ANTISTEREOTYPE]
    keys = [tuple(map(one_line, names)) for names in pairs[columns].itertuples(index=False, name=None)]
    sides = np.full((2, len(pairs)), np.nan)
    for place, key in enumerate(keys):
        if scores := file.scores.get(tuple(sorted(key))):
            order = 1 if key == tuple(sorted(key)) else -1
            sides[:, place] = scores.values[::order]
    without = list(pairs.loc[np.isnan(sides[0]), PAIR_ID])
    used = {tuple(sorted(key)) for key in keys}
    rows = [scores.place for key, scores in file.scores.items() if key not in used]
    if len(without) == len(pairs):
        raise InputError(
            f"{file.path}: none of its {file.rows} rows is of a pair of {benchmark}, by {file.by}; "
            "--benchmark, or the key benchmarks of the model, names those that it has scores of"
        )
    logger.info("%s: %d of %d pairs have a score", file.path, len(pairs) - len(without), len(pairs))
    for what, lacking in (("pairs without a score", without), ("rows of no pair", rows)):
        if lacking:
            names = "; ".join(lacking[:NAMED])
            logger.warning("%s: %s of %s: %d (%s)", file.path, what, benchmark, len(lacking), names)
    return Matched(sides, without, rows)


def scores_table(pairs: pd.DataFrame, matched: Matched, name: str) -> pd.DataFrame:
    """The rows of SCORES of a file's scores, under the name of a measure. They are taken as they are, without
    an error.

    The protocol `published` counts a pair without a score as one that does not prefer the stereotype, so
    where some have none there is `corrected` alone.
    """
    error, nothing = np.zeros_like(matched.sides), np.zeros(len(pairs), bool)
    protocols = [CORRECTED] if matched.without_score else list(PROTOCOLS)
    ids = list(pairs[PAIR_ID])
    parts = [decided(ids, measure(name), protocol, matched.sides, error, nothing) for protocol in protocols]
    return pd.concat(parts, ignore_index=True)


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

"""Scores that were made elsewhere, matched with the pairs of a benchmark."""

import logging
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from unmask.errors import InputError
from unmask.measures.formulas import measure
from unmask.measures.scoring import decided
from unmask.pairs.elsewhere import PAIR_ID, ScoreFile, one_line
from unmask.terms import ANTISTEREOTYPE, CORRECTED, PROTOCOLS, STEREOTYPE

logger = logging.getLogger(__name__)

NAMED = 20
"""So many pairs without a score, and rows without a pair, are named; all are counted."""


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

    Neither the order of rows counts nor that of the sentences in them. Where both sentences of a pair are the
    same, the mean of both scores is that of either, as what differs is float error.
    Raises InputError where no pair has a score.
    """
    columns = [PAIR_ID] if file.by == PAIR_ID else [STEREOTYPE, ANTISTEREOTYPE]
    keys = [tuple(map(one_line, names)) for names in pairs[columns].itertuples(index=False, name=None)]
    sides = np.full((2, len(pairs)), np.nan)
    for place, key in enumerate(keys):
        if scores := file.scores.get(tuple(sorted(key))):
            order = 1 if key == tuple(sorted(key)) else -1
            sides[:, place] = scores.values[::order]
    alike = pairs[STEREOTYPE].map(one_line) == pairs[ANTISTEREOTYPE].map(one_line)
    sides[:, alike] = sides[:, alike].mean(axis=0)
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

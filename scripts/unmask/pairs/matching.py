"""Scores that were made elsewhere, matched with the pairs of a benchmark."""

import logging
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from unmask.errors import InputError
from unmask.measures.formulas import measure
from unmask.measures.scoring import decided
from unmask.pairs.score_file import PAIR_ID, SENTENCE, Key, ScoreFile, one_line
from unmask.terms import ANTISTEREOTYPE, CORRECTED, PROTOCOLS, STEREOTYPE

NAMED = 20
"""So many pairs without a score, and rows without a pair, are named; all are counted."""

logger = logging.getLogger(__name__)

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Matched:
    """The scores of both sides of all pairs, and what does not match.

    sides: shape (2, pairs), stereotype and antistereotype, nan where the file has no score of a pair.
    without_score: the pairs that it has none of. without_pair: the places of rows that match no pair.
    tokens: over how many tokens each score is taken, of the same shape; None where the file does not say.
    """

    sides: Floats
    without_score: list[str]
    without_pair: list[str]
    tokens: Floats | None = None

    def facts(self, file: ScoreFile) -> dict[str, Any]:
        """The same as metadata: what was matched by what, and how much was not."""
        return {
            "by": file.by,
            "rows": file.rows,
            "repeated": file.repeated,
            "decimals": file.decimals,
            "pairs": int(self.sides.shape[1]),
            "pairs_without_score": len(self.without_score),
            "rows_without_pair": len(self.without_pair),
            "named_pairs": self.without_score[:NAMED],
            "named_rows": self.without_pair[:NAMED],
        }


def match(pairs: pd.DataFrame, file: ScoreFile, benchmark: str) -> Matched:
    """The scores of the pairs (PAIRS) of a benchmark.

    Neither the order of rows counts nor that of the sentences in them.
    Raises InputError where no pair has a score.
    """
    used: set[Key] = set()
    sides, tokens = np.full((2, len(pairs)), np.nan), np.full((2, len(pairs)), np.nan)
    without: list[str] = []
    columns = ["pair_id", STEREOTYPE, ANTISTEREOTYPE]
    for place, (pair_id, *texts) in enumerate(pairs[columns].itertuples(index=False, name=None)):
        first, second = map(one_line, texts)
        if file.by == SENTENCE:
            keys: list[Key] = [(first,), (second,)]
        elif file.by == PAIR_ID:
            keys = [(one_line(pair_id),)]
        else:
            keys = [(first, second) if first <= second else (second, first)]
        if all(key in file.scores for key in keys):
            used.update(keys)
            order = -1 if len(keys[0]) == 2 and first > second else 1
            sides[:, place] = [value for key in keys for value in file.scores[key].values][::order]
            if file.has_tokens:
                tokens[:, place] = [count for key in keys for count in file.scores[key].tokens][::order]
        else:
            without.append(str(pair_id))
    rows = [scores.place for key, scores in file.scores.items() if key not in used]
    if len(without) == len(pairs):
        raise InputError(
            f"{file.path}: none of its {file.rows} rows is of a pair of {benchmark}, by {file.by}; "
            "--benchmark, or the key benchmarks of the model, names those that it has scores of"
        )
    matched = Matched(sides, without, rows, tokens if file.has_tokens else None)
    _log(matched, file, benchmark)
    return matched


def _log(matched: Matched, file: ScoreFile, benchmark: str) -> None:
    total, without = matched.sides.shape[1], matched.without_score
    logger.info("%s: %d of %d pairs of %s have a score", file.path, total - len(without), total, benchmark)
    if file.repeated:
        logger.info("%s: %d rows repeat others, with the same scores", file.path, file.repeated)
    if without:
        named = ", ".join(without[:NAMED])
        logger.warning("%s: pairs of %s without a score: %d (%s)", file.path, benchmark, len(without), named)
    if matched.without_pair:
        named = "; ".join(matched.without_pair[:NAMED])
        count = len(matched.without_pair)
        logger.warning("%s: rows of no pair of %s: %d (%s)", file.path, benchmark, count, named)


def scores_table(pairs: pd.DataFrame, matched: Matched, name: str, resolution: float) -> pd.DataFrame:
    """The rows of SCORES of a file's scores, under the name of a measure.

    resolution: how far each score may be from the number that was printed; a near-tie is a pair that so much
    could turn. Sentences that are the same have no such error. The protocol `published` counts a pair
    without a score as one that does not prefer the stereotype, so where some have none there is `corrected`
    alone.
    """
    same = (pairs[STEREOTYPE] == pairs[ANTISTEREOTYPE]).to_numpy(bool)
    error = np.where(same, 0.0, np.full_like(matched.sides, resolution))
    protocols = [CORRECTED] if matched.without_score else list(PROTOCOLS)
    nothing = np.zeros(len(pairs), bool)
    ids = list(pairs["pair_id"])
    parts = [decided(ids, measure(name), protocol, matched.sides, error, nothing) for protocol in protocols]
    return pd.concat(parts, ignore_index=True)

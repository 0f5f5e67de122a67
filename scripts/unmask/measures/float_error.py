"""How far float error may move a score.

Processors, libraries and batches add in different orders, so a log-probability in single precision differs
in its last digits from one machine to another. (Those of exact models do not.) Every measure is a sum or a
mean of weighted log-probabilities: put the error of each log-probability in its place and the size of each
weight in its place, and the measure's own formula gives the largest error of the score.
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from unmask.measures.measure import Evidence
from unmask.measures.reduction import SENTENCE

TOKEN_ERROR = 5e-5
"""How far the log-probability of a token may be from that of another machine, as a share of 1 + |log P|.
docs/determinism.md says what was measured."""

EXACT_SOURCE = "oracle"
"""The source of models that are no networks: their log-probabilities are enumerated in double precision and
rounded (unmask.worlds.exact_evidence), so that what is equal is equal."""


def token_errors(evidence: Evidence) -> dict[str, pd.DataFrame]:
    """Evidence with the error of each log-probability in the place of the log-probability."""
    columns = ["log_prob", "cross_log_prob"]
    return {
        masking: rows.assign(**{c: TOKEN_ERROR * (1 + rows[c].astype("float64").abs()) for c in columns})
        for masking, rows in evidence.items()
    }


def fingerprints(rows: pd.DataFrame) -> "pd.Series[int]":
    """A number for each sentence, the same where all of its evidence is the same to the last bit.

    Sentences of equal tokens are read as one input, so they are equal on every machine.
    """
    hashes = pd.util.hash_pandas_object(rows[["position", "token_id", "log_prob"]], index=False)
    return hashes.groupby([rows[name] for name in SENTENCE], sort=False).sum()


def is_exact(evidence: Mapping[str, Any]) -> bool:
    """Whether evidence with these facts is of an exact model."""
    return bool(evidence.get("model_source", {}).get("source") == EXACT_SOURCE)


def without_float_error(scores: pd.DataFrame) -> pd.DataFrame:
    """Scores (SCORES) with an error of 0, so that no decision is a near-tie: a tie of theirs is a tie."""
    return scores.assign(error=0.0, lowest=scores["outcome"], highest=scores["outcome"])

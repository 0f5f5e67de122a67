"""Scores of exact models, which are the same on every machine."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

EXACT_SOURCE = "oracle"
"""The source of models that are no networks: their log-probabilities are enumerated in double precision and
rounded (unmask.calibration.exact_evidence), so that what is equal is equal."""


def is_exact(evidence: Mapping[str, Any]) -> bool:
    """Whether evidence with these facts is of an exact model."""
    return bool(evidence.get("model_source", {}).get("source") == EXACT_SOURCE)


def without_float_error(scores: pd.DataFrame) -> pd.DataFrame:
    """Scores (SCORES) with an error of 0, so that no decision is a near-tie: a tie of theirs is a tie."""
    return scores.assign(error=0.0, lowest=scores["outcome"], highest=scores["outcome"])

"""Moved: unmask.measures.scoring."""

from unmask.measures.scoring import score_by_protocol as score_by_protocol

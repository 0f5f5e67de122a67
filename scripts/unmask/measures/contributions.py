"""Moved: unmask.measures.reduction."""

from unmask.measures.reduction import contributions as contributions

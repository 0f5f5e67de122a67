"""Moved: unmask.evidence.schema."""

from unmask.evidence.schema import LIKELIEST as LIKELIEST

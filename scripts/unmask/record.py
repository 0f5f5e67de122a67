"""Moved: unmask.facts."""

from unmask.facts import record as record

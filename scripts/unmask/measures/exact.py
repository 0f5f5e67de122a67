"""Moved: unmask.measures.float_error."""

from unmask.measures.float_error import without_float_error as without_float_error

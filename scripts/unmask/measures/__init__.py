"""Measures of bias: short functions from evidence to one score per sentence."""

"""How far apart two numbers of the statistics may be and still count as equal."""

TOLERANCE = 1e-9
"""Relative to the larger number and, near 0, absolute: float64 rounding stays far below it."""


def at_least(value: float, bound: float) -> bool:
    """Is `value` >= `bound`, or below it by rounding alone? nan is not."""
    return value >= bound - TOLERANCE * max(1.0, abs(bound))

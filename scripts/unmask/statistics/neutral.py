"""What no preference is, and when an interval leaves it out."""

from unmask.statistics.schema import DIFFERENCE
from unmask.statistics.tolerance import at_least

NO_PREFERENCE = 50.0
"""The score, in percent, of a model that prefers the two sides of a pair equally often."""


def neutral_of(grouping: str) -> float:
    """The score of a row of BIAS with this grouping where there is no preference, in its unit."""
    return 0.0 if grouping == DIFFERENCE else NO_PREFERENCE


def contains(low: float, high: float, value: float) -> bool:
    """Is a value within the ends of an interval, or outside by rounding alone? nan contains nothing."""
    return at_least(value, low) and at_least(high, value)


def leaves_out(low: float, high: float, value: float) -> bool:
    """Is a value outside of an interval by more than rounding? An unknown interval leaves nothing out."""
    return low <= high and not contains(low, high, value)

"""The measures by name; none is imported here but those that are asked for."""

from collections.abc import Iterable

from unmask.by_name import load
from unmask.measures.measure import Measure

FORMULAS = "measures/formulas"
"""The folder of their modules (see unmask.by_name)."""


def measure(name: str) -> Measure:
    """The measure of that name. Raises InputError where there is none."""
    found: Measure = load(FORMULAS, name).MEASURE
    return found


def maskings_of(measures: Iterable[str]) -> list[str]:
    """The maskings that these measures need, each once, in a fixed order."""
    return sorted({masking for name in measures for masking in measure(name).maskings})


def title_of(name: str) -> str:
    """A measure's name as people read it."""
    return measure(name).title

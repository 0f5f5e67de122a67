"""The measures by name: their formula, the maskings that they read, and what they do with nothing."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unmask.measures import formulas
from unmask.measures.formulas import Evidence
from unmask.terms import ALL, MODIFIED, NONE, ONE_MODIFIED, ONE_SHARED

if TYPE_CHECKING:
    import pandas as pd

Formula = Callable[[Evidence, str], "pd.Series[float]"]


@dataclass(frozen=True)
class Measure:
    """How a measure is made from evidence."""

    formula: Formula
    maskings: tuple[str, ...]
    """The evidence that it reads."""
    of_nothing: float = float("nan")
    """Its score for a sentence with no token to score: 0 for a sum, undefined for a mean."""
    published_decimals: int | None = None
    """To how many decimals the released code rounds before it compares."""


MEASURES: Mapping[str, Measure] = {
    "AUL": Measure(formulas.aul, (NONE,)),
    "AULA": Measure(formulas.aula, (NONE,)),
    "CPS": Measure(formulas.cps, (ONE_SHARED,), of_nothing=0.0, published_decimals=3),
    "SSS": Measure(formulas.sss, (MODIFIED,)),
    "AllMasked": Measure(formulas.all_masked, (ALL,)),
    "AllMaskedSum": Measure(formulas.all_masked_sum, (ALL,), of_nothing=0.0),
    "PLL": Measure(formulas.pll, (ONE_SHARED, ONE_MODIFIED), of_nothing=0.0),
}


def maskings_of(measures: Iterable[str]) -> list[str]:
    """The maskings that these measures need, each once, in a fixed order."""
    needed = {masking for name in measures for masking in MEASURES[name].maskings}
    return sorted(needed)

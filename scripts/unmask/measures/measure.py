"""What a measure is: its formula, and everything else that this project knows of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from unmask.measures.reduction import Reduction

Evidence = Mapping[str, "pd.DataFrame"]
"""Evidence rows by masking."""

Formula = Callable[[Evidence, str], "Reduction"]
"""Takes evidence and a protocol, and says what is summed, and with which weights."""


@dataclass(frozen=True)
class Measure:
    """A measure of bias; each is the `MEASURE` of its module in unmask.measures.formulas."""

    name: str
    formula: Formula
    maskings: tuple[str, ...]
    """The evidence that it reads."""
    title: str
    """Its name as people read it."""
    spelt_out: str
    """What the name abbreviates."""
    reads: str
    """What its score of a sentence is, in a line."""
    of_shuffled: bool = False
    """Whether it is computed of shuffled sentences, too: it asks of no token whether the sides share it."""
    of_nothing: float = float("nan")
    """Its score for a sentence with no token to score: 0 for a sum, undefined for a mean."""
    published_decimals: int | None = None
    """To how many decimals the released code rounds before it compares."""
    readings: tuple[str, ...] = ()
    """Which of its predictions token accuracy counts (see unmask.statistics.accuracy)."""
    predictions_of: str | None = None
    """The measure of the same predictions under whose name their accuracy goes, if it is another."""
    over_all_tokens: str | None = None
    """SUM or MEAN where its score is that of log P over all tokens of a sentence, each with the weight 1;
    else None."""
    reading_against_aul: str | None = None
    """On which of its predictions McNemar's test compares it with AUL, if it does."""

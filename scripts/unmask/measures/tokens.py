"""What the formulas share: the tokens of a sentence's text, and values by sentence."""

from collections.abc import Hashable
from typing import TYPE_CHECKING

from unmask.terms import PUBLISHED

if TYPE_CHECKING:
    import pandas as pd

SENTENCE = ["pair_id", "role"]
"""The columns of evidence that name a sentence."""


def text_tokens(tokens: "pd.DataFrame", protocol: str) -> "pd.DataFrame":
    """The rows without the first and the last token of each sentence (published), or without special ones."""
    if protocol == PUBLISHED:
        last = tokens.groupby(SENTENCE, sort=False)["position"].transform("max")
        return tokens[(tokens["position"] > 0) & (tokens["position"] < last)]
    return tokens[~tokens["special"]]


def by_sentence(
    tokens: "pd.DataFrame", values: "pd.Series[float]"
) -> "pd.api.typing.SeriesGroupBy[float, tuple[Hashable, ...]]":
    """`values`, one for each row of `tokens`, grouped by sentence."""
    # in double precision: a sum of many float32 would depend on their order
    return values.astype("float64").groupby([tokens[name] for name in SENTENCE], sort=False)

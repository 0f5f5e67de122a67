"""What the formulas share: the tokens of a sentence's text."""

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

"""What a tokenizer makes of a benchmark, before a model reads any of it."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from transformers import PreTrainedTokenizerBase

from unmask.errors import InputError
from unmask.evidence.tokenising import encode_pairs, literal_specials
from unmask.models.start import Start, read_after
from unmask.models.tokenizer import load_tokenizer
from unmask.terms import ANTISTEREOTYPE, STEREOTYPE

PAIRS_AT_ONCE = 10_000


@dataclass(frozen=True)
class Survey:
    """Tokens are those of the text of both sides of all pairs, special ones left out."""

    tokens: int
    unknown: int
    """How many of these stand for words that the tokenizer does not know."""
    unknown_id: int | None
    """The token that stands for such words, if the tokenizer has one."""
    longest: int
    """Tokens of the longest sentence of either side, special ones among them."""
    literal: int
    """How many sentences spell out a special token, unrelated ones among them."""

    @property
    def facts(self) -> dict[str, Any]:
        """What evidence says of unknown tokens."""
        return {"id": self.unknown_id, "unknown": self.unknown, "tokens": self.tokens}

    def check(self, limit: float) -> None:
        """Raises InputError where more than `limit` of the tokens, a share, are unknown."""
        share = self.unknown / self.tokens
        if share > limit:
            raise InputError(
                f"{self.unknown} of {self.tokens} tokens ({share:.1%}) are unknown to its tokenizer, more "
                f"than {limit:.1%}; to score it all the same, set config key scoring.unknown_tokens to "
                f"{ceiled(share)}"
            )


def ceiled(share: float) -> float:
    """The share, rounded up to two decimals."""
    return float(np.ceil(100 * share) / 100)


def survey(
    pairs: pd.DataFrame,
    tokenizer: PreTrainedTokenizerBase,
    roles: Iterable[str],
    max_length: int | None = None,
) -> Survey:
    """Tokenise the sentences of a Pairs table, those of both sides and of `roles`.

    Raises InputError as `encode_pairs` does.
    """
    of_roles = [*{STEREOTYPE, ANTISTEREOTYPE, *roles}]
    spells_out, unknown_id = literal_specials(tokenizer), tokenizer.unk_token_id
    tokens = unknown = longest = 0
    for start in range(0, len(pairs), PAIRS_AT_ONCE):
        chunk = pairs.iloc[start : start + PAIRS_AT_ONCE]
        for of_role in encode_pairs(chunk, tokenizer, of_roles, max_length):
            for sentence in (of_role[STEREOTYPE], of_role[ANTISTEREOTYPE]):
                text = sentence.ids[~sentence.special]
                tokens, longest = tokens + len(text), max(longest, len(sentence.ids))
                unknown += 0 if unknown_id is None else int((text == unknown_id).sum())
    literal = sum(int(pairs[role].dropna().str.contains(spells_out).sum()) for role in of_roles)
    return Survey(tokens, unknown, unknown_id, longest, literal)


def tokenizer_of(directory: str | Path, start: Start | None = None) -> PreTrainedTokenizerBase:
    """The tokenizer of a model directory; a causal language model's puts the start token before a text."""
    tokenizer = load_tokenizer(directory)
    if start is not None:
        read_after(tokenizer, start)
    return tokenizer

"""Sentences as a model reads them: token ids, special tokens, and what a pair shares."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from unmask.errors import InputError
from unmask.terms import ANTISTEREOTYPE, STEREOTYPE, UNRELATED

if TYPE_CHECKING:
    # an exact model has sentences too, and no transformers
    from transformers import PreTrainedTokenizerBase

Mask = npt.NDArray[np.bool_]
Positions = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Sentence:
    """One tokenised sentence of a pair; arrays have its length in tokens."""

    pair_id: str
    role: str
    ids: npt.NDArray[np.int64]
    special: Mask
    """Tokens that the tokenizer put around the text."""
    modified: Mask | None = None
    """Tokens outside those that the two sentences of the pair share; None where that means nothing."""
    source: Positions | None = None
    """For a shuffled sentence: where each token stood before."""

    def positions(self, modified: bool) -> Positions:
        """Where its modified tokens are, or those that it shares; special ones are left out.

        Raises ValueError for a sentence that shares no tokens with another.
        """
        if self.modified is None:
            raise ValueError(f"pair {self.pair_id}: the {self.role} sentence shares tokens with none")
        return np.flatnonzero((self.modified == modified) & ~self.special)


def tokenise_pairs(
    pairs: pd.DataFrame,
    tokenizer: "PreTrainedTokenizerBase",
    roles: Sequence[str],
    max_length: int | None = None,
) -> list[Sentence]:
    """Tokenise the sentences of a Pairs table that stand in `roles`, pair by pair.

    Raises InputError naming the pair whose sentence has no token or more than `max_length`.
    """
    wanted = [(role, pairs[role]) for role in (STEREOTYPE, ANTISTEREOTYPE, UNRELATED) if role in roles]
    texts = {text for _, column in wanted for text in column.dropna()}
    encoded = _encode(sorted(texts), tokenizer)
    sentences: list[Sentence] = []
    for row, pair_id in enumerate(pairs["pair_id"]):
        of_role: dict[str, Sentence] = {}
        for role, column in wanted:
            text = column.iloc[row]
            if pd.isna(text):
                continue
            ids, special = encoded[text]
            if special.all():
                raise InputError(f"pair {pair_id}: the {role} sentence has no token")
            if max_length is not None and len(ids) > max_length:
                raise InputError(
                    f"pair {pair_id}: the {role} sentence has {len(ids)} tokens, the model takes {max_length}"
                )
            of_role[role] = Sentence(pair_id, role, ids, special)
        sentences.extend(_with_modified(of_role))
    return sentences


def _encode(
    texts: Sequence[str], tokenizer: "PreTrainedTokenizerBase"
) -> dict[str, tuple[npt.NDArray[np.int64], Mask]]:
    if not texts:
        return {}
    encoding = tokenizer(list(texts), return_special_tokens_mask=True, truncation=False, verbose=False)
    return {
        text: (np.array(ids, dtype=np.int64), np.array(special, dtype=bool))
        for text, ids, special in zip(
            texts, encoding["input_ids"], encoding["special_tokens_mask"], strict=True
        )
    }


def _with_modified(of_role: dict[str, Sentence]) -> list[Sentence]:
    if STEREOTYPE in of_role and ANTISTEREOTYPE in of_role:
        first, second = of_role[STEREOTYPE], of_role[ANTISTEREOTYPE]
        masks = modified_tokens(first.ids, second.ids)
        for sentence, mask in zip((first, second), masks, strict=True):
            of_role[sentence.role] = Sentence(
                sentence.pair_id, sentence.role, sentence.ids, sentence.special, mask
            )
    return list(of_role.values())


def modified_tokens(first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]) -> tuple[Mask, Mask]:
    """Which tokens of two sequences are outside the longest matching blocks that they share.

    The alignment is difflib's (Ratcliff-Obershelp), as in the published CrowS-Pairs code.
    """
    masks = np.ones(len(first), dtype=bool), np.ones(len(second), dtype=bool)
    matcher = SequenceMatcher(None, first.tolist(), second.tolist())
    for block in matcher.get_matching_blocks():
        masks[0][block.a : block.a + block.size] = False
        masks[1][block.b : block.b + block.size] = False
    return masks


def shuffle_tokens(sentence: Sentence, seed: int) -> Sentence:
    """The sentence with its tokens in random order, special tokens left where they are.

    The order depends on the seed, the pair and the number of tokens alone, so the two sides of a
    pair, where equally long, are shuffled alike.
    """
    pair_digest = int.from_bytes(hashlib.sha256(sentence.pair_id.encode()).digest()[:8], "big")
    movable = np.flatnonzero(~sentence.special)
    source = np.arange(len(sentence.ids))
    source[movable] = np.random.default_rng([seed, pair_digest]).permutation(movable)
    return Sentence(
        sentence.pair_id, sentence.role, sentence.ids[source], sentence.special, modified=None, source=source
    )

"""Sentences as a model reads them: token ids, special tokens, and what a pair shares."""

import hashlib
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np
import numpy.typing as npt

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
    unlike: Mask | None = None
    """Of an unrelated sentence: tokens outside those that it shares with the stereotypical one."""
    source: Positions | None = None
    """For a shuffled sentence: where each token stood before."""

    def positions(self, modified: bool) -> Positions:
        """Where its modified tokens are, or those that it shares; special ones are left out.

        Raises ValueError for a sentence that shares no tokens with another.
        """
        if self.modified is None:
            raise ValueError(f"pair {self.pair_id}: the {self.role} sentence shares tokens with none")
        return np.flatnonzero((self.modified == modified) & ~self.special)


def modified_tokens(first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]) -> tuple[Mask, Mask]:
    """Which tokens of two sequences are outside the longest matching blocks that they share.

    The alignment is difflib's (Ratcliff-Obershelp), as in the published CrowS-Pairs code. From 200 tokens of
    the second sequence on difflib passes over popular ones: see unmask.evidence.alignment.
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

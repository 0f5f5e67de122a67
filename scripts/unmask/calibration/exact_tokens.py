"""The tokens of a world: its words, and the pieces of those that its tokenizers split."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from unmask.worlds.grammar import SPLIT_PEOPLES, World
from unmask.worlds.recipe import Recipe

Ids = npt.NDArray[np.int64]

FULL_STOP = "."
MASK_TOKEN, FIRST_TOKEN, LAST_TOKEN = "[MASK]", "[CLS]", "[SEP]"


class ExactTokens:
    """The tokens of a world by number: those that stand in sentences, sorted, then the three special ones."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.content = tuple(sorted({piece for word in world.words for piece in pieces_of(word)}))
        """The tokens that stand in sentences; their numbers are their places."""
        self.mask, self.first, self.last = range(len(self.content), len(self.content) + 3)
        self.names = (*self.content, MASK_TOKEN, FIRST_TOKEN, LAST_TOKEN)
        """Every token by its number."""

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {token: number for number, token in enumerate(self.content)}

    def numbered(self, words: Sequence[str]) -> tuple[int, ...]:
        """The numbers of the tokens of words. Raises KeyError for a token that the world has not."""
        return tuple(self._numbers[piece] for word in words for piece in pieces_of(word))

    def read(self, text: str) -> tuple[int, ...]:
        """The numbers of the tokens of a sentence as it is written. Raises KeyError as `numbered` does."""
        ends = text.endswith(FULL_STOP)
        words = text.removesuffix(FULL_STOP).split()
        return self.numbered([*words, FULL_STOP] if ends else words)

    def rates(self, recipe: Recipe) -> npt.NDArray[np.float64]:
        """How often training chooses each of `content` for prediction."""
        found = np.empty(len(self.content))
        for word, rate in recipe.rates(self._world).items():
            found[list(self.numbered([word]))] = rate
        return found


def pieces_of(word: str) -> tuple[str, ...]:
    """The tokens of a word, those that go on with it marked as WordPiece marks them."""
    first, *rest = SPLIT_PEOPLES.get(word, (word,))
    return (first, *(f"##{piece}" for piece in rest))

"""A grammar so small that everything training can do to its sentences can be listed."""

from functools import cached_property

from made_worlds import make_world
from unmask.worlds.grammar import Sentence, World


class CutWorld(World):
    """A world of nine sentences, of three tokens or of two; one of its words is split."""

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        return (
            Sentence(("nurse", "she", "."), 0.24),
            Sentence(("nurse", "he", "."), 0.06),
            Sentence(("pilot", "she", "."), 0.03),
            Sentence(("pilot", "he", "."), 0.27),
            Sentence(("very", "tired", "."), 0.1),
            Sentence(("Vandorwick", "."), 0.1),
            Sentence(("very", "she", "."), 0.05),
            Sentence(("tired", "."), 0.09),
            Sentence(("he", "."), 0.06),
        )

    @cached_property
    def words(self) -> tuple[str, ...]:
        return tuple(sorted({word for sentence in self.sentences for word in sentence.words}))

    @cached_property
    def factor_words(self) -> frozenset[str]:
        return frozenset({"nurse", "pilot", "she", "he", "Vandorwick"})


def cut_world() -> CutWorld:
    whole = make_world()
    return CutWorld(**{name: getattr(whole, name) for name in whole.__dataclass_fields__})

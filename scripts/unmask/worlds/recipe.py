"""How a model of a world is trained: without torch, so that what is computed exactly can go by it too."""

from dataclasses import dataclass

from unmask.worlds.grammar import FREE_SLOTS, World


@dataclass(frozen=True)
class Recipe:
    """How a model is trained: what was measured to be enough, and cheap."""

    steps: int = 2600
    batch: int = 128
    learning_rate: float = 4e-3
    warm_up: float = 0.1
    """Share of the steps."""
    factor_rate: float = 0.35
    free_rate: float = 0.1
    template_rate: float = 0.05
    """How often a word is chosen for prediction: one that carries a factor, one of a free slot, one of a
    template. All words that can stand in a slot have one rate: else frequencies would be distorted."""

    def rates(self, world: World) -> dict[str, float]:
        """How often each word of a world is chosen for prediction; of a word that is split, each piece is."""
        free_words = {word for words in FREE_SLOTS.values() for word in words}

        def rate(word: str) -> float:
            if word in world.factor_words:
                return self.factor_rate
            return self.free_rate if word in free_words else self.template_rate

        return {word: rate(word) for word in world.words}

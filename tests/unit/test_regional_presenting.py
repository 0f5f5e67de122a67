"""What is shown of regional bias is what the frames hold, and what the paper prints; names are text."""

import html
import io
import json
import math
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from library import (
    BLANK,
    C_W,
    FIFTHS,
    FINDINGS,
    FULL,
    LIKELIHOODS,
    MEASURES,
    NAME_VECTORS,
    PAPER,
    PREFIXES,
    PRESENTS,
    REGIONS,
    SPARSENESS,
    InputError,
    RegionalResults,
    Sheet,
    chart,
    fifths,
    framed,
    name_in_print,
    read_borders,
    read_section,
    render_page,
    rows_of,
    sentences,
    tau_with_pairs,
    write_table,
)
from library import REGIONAL_CORRECTED as CORRECTED
from library import REGIONAL_MAKERS as MAKERS
from library import REGIONAL_PROTOCOLS as PROTOCOLS
from library import REGIONAL_PUBLISHED as PUBLISHED
from library import REGIONAL_SCORES as SCORES
from library import regional_charts as charts
from library import regional_section as section
from page_words import check_first_sentence
from running import present

RESOURCES = Path(__file__).parents[2] / "resources" / "regional"
FACTS = pd.read_csv(RESOURCES / "published.csv", comment="#", keep_default_na=False)
SCRIPT, SIGNS, LATEX = "<script>alert('x')</script>", "$x_1$ & 50% #1 | `a`", r"\textbf{bold}_{2}"
"""Names of regions that would be markup somewhere."""

CONTINENTS: dict[str, dict[str, tuple[str, int | None]]] = {
    "AF": {"EGY": ("Egypt", 818), "KEN": ("Kenya", 404), "UGA": ("Uganda", 800), "MUS": ("Mauritius", 480)},
    "AS": {"IND": ("India", 356), "JPN": (SIGNS, 392), "SYR": ("Syria", 760)},
    "EU": {"FRA": ("France", 250), "IRL": ("Ireland", 372), "ITA": (LATEX, 380), "XKX": ("Kosovo", None)},
    "NA": {"MEX": ("Mexico", 484), "USA": ("United States", 840)},
    "OC": {"AUS": ("Australia", 36), "FJI": ("Fiji", 242), "TUV": ("Tuvalu", 798)},
    "SA": {"BRA": ("Brazil", 76), "CHL": ("Chile", 152)},
}
ALPHA, DRAWS = 0.05, 200
MODELS: list[dict[str, Any]] = [
    {"name": "m1", "published": "albert-base-v2", "source": "hub"},
    {"name": "m2", "published": "bart-base", "source": "path"},
    {"name": "blank", "published": None, "source": "random"},
]
SETTINGS: dict[str, Any] = {
    "models": MODELS,
    "alpha": ALPHA,
    "confidence": 0.95,
    "word": "bald",
    "series": [{"name": "toxic", "models": [{"model": "m1", "epoch": 0}, {"model": "m2", "epoch": 20}]}],
    "untrained": ["c1"],
}


def make_regions() -> pd.DataFrame:
    """World < continent < country < city, with a name that is markup and one of two cities."""
    rows: list[dict[str, Any]] = [{"region": "world", "name": "World", "level": "world"}]
    names = {"AF": SCRIPT} | {code: f"Continent {code}" for code in CONTINENTS if code != "AF"}
    rows += [
        {"region": code, "name": name, "level": "continent", "parent": "world"}
        for code, name in names.items()
    ]
    countries = {key: (of, *each) for of, some in CONTINENTS.items() for key, each in some.items()}
    rows += [
        {"region": key, "name": name, "level": "country", "parent": of, "country_code": code}
        for key, (of, name, code) in countries.items()
    ]
    for key in countries:
        for n in range({"SYR": 0, "IRL": 1}.get(key, 2)):
            name = "Springfield" if n == 0 and key in ("USA", "BRA") else f"City {n} of {key}"
            rows.append({"region": f"{key}{n}", "name": name, "level": "city", "parent": key})
    return framed(rows, REGIONS)


def make_scores(regions: pd.DataFrame, seed: int) -> pd.DataFrame:
    """SCORES: `published` and `paper` divided by the number of pairs, null for one child, of cities C_w."""
    rng = np.random.default_rng(seed)
    children = regions["region"].map(regions["parent"].value_counts()).fillna(0).astype(int)
    rows: list[dict[str, Any]] = []
    for words in (
        FULL,
        *(f"{how}-{topic}" for how in ("without", "replace") for topic in ("strength", "morality")),
    ):
        for protocol in PROTOCOLS:
            for measure in MEASURES:
                if (measure, protocol) == (SPARSENESS, CORRECTED):
                    continue
                for region, level, count in zip(regions["region"], regions["level"], children, strict=True):
                    row = {"protocol": protocol, "measure": measure, "words": words, "region": region}
                    row |= {"level": level, "children": count}
                    divisor = 1 if measure == SPARSENESS or protocol == CORRECTED else count * (count - 1) / 2
                    if level == "city" and (measure, words) == (C_W, FULL):
                        rows.append(row | {"score": rng.gamma(4, 0.01)})
                    if level != "city" and count > 1:
                        row |= {"score": rng.uniform(0.03, 0.05) / divisor}
                        p = float(rng.choice([0.002, 0.03, 0.6]))
                        chance = {"permuted_low": 0.032 / divisor, "permuted_high": 0.046 / divisor}
                        chance |= {"p": p, "p_holm": min(1.0, 6 * p)}
                        tested = measure != SPARSENESS and words == FULL and level != "world"
                        rows.append(row | (chance if tested else {}))
                    elif level != "city":
                        rows.append(row)
    return framed(rows, SCORES)


def make_prefixes() -> pd.DataFrame:
    """No prefix, a control, countries, and all of them; each changes more labels than the one before."""
    names = {key: name for countries in CONTINENTS.values() for key, (name, _) in countries.items()}
    kinds: list[tuple[str | None, str, str | None]] = [
        (None, "none", None),
        ("this place", "control", "I am from this place."),
        *((key, "country", f"I am from {name}.") for key, name in names.items()),
        (None, "country", "I am from {region}."),
    ]
    same: dict[str, Any] = {
        "items": 500,
        "truncated": 0,
        "macro_f1": 0.88,
        "up": 300,
        "mean_up": 0.0125,
        "down": 200,
    }
    same |= {"mean_down": 0.02, "template": "I am from {region}."}
    rows = [
        {"region": region, "level": level, "prefix": prefix, "accuracy": 0.9 - n / 1000, **same}
        | {"to_positive": 0.001 * n, "to_negative": 0.002 * n, "net": -0.001 * n}
        | ({"over_control": -0.001 * (n - 1)} if level == "country" else {})
        | ({"p": 1e-4 if n >= 10 else 0.04} if level == "country" and region else {})
        for n, (region, level, prefix) in enumerate(kinds)
    ]
    rows[0]["template"] = None
    return framed(rows, PREFIXES)


def make_name_vectors(seed: int) -> pd.DataFrame:
    """NAME_VECTORS of all continents and countries."""
    keys = [*CONTINENTS, *(key for countries in CONTINENTS.values() for key in countries)]
    vectors = np.random.default_rng(seed).normal(size=(len(keys), 5)).astype(np.float32)
    return pd.DataFrame({"region": keys, "vector": list(vectors)})


def make_likelihoods(regions: pd.DataFrame, seed: int) -> pd.DataFrame:
    """LIKELIHOODS of all distinct names, with the word `bald` and alone."""
    names = regions["name"].drop_duplicates().tolist()
    frame = pd.DataFrame(
        [(name, word) for word in (None, "bald") for name in names], columns=["name", "word"]
    )
    return frame.assign(tokens=3, unknown=0, log_prob=np.random.default_rng(seed).normal(-4, 1, len(frame)))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder, regions = tmp_path_factory.mktemp("regional"), make_regions()
    found: dict[str, Any] = {
        "regions": str(folder / "regions.parquet"),
        "prefixes": [str(folder / "prefixes.parquet")],
        "captions": str(RESOURCES / "captions.yaml"),
        "published": str(RESOURCES / "published.csv"),
        "borders": str(RESOURCES / "countries-110m.json"),
        **{key: [] for key in ("scores", "likelihoods", "name_vectors")},
    }
    write_table(found["regions"], regions, REGIONS, {})
    facts = {"classifier": "c1", "table": "reviews"}
    write_table(found["prefixes"][0], make_prefixes(), PREFIXES, facts)
    for seed, model in enumerate(MODELS):
        of_model = {"model": model["name"], "draws": DRAWS, "template": "People in {region} are {word}."}
        for key, rows, schema in (
            ("scores", make_scores(regions, seed), SCORES),
            ("likelihoods", make_likelihoods(regions, seed), LIKELIHOODS),
            ("name_vectors", make_name_vectors(seed), NAME_VECTORS),
        ):
            found[key].append(str(folder / f"{model['name']}.{key}.parquet"))
            write_table(found[key][-1], rows, schema, of_model)
    return found


@pytest.fixture
def results(files: dict[str, Any]) -> RegionalResults:
    return RegionalResults(files, SETTINGS)


def scored(model: int, measure: str, protocol: str, words: str = FULL) -> dict[str, Any]:
    rows = make_scores(make_regions(), model)
    rows = rows[(rows["measure"] == measure) & (rows["protocol"] == protocol) & (rows["words"] == words)]
    return {row.region: row for row in rows_of(rows)}


def cells(sheet: Sheet) -> dict[tuple[str, ...], dict[str, str]]:
    """The cells of each row by its stubs, by the label of the column."""
    stubs = len(sheet.stubs)
    labels = [label for _, label in sheet.columns]
    found = {row[:stubs]: dict(zip(labels, row[stubs:], strict=True)) for row in sheet.rows}
    assert len(found) == len(sheet.rows)
    return found


def near(shown: str, true: float) -> bool:
    """Whether a number is shown to three digits at least."""
    return math.isclose(float(shown.rstrip("†*?")), true, rel_tol=0.001)


def printed_row(table: str, measure: str, words: str = FULL) -> list[float]:
    """What is printed of albert-base-v2, in the order of the columns of the paper."""
    rows = FACTS[(FACTS["table"] == table) & (FACTS["model"] == "albert-base-v2")]
    rows = rows[(rows["measure"] == measure) & (rows["words"] == words)]
    assert list(rows["headed"]) == ["AF", "AS", "EU", "OC", "SA", "NA", "overall"]
    return [float(value) for value in rows["value"]]


# tables


@pytest.mark.parametrize(
    ("table", "measures", "sets", "scale"),
    [
        ("table1", ("C_w", "C_z"), (FULL,), 1000),
        ("table2", (SPARSENESS,), (FULL,), 1),
        ("table3", (C_W,), (FULL, "without-strength", "without-morality"), 1000),
        ("table6", (C_W,), (FULL, "replace-strength", "replace-morality"), 1000),
    ],
)
def test_every_score_band_and_mark_is_that_of_the_frame(
    results: RegionalResults, table: str, measures: tuple[str, ...], sets: tuple[str, ...], scale: float
) -> None:
    shown = cells(MAKERS[table](results)[1])
    checked = 0
    for number, model in enumerate(MODELS):
        for measure in measures:
            for words in sets:
                for protocol in PROTOCOLS[: 2 if measure == SPARSENESS else 3]:
                    key: tuple[Any, ...] = (model["name"], protocol)
                    key = (*key[:1], measure, protocol) if table == "table1" else key
                    key = (*key, words) if len(sets) > 1 else key
                    for region, row in scored(number, measure, protocol, words).items():
                        if row.level not in ("world", "continent"):
                            continue
                        name = {"world": "overall", "AF": SCRIPT}.get(region, f"Continent {region}")
                        label = f"{name} ({row.children})"
                        cell = shown[*key, "score"][label]
                        assert near(cell, row.score * scale)
                        mark = "†" if row.p_holm < ALPHA else "*" if row.p < ALPHA else ""
                        assert re.sub(r"[\d.]", "", cell) == mark
                        if table == "table1" and region != "world":
                            low, high = shown[*key, "permuted"][label].split(" to ")
                            assert near(low, row.permuted_low * scale) and near(
                                high, row.permuted_high * scale
                            )
                            # of six continents, 200 permutations
                            assert shown[*key, "p (Holm)"][label].endswith("(of at least 0.03)")
                        checked += 1
    assert checked == 3 * len(measures) * len(sets) * (2 if SPARSENESS in measures else 3) * 7


def test_printed_values_stand_under_their_heads_and_in_the_likely_order(results: RegionalResults) -> None:
    named, sheet = MAKERS["table1"](results)
    shown, printed = cells(sheet), printed_row("table1", "C_z")
    for order, codes in {
        "as headed": ["<", "AS", "EU", "OC", "SA", "NA", "ov"],
        "likely order": ["<", "AS", "EU", "NA", "OC", "SA", "ov"],
    }.items():
        row = shown["m1", "C_z", "printed", order]
        by_code = {
            re.sub(r"Continent |(?<=<).*|erall.*| \(\d+\)", "", label): cell for label, cell in row.items()
        }
        assert [float(by_code[code]) for code in codes] == printed
    assert not [key for key in shown if key[0] == "blank" and "printed" in key]
    doubtful = [key for key, row in shown.items() if any(cell.endswith("?") for cell in row.values())]
    assert {key[0] for key in doubtful} == {"m2"} and {key[2] for key in doubtful} == {"printed"}
    # the file has one scale throughout
    one = named.query("model == 'm1' and measure == 'C_w' and protocol == 'paper'").set_index("region")
    printed = printed_row("table1", C_W)
    assert one.loc["NA", "printed_headed"] == pytest.approx(printed[5] / 1000)
    assert one.loc["NA", "printed_likely"] == pytest.approx(printed[3] / 1000)
    sparseness, _ = MAKERS["table2"](results)
    there = sparseness.query("model == 'm1' and region == 'AF'")["printed_headed"]
    assert set(there) == {printed_row("table2", SPARSENESS)[0]}
    topic = cells(MAKERS["table3"](results)[1])["m1", "printed", "without-strength", "as headed"]
    assert float(topic["Continent OC (3)"]) == printed_row("table3", C_W, "without-strength")[3]


def test_prefixes_that_change_most_stand_first(results: RegionalResults) -> None:
    of_table4, of_table5 = (MAKERS[name](results)[1] for name in ("table4", "table5"))
    rows = [row for row in of_table4.rows if row[0] == "c1 (never trained)"]
    assert [row[2] for row in rows[:3]] == [
        "no prefix",
        "this place (no region)",
        "all countries",
    ]
    known = make_prefixes().query("level == 'country'").dropna(subset="region")
    known = known.sort_values("to_positive", ascending=False)
    assert [row[2] for row in rows[3:]] == results.regions["name"][known["region"][:10]].tolist()
    first = known.iloc[0]
    assert rows[3][3:] == ("500", f"{first['accuracy']:.4f}", "0.8800", "300", "0.0125", "200", "0.0200")
    changes = [row for row in of_table5.rows if row[0] == "c1 (never trained)"]
    assert "no prefix" not in [row[2] for row in changes]
    # chile is the nineteenth, after no prefix and the control; p is corrected for 18 countries
    assert changes[2][3:] == ("1.9000", "3.8000", "5.7000", "−1.9000", "−1.8000", "0.0018")
    in_print = MAKERS["table4"](results)[0]
    assert dict(zip(in_print["region"], in_print["in_print"], strict=True))["CHL"] == "Chile"


def test_printed_prefixes_are_of_tables_of_their_name(results: RegionalResults) -> None:
    some = [results.prefixes.assign(table=name) for name in ("imdb", "hatespeech18")]
    vars(results)["prefixes"] = pd.concat(some)
    printed = {row[1:3]: row[3:] for row in MAKERS["table4"](results)[1].rows if row[0] == "printed"}
    assert printed["imdb", "Uganda"][3:] == ("10123", "0.0156", "14877", "0.0199")
    assert printed["hatespeech18", "all countries"][1:3] == ("0.8426", "0.8396")
    rows = [row[:6] for row in MAKERS["table5"](results)[1].rows]
    assert ("printed: bert-base", "hatespeech18", "all countries", "0.0720", "1.3645", "1.4365") in rows


def test_prefixes_have_the_papers_names(results: RegionalResults) -> None:
    here, whole = "I am from {region}.", "I am from {region}, {parent}."
    rows = [
        (None, "none", None, None, "no prefix"),
        ("this place", "control", here, None, "this place (no region)"),
        (None, "country", here, None, "all countries"),
        (None, "country", here, "IRL", "without Ireland"),
        (None, "city", here, None, "all of level city: I am from {region}."),
        ("IRL", "country", here, None, "Ireland"),
        ("IRL0", "city", whole, None, "City 0 of IRL, Ireland"),
    ]
    frame = pd.DataFrame(rows, columns=["region", "level", "template", "without", "expected"])
    for row in rows_of(frame):
        assert name_in_print(row, results.regions) == row.expected


# findings


def said(name: str, results: RegionalResults, **frames: Any) -> list[str]:
    vars(results).update(frames)
    return list(sentences([finding for finding in FINDINGS if finding.name == name], results))


def test_regions_that_differ_are_those_of_the_scores(results: RegionalResults) -> None:
    texts = said("scores", results)
    assert len(texts) == 2 * len(MODELS)
    for number, text in enumerate(texts[::2]):
        rows = [row for row in scored(number, C_W, CORRECTED).values() if row.level == "continent"]
        clear = [row.region for row in rows if row.p_holm < ALPHA]
        start = (
            f"{MODELS[number]['name']}: countries differ by more than chance in {len(clear) or 'none'} of 6"
        )
        assert text.startswith(f"{start} continents (C_w corrected, p < 0.05 after Holm's correction)")
        assert all((f"Continent {r}" in text) == (r in clear) for r in CONTINENTS if r != "AF")
    # 16 countries with a pair: 16 / 201 is above .05
    assert all("No p can be below 0.08 with so few permutations." in text for text in texts[1::2])
    assert [text for text in said("untrained", results) if text.startswith("blank has random weights")]


def test_rankings_by_the_tree_have_their_taus(results: RegionalResults) -> None:
    scores, children = pd.Series([1.0, 3.0, 2.0, math.nan, 9.0]), pd.Series([4, 2, 3, 9, 1])
    assert tau_with_pairs(scores, children) == pytest.approx(1)
    assert math.isnan(tau_with_pairs(scores[:2], children[:2]))
    (text,) = said("tree", results)
    assert text.startswith("Kendall's tau of C_w") and "over 6 continents" in text
    assert all(each in text for each in (*PROTOCOLS, "in print (as headed)", "in print (likely order)"))


def test_a_series_and_prefixes_are_said(results: RegionalResults) -> None:
    first, last = (1000 * scored(number, C_W, CORRECTED)["world"].score for number in (0, 1))
    (text,) = said("series", results)
    assert text.startswith("toxic: over 20 epochs") and text.endswith(f"from {first:.2f} to {last:.2f}.")
    (text,) = said("prefixes", results)
    assert text.startswith("c1 (never trained) on reviews: naming 10 of 18 countries changes the share")
    assert ": Chile (−1.8 points), Brazil (−1.7 points)" in text
    (text,) = said("names", results)
    assert text == "1 name stands for 2 regions, which one sentence is about."


# charts and maps


def rows_in(drawn: Any) -> list[dict[str, Any]]:
    assert drawn is not None and not isinstance(drawn, str)
    return chart("c", "a", drawn).rows


def test_charts_have_the_scores_times_a_thousand(results: RegionalResults) -> None:
    claims = {0.002: "more, corrected", 0.03: "more, before correction", 0.6: "not more"}
    rows = rows_in(charts.scores(results))
    assert [row["panel"] for row in rows[::7]] == ["m1", "m2", "blank"]
    for row in rows:
        number = [model["name"] for model in MODELS].index(row["model"])
        known = scored(number, C_W, CORRECTED)[row["region"]]
        assert row["score"] == pytest.approx(1000 * known.score)
        if row["region"] != "world":
            assert row["permuted_high"] == pytest.approx(1000 * known.permuted_high)
        assert row["claim"] == claims.get(known.p, "not tested")
    for row in rows_in(charts.series(results)):
        number, protocol = {0: 0, 20: 1}[row["epoch"]], row["protocol"]
        regions = {"overall": "world", SCRIPT: "AF"} | {f"Continent {code}": code for code in CONTINENTS}
        assert row["panel"] == f"toxic, {protocol}"
        assert row["score"] == pytest.approx(1000 * scored(number, C_W, protocol)[regions[row["name"]]].score)
    vars(results)["scores"] = results.scores[results.scores["protocol"] != CORRECTED]
    vars(results).pop("main_protocol")
    assert {row["protocol"] for row in rows_in(charts.scores(results))} == {PAPER}


def test_names_are_laid_out_by_their_principal_components(results: RegionalResults) -> None:
    """Against eigenvectors of the covariance; later steps of a series have no points."""
    drawn = rows_in(charts.names(results))
    assert {row["model"] for row in drawn} == {"m1", "blank"}
    for seed, model in ((0, "m1"), (2, "blank")):
        known = make_name_vectors(seed)
        rows = [row for row in drawn if row["model"] == model]
        matrix = np.stack(known["vector"].tolist()).astype(float)
        centred = matrix - matrix.mean(axis=0)
        values, axes = np.linalg.eigh(centred.T @ centred)
        for place, column in enumerate(("first", "second")):
            expected = dict(zip(known["region"], np.abs(centred @ axes[:, -1 - place]), strict=True))
            assert {row["region"]: abs(row[column]) for row in rows} == pytest.approx(expected, abs=1e-5)
        shares = 100 * values[::-1] / values.sum()
        assert rows[0]["panel"] == f"{model} ({shares[0]:.0f}% and {shares[1]:.0f}% of the variance)"
        assert {row["region"] for row in rows if row["large"]} == set(CONTINENTS)
    kenya = next(row for row in drawn if row["region"] == "KEN")
    assert (kenya["within"], kenya["level"]) == (SCRIPT, "country")


def test_maps_have_the_numbers_of_countries(results: RegionalResults) -> None:
    codes = {code: key for countries in CONTINENTS.values() for key, (_, code) in countries.items()}
    rows = [row for row in rows_in(charts.positive_map(results)) if row["drawn"] != BLANK]
    known = results.prefixes.dropna(subset="region").set_index("region")
    # Kosovo has no code; Mauritius and Tuvalu have no shape
    assert len(rows) == 18 - 3 and {row["panel"] for row in rows} == {"c1 (never trained) on reviews"}
    for row in rows:
        assert row["net"] == pytest.approx(100 * known["net"][codes[row["code"]]])
    least = min(rows, key=lambda row: float(row["net"]))
    assert least["fifth"] == FIFTHS[0] and least["country"] == "Chile"
    rows = [row for row in rows_in(charts.word_map(results)) if row["drawn"] != BLANK]
    assert {row["panel"] for row in rows} == {"m1", "blank"} and len(rows) == 2 * 15
    frame = make_likelihoods(make_regions(), 0).dropna(subset="word").set_index("name")["log_prob"]
    assert all(
        row["log_prob"] == pytest.approx(frame[row["country"]]) for row in rows if row["panel"] == "m1"
    )


def rings_of(topology: Mapping[str, Any], entry: Mapping[str, Any]) -> list[list[list[int]]]:
    """The lines of a country, each as the file has it."""
    polygons = [entry["arcs"]] if entry["type"] == "Polygon" else entry["arcs"]
    return [topology["arcs"][n if n >= 0 else ~n] for polygon in polygons for ring in polygon for n in ring]


def test_borders_are_those_of_the_file_without_antarctica(tmp_path: Path) -> None:
    borders = read_borders(RESOURCES / "countries-110m.json")
    original = json.loads((RESOURCES / "countries-110m.json").read_text())
    drawn = json.loads(borders.topojson)
    entries = original["objects"]["countries"]["geometries"]
    wanted = [entry for entry in entries if entry["properties"]["name"] != "Antarctica"]
    shapes = drawn["objects"]["countries"]["geometries"]
    assert len(entries) - 1 == len(wanted) == len(shapes) == len(borders.lands)
    for land, shape, entry in zip(rows_of(borders.lands), shapes, wanted, strict=True):
        assert (land.shape, land.country) == (shape["id"], entry["properties"]["name"])
        assert land.code == int(entry["id"]) if "id" in entry else pd.isna(land.code)
        assert rings_of(drawn, shape) == rings_of(original, entry)
    for text in ("", "{}", "[]", '{"objects": {"countries": {"geometries": [{"type": "Polygon"}]}}}'):
        (tmp_path / "borders.json").write_text(text)
        with pytest.raises(InputError, match=r"borders\.json: not the borders"):
            read_borders(tmp_path / "borders.json")


def test_fifths_are_of_as_many_numbers_each_in_their_order() -> None:
    numbers = pd.Series(np.random.default_rng(0).permutation(50) / 7)
    assert fifths(numbers)[numbers.sort_values().index].tolist() == [f for f in FIFTHS for _ in range(10)]
    assert set(fifths(pd.Series([3.0] * 9))) == {"middle"}


# the section, and what a study lacks


def test_names_are_text_everywhere(files: dict[str, Any], tmp_path: Path) -> None:
    outputs = {
        f"{name}_{form}": str(tmp_path / f"{name}.{form}") for name in MAKERS for form in ("csv", "md", "tex")
    }
    outputs |= {
        f"{name}_{form}": str(tmp_path / f"{name}.{form}")
        for name in charts.MAKERS
        for form in ("svg", "png")
    }
    outputs["regional"] = str(tmp_path / "section.json")
    present("regional", files, outputs, tmp_path / "log", SETTINGS)
    of_report = read_section(outputs["regional"])
    check_first_sentence(of_report)
    page = render_page("Report", [of_report])
    assert SCRIPT not in page and html.escape(SCRIPT, quote=False) in page.replace("&#39;", "'")
    for name in charts.MAKERS:
        root = ElementTree.fromstring(Path(outputs[f"{name}_svg"]).read_text())
        assert not [each for each in root.iter() if each.tag.endswith("script")]
    markdown, latex = (Path(outputs[f"table1_{form}"]).read_text() for form in ("md", "tex"))
    assert "<script>" not in markdown and r"\<script\>" in markdown
    assert "<script>" not in latex or r"\textless{}script" in latex
    assert SCRIPT in set(pd.read_csv(outputs["table1_csv"])["name"])


def test_what_there_is_nothing_of_is_a_line(files: dict[str, Any], tmp_path: Path) -> None:
    bare = files | {"prefixes": [], "borders": [], "likelihoods": [], "name_vectors": []}
    results = RegionalResults(bare, SETTINGS | {"series": []})
    drawn = dict(PRESENTS.drawn(results, charts.MAKERS))
    assert {name for name, each in drawn.items() if not isinstance(each, str)} == {"scores_figure"}
    assert len(section(results).blocks) < len(section(RegionalResults(files, SETTINGS)).blocks)
    nothing = RegionalResults(bare | {"scores": []}, SETTINGS)
    for name, text in PRESENTS.table_texts(nothing, ["table1_md", "table3_tex", "table4_md", "table2_csv"]):
        if name.endswith("csv"):
            assert pd.read_csv(io.StringIO(text)).empty
        else:
            assert "Nothing in this study has what this table needs." in text
    assert dict(PRESENTS.drawn(nothing, ["scores_figure"]))["scores_figure"].startswith("No region of this")
    other = tmp_path / "other.parquet"
    write_table(other, make_scores(make_regions(), 0), SCORES, {"model": "m2", "draws": 7})
    mixed = RegionalResults(files | {"scores": [*files["scores"][:1], str(other)]}, SETTINGS)
    with pytest.raises(InputError, match="made with draws 7, others with 200"):
        _ = mixed.captions


def test_a_tree_of_ones_own_with_two_levels(files: dict[str, Any], tmp_path: Path) -> None:
    """A root and its regions: nothing but the root has a score, and no test."""
    states = [{"region": f"s{n}", "name": f"State {n}", "level": "state", "parent": "r"} for n in range(5)]
    write_table(
        tmp_path / "regions.parquet",
        framed([{"region": "r", "name": "All", "level": "union"}, *states], REGIONS),
        REGIONS,
        {},
    )
    row = {"measure": C_W, "words": FULL, "region": "r", "level": "union", "children": 5, "score": 0.3}
    write_table(
        tmp_path / "s.parquet",
        framed([row | {"protocol": p} for p in (PUBLISHED, PAPER)], SCORES),
        SCORES,
        {"model": "m1", "draws": 20},
    )
    own = {"regions": str(tmp_path / "regions.parquet"), "scores": [str(tmp_path / "s.parquet")]}
    small = section(
        RegionalResults(files | own | {"likelihoods": [], "prefixes": [], "name_vectors": []}, SETTINGS)
    )
    assert json.dumps(small.sentences) and "<h2>Regional bias</h2>" in render_page("r", [small])

"""What is shown of regional bias is what the tables hold, and what the paper prints; names are text."""

import itertools
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from library import (
    FIFTHS,
    MEASURES,
    PREFIXES,
    PRESENTS,
    REGIONS,
    RegionalResults,
    framed,
    principal_components,
    says_of_tree,
    write_table,
)
from library import REGIONAL_PROTOCOLS as PROTOCOLS
from library import REGIONAL_SCORES as SCORES
from shown import rows_drawn

RESOURCES = Path(__file__).parents[2] / "resources" / "regional"
FACTS = pd.read_csv(RESOURCES / "published.csv", comment="#", keep_default_na=False)
SCRIPT = "<script>alert('x')</script>"
"""The name of a region that would be markup on the page."""

CONTINENTS: dict[str, dict[str, int | None]] = {
    "AF": {"Egypt": 818, "Kenya": 404, "Uganda": 800, "Mauritius": 480},
    "AS": {"India": 356, "Japan": 392, "Syria": 760},
    "EU": {"France": 250, "Ireland": 372, "Italy": 380, "Kosovo": None},
    "NA": {"Mexico": 484, "United States": 840},
    "OC": {"Australia": 36, "Fiji": 242, "Tuvalu": 798},
    "SA": {"Brazil": 76, "Chile": 152},
}
"""Countries with their codes; each has two cities."""

MODELS: list[dict[str, Any]] = [
    {"name": "m1", "published": "albert-base-v2", "source": "hub"},
    {"name": "m2", "published": "bart-base", "source": "path"},
    {"name": "blank", "published": None, "source": "random"},
]
SETTINGS = {"models": MODELS, "alpha": 0.05, "confidence": 0.95, "word": None, "series": []}
PLACELESS = {"region": "this place", "level": "control", "prefix": "I am from this place."}


def make_regions() -> pd.DataFrame:
    """World < continent < country < city, with a name that is markup; the name of a country is its id."""
    countries = [(name, name, of, code) for of, some in CONTINENTS.items() for name, code in some.items()]
    rows: list[tuple[Any, ...]] = [("world", "World", "world", None, None)]
    rows += [(of, SCRIPT if of == "AF" else of, "continent", "world", None) for of in CONTINENTS]
    rows += [(key, name, "country", of, code) for key, name, of, code in countries]
    rows += [(f"{key}{n}", f"City {n} of {key}", "city", key, None) for key, *_ in countries for n in (0, 1)]
    columns = ("region", "name", "level", "parent", "country_code")
    return framed([dict(zip(columns, row, strict=True)) for row in rows], REGIONS)


@cache
def make_scores(seed: int) -> pd.DataFrame:
    """SCORES: `published` and `paper` divided by the number of pairs."""
    rng, tables, regions = np.random.default_rng(seed), [], make_regions()
    children = regions["region"].map(regions["parent"].value_counts()).fillna(0).astype("int32")
    inner = regions[["region", "level"]].assign(children=children)[children > 0]
    for words, protocol, measure in itertools.product(("full", "without-strength"), PROTOCOLS, MEASURES):
        if (measure, protocol) == ("cluster_sparseness", "corrected"):
            continue
        n = inner["children"]
        divisor = 1 if measure == "cluster_sparseness" or protocol == "corrected" else n * (n - 1) / 2
        rows = inner.assign(protocol=protocol, measure=measure, words=words)
        tables.append(rows.assign(score=rng.uniform(0.03, 0.05, len(inner)) / divisor))
    return pd.concat(tables, ignore_index=True).reindex(columns=SCORES.names)


def make_prefixes() -> pd.DataFrame:
    """No prefix, a control, countries, all of them, all but one, and a city of one; each changes more labels
    than the one before."""
    countries = [name for some in CONTINENTS.values() for name in some]
    of_countries = [{"region": name, "prefix": f"I am from {name}."} for name in countries]
    every = {"prefix": "I am from {region}."}
    rows: list[dict[str, Any]] = [{"level": "none"}, PLACELESS]
    without = {**every, "without": "Ireland"}
    rows += [{"level": "country", **each} for each in (*of_countries, every, without)]
    rows.append({"region": "Kenya0", "level": "city", "prefix": "I am from City 0 of Kenya, Kenya."})
    same = {"items": 500, "macro_f1": 0.88, "mean_up": 0.0125, "mean_down": 0.02}
    for n, row in enumerate(rows):
        row |= {**same, "up": 300, "down": 200, "template": every["prefix"] if n else None, "net": -0.001 * n}
        row |= {"template": "I am from {region}, {parent}."} if row["level"] == "city" else {}
        row |= {"accuracy": 0.9 - n / 1000, "to_positive": 0.001 * n, "to_negative": 0.002 * n}
        if row["level"] == "country":
            row["over_control"] = -0.001 * (n - 1)
            row["p"] = (1e-4 if n >= 10 else 0.04) if "region" in row else None
    return framed(rows, PREFIXES)


@pytest.fixture
def results(tmp_path: Path) -> RegionalResults:
    names = {"captions": "captions.yaml", "published": "published.csv", "borders": "countries-110m.json"}
    files: dict[str, Any] = {name: str(RESOURCES / file) for name, file in names.items()}
    files |= {"regions": tmp_path / "regions.parquet", "scores": [], "likelihoods": [], "name_vectors": []}
    write_table(files["regions"], make_regions(), REGIONS, {})
    tables = {"imdb": "c1", "hatespeech18": "c2"}
    files["prefixes"] = [tmp_path / f"{table}.parquet" for table in tables]
    for path, (table, classifier) in zip(files["prefixes"], tables.items(), strict=True):
        write_table(path, make_prefixes(), PREFIXES, {"classifier": classifier, "table": table})
    scores = [make_scores(seed).assign(model=model["name"]) for seed, model in enumerate(MODELS)]
    made = RegionalResults(files, SETTINGS)
    vars(made).update(scores=pd.concat(scores, ignore_index=True).assign(least=None))
    return made


def cells(results: RegionalResults, table: str) -> dict[tuple[str, ...], dict[str, str]]:
    """The cells of each row of a table by its stubs, by the label of the column."""
    _, sheet = PRESENTS.table(table, results)
    labels, stubs = [label for _, label in sheet.columns], len(sheet.stubs)
    rows = {row[:stubs]: dict(zip(labels, row[stubs:], strict=True)) for row in sheet.rows}
    assert len(rows) == len(sheet.rows)
    return rows


def printed_row(table: str, measure: str, words: str = "full") -> list[float]:
    """What is printed of albert-base-v2, in the order of the columns of the paper."""
    rows = FACTS[(FACTS["table"] == table) & (FACTS["model"] == "albert-base-v2")]
    rows = rows[(rows["measure"] == measure) & (rows["words"] == words)]
    assert list(rows["headed"]) == ["AF", "AS", "EU", "OC", "SA", "NA", "overall"]
    return [float(value) for value in rows["value"]]


def test_printed_values_stand_under_their_heads_and_in_the_likely_order(results: RegionalResults) -> None:
    shown, frame = cells(results, "table1"), PRESENTS.table("table1", results)[0]
    for order, column, codes in (
        ("as headed", "printed_headed", [SCRIPT, "AS", "EU", "OC", "SA", "NA", "overall"]),
        ("likely order", "printed_likely", [SCRIPT, "AS", "EU", "NA", "OC", "SA", "overall"]),
    ):
        line = shown["m1", "C_z", PROTOCOLS[0], f"printed ({order})"]
        row = {head.partition(" (")[0]: cell for head, cell in line.items()}
        assert [float(row[code]) for code in codes] == printed_row("table1", "C_z")
        # beside every protocol, of one scale with ours
        for _, rows in frame.query("model == 'm1' and measure == 'C_w'").groupby("protocol"):
            beside = rows.set_index("name")[column].rename({"World": "overall"})
            assert [1000 * beside[code] for code in codes] == pytest.approx(printed_row("table1", "C_w"))
    assert not [key for key in shown if key[0] == "blank" and "printed" in key[3]]
    doubtful = [key for key, row in shown.items() if any(cell.endswith("?") for cell in row.values())]
    assert {(key[0], key[3][:7]) for key in doubtful} == {("m2", "printed")}
    topic = cells(results, "table3")["m1", "without-strength", PROTOCOLS[0], "printed (as headed)"]
    assert float(topic["OC (3)"]) == printed_row("table3", "C_w", "without-strength")[3]
    sparseness = cells(results, "table2")["m1", PROTOCOLS[0], "printed (as headed)"]
    assert float(sparseness["OC (3)"]) == printed_row("table2", "cluster_sparseness")[3]


def test_prefixes_that_change_most_stand_first(results: RegionalResults) -> None:
    shown = cells(results, "table4")
    known = make_prefixes().query("level == 'country'").dropna(subset="region")
    known = known.sort_values("to_positive", ascending=False)[:9]
    rows = {key[2]: tuple(row.values()) for key, row in shown.items() if key[0] == "c1"}
    together = ["no prefix", PLACELESS["prefix"], "all countries", "without Ireland"]
    assert list(rows) == [*together, "City 0 of Kenya, Kenya", *known["region"]]
    accuracy = f"{known['accuracy'].iloc[0]:.4f}"
    assert rows["Chile"] == ("500", accuracy, "0.8800", "300", "0.0125", "200", "0.0200")
    changes = {key: tuple(row.values()) for key, row in cells(results, "table5").items()}
    assert ("c1", "imdb", "no prefix") not in changes
    # the nineteenth, after no prefix and the control; p is corrected for 18 countries
    chile = ("1.9000", "3.8000", "−1.9000", "−1.8000", "0.0018")
    assert changes["c2", "hatespeech18", "Chile"] == chile
    assert tuple(shown["printed", "hatespeech18", "all countries"].values())[1:3] == ("0.8426", "0.8396")
    printed = changes["printed: bert-base", "hatespeech18", "all countries"]
    assert printed[:2] == ("0.0720", "1.3645")


def test_rankings_by_the_tree_have_their_taus(results: RegionalResults) -> None:
    """Kendall's tau-b by its pairs: of six continents some have as many children as others."""
    taus = []
    for seed in range(3):
        rows = make_scores(seed).query("measure == 'C_w' and protocol == 'paper' and words == 'full'")
        rows = rows[rows["level"] == "continent"]
        values = list(zip(rows["score"], 1 / (rows["children"] ** 2 - rows["children"]), strict=True))
        pairs = list(itertools.combinations(values, 2))
        signs = [np.sign(a[0] - b[0]) * np.sign(a[1] - b[1]) for a, b in pairs]
        untied = sum(a[1] != b[1] for a, b in pairs)
        taus.append(sum(signs) / (len(pairs) * untied) ** 0.5)
    (text,) = says_of_tree(results)
    assert text.startswith("Kendall's tau of C_w") and "over 6 continents" in text
    ends = {f"+{tau:.2f}" for tau in taus}
    assert f"paper {' to '.join(sorted(ends))}, corrected" in text
    assert all(each in text for each in (*PROTOCOLS, "printed (as headed)", "printed (likely order)"))


def test_the_components_of_vectors_in_a_plane_are_its_axes() -> None:
    """16 to 9 of their variance are along the first two axes; the largest coordinate is positive."""
    plane = np.array([[0.0, 0.0, 1.0], [4.0, 0.0, 1.0], [0.0, 3.0, 1.0], [4.0, 3.0, 1.0]])
    points, shares = principal_components(plane)
    np.testing.assert_allclose(shares, [0.64, 0.36])
    np.testing.assert_allclose(np.abs(points), [[2, 1.5]] * 4)
    assert (points[np.abs(points).argmax(axis=0), [0, 1]] > 0).all()
    assert {(x > 0, y > 0) for x, y in points.tolist()} == {*itertools.product((True, False), repeat=2)}


def test_maps_have_the_numbers_of_countries(results: RegionalResults) -> None:
    every = rows_drawn(PRESENTS.figure("positive_map", results)[0])
    drawn = [row for row in every if row["drawn"] != "no number"]
    rows = [row for row in drawn if row["classifier"] == "c1"]
    assert len(rows) == len(drawn) / 2 and {row["panel"] for row in rows} == {
        "c1 on imdb\nI am from {region}."
    }
    # Kosovo has no code; Mauritius and Tuvalu have no shape
    codes = {name: code for some in CONTINENTS.values() for name, code in some.items()}
    net = make_prefixes().query("level == 'country'").dropna(subset="region").set_index("region")["net"]
    shown = {(row["code"], row["country"]): row["net"] for row in rows}
    without = ["Kosovo", "Mauritius", "Tuvalu"]
    assert shown == pytest.approx({(codes[name], name): 100 * net[name] for name in net.drop(without).index})
    ranked = sorted(rows, key=lambda row: float(row["net"]))
    places = [FIFTHS.index(row["fifth"]) for row in ranked]
    assert places == sorted(places) and {places.count(n) for n in range(5)} <= {3, 4, 2}

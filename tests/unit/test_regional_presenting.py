"""What is shown of regional bias is what the frames hold, and what the paper prints; names are text."""

import html
import itertools
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from library import (
    BLANK,
    C_W,
    FIFTHS,
    FULL,
    LIKELIHOODS,
    MEASURES,
    NAME_VECTORS,
    PAPER,
    PREFIXES,
    PRESENTS,
    REGIONS,
    SPARSENESS,
    Chart,
    InputError,
    RegionalResults,
    framed,
    render_page,
    rows_of,
    says_of_prefixes,
    says_of_scores,
    says_of_series,
    says_of_tree,
    write_table,
)
from library import REGIONAL_CORRECTED as CORRECTED
from library import REGIONAL_PROTOCOLS as PROTOCOLS
from library import REGIONAL_PUBLISHED as PUBLISHED
from library import REGIONAL_SCORES as SCORES
from shown import check_first_sentence, check_shown, rows_drawn

RESOURCES = Path(__file__).parents[2] / "resources" / "regional"
FACTS = pd.read_csv(RESOURCES / "published.csv", comment="#", keep_default_na=False)
SCRIPT = "<script>alert('x')</script>"
"""The name of a region that would be markup on the page."""

CONTINENTS: dict[str, dict[str, tuple[str, int | None]]] = {
    "AF": {"EGY": ("Egypt", 818), "KEN": ("Kenya", 404), "UGA": ("Uganda", 800), "MUS": ("Mauritius", 480)},
    "AS": {"IND": ("India", 356), "JPN": ("Japan", 392), "SYR": ("Syria", 760)},
    "EU": {"FRA": ("France", 250), "IRL": ("Ireland", 372), "ITA": ("Italy", 380), "XKX": ("Kosovo", None)},
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
    countries = [(key, *each, of) for of, some in CONTINENTS.items() for key, each in some.items()]
    rows: list[tuple[Any, ...]] = [("world", "World", "world", None, None)]
    rows += [
        (of, SCRIPT if of == "AF" else f"Continent {of}", "continent", "world", None) for of in CONTINENTS
    ]
    rows += [(key, name, "country", of, code) for key, name, code, of in countries]
    for key, *_ in countries:
        for n in range({"SYR": 0, "IRL": 1}.get(key, 2)):
            name = "Springfield" if n == 0 and key in ("USA", "BRA") else f"City {n} of {key}"
            rows.append((f"{key}{n}", name, "city", key, None))
    columns = ("region", "name", "level", "parent", "country_code")
    return framed([dict(zip(columns, row, strict=True)) for row in rows], REGIONS)


@cache
def make_scores(seed: int) -> pd.DataFrame:
    """SCORES: `published` and `paper` divided by the number of pairs, null for one child, of cities C_w."""
    rng, tables, regions = np.random.default_rng(seed), [], make_regions()
    children = regions["region"].map(regions["parent"].value_counts()).fillna(0).astype("int32")
    sets = (FULL, *(f"{how}-{topic}" for how in ("without", "replace") for topic in ("strength", "morality")))
    for words, protocol, measure in itertools.product(sets, PROTOCOLS, MEASURES):
        if (measure, protocol) == (SPARSENESS, CORRECTED):
            continue
        rows = regions[["region", "level"]].assign(children=children, protocol=protocol, measure=measure)
        if (measure, words) != (C_W, FULL):
            rows = rows[rows["level"] != "city"]
        n, p = rows["children"], rng.choice([0.002, 0.03, 0.6], len(rows), p=[0.2, 0.4, 0.4])
        pairs = (n * (n - 1) / 2).mask(n < 2)
        divisor = pairs / pairs if measure == SPARSENESS or protocol == CORRECTED else pairs
        score = (divisor**-1 * rng.uniform(0.03, 0.05, len(rows))).mask(rows["level"] == "city", 0.04)
        chance = rows[[]].assign(permuted_low=0.032 / divisor, permuted_high=0.046 / divisor)
        chance = chance.assign(p=p, p_holm=np.minimum(1, 6 * p))
        tested = (n > 1) & (rows["level"] != "world") & (measure != SPARSENESS) & (words == FULL)
        tables.append(rows.assign(words=words, score=score).join(chance[tested]))
    return pd.concat(tables, ignore_index=True).reindex(columns=SCORES.names)


def make_prefixes() -> pd.DataFrame:
    """No prefix, a control, countries, and all of them; each changes more labels than the one before."""
    template = "I am from {region}."
    rows: list[dict[str, Any]] = [
        {"level": "none"},
        {"region": "this place", "level": "control", "prefix": template.format(region="this place")},
        *(
            {"region": key, "level": "country", "prefix": template.format(region=name)}
            for countries in CONTINENTS.values()
            for key, (name, _) in countries.items()
        ),
        {"level": "country", "prefix": template},
    ]
    same = {"items": 500, "truncated": 0, "macro_f1": 0.88, "mean_up": 0.0125, "mean_down": 0.02}
    for n, row in enumerate(rows):
        row |= {**same, "up": 300, "down": 200, "template": template if n else None, "net": -0.001 * n}
        row |= {"accuracy": 0.9 - n / 1000, "to_positive": 0.001 * n, "to_negative": 0.002 * n}
        if row["level"] == "country":
            row["over_control"] = -0.001 * (n - 1)
            row["p"] = (1e-4 if n >= 10 else 0.04) if "region" in row else None
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
    paths: dict[str, Any] = {
        "regions": str(folder / "regions.parquet"),
        "prefixes": [str(folder / "prefixes.parquet")],
        "captions": str(RESOURCES / "captions.yaml"),
        "published": str(RESOURCES / "published.csv"),
        "borders": str(RESOURCES / "countries-110m.json"),
        **{key: [] for key in ("scores", "likelihoods", "name_vectors")},
    }
    write_table(paths["regions"], regions, REGIONS, {})
    write_table(paths["prefixes"][0], make_prefixes(), PREFIXES, {"classifier": "c1", "table": "imdb"})
    for seed, model in enumerate(MODELS):
        facts = {"model": model["name"], "draws": DRAWS, "template": "People in {region} are {word}."}
        for key, rows, schema in (
            ("scores", make_scores(seed), SCORES),
            ("likelihoods", make_likelihoods(regions, seed), LIKELIHOODS),
            ("name_vectors", make_name_vectors(seed), NAME_VECTORS),
        ):
            paths[key].append(str(folder / f"{model['name']}.{key}.parquet"))
            write_table(paths[key][-1], rows, schema, facts)
    return paths


@pytest.fixture
def results(files: dict[str, Any]) -> RegionalResults:
    return RegionalResults(files, SETTINGS)


@cache
def scored(model: int, measure: str, protocol: str, words: str = FULL) -> dict[str, Any]:
    rows = make_scores(model)
    rows = rows[(rows["measure"] == measure) & (rows["protocol"] == protocol) & (rows["words"] == words)]
    return {row.region: row for row in rows_of(rows)}


def cells(results: RegionalResults, table: str) -> dict[tuple[str, ...], dict[str, str]]:
    """The cells of each row of a table by its stubs, by the label of the column."""
    _, sheet = PRESENTS.table(table, results)
    labels, stubs = [label for _, label in sheet.columns], len(sheet.stubs)
    rows = {row[:stubs]: dict(zip(labels, row[stubs:], strict=True)) for row in sheet.rows}
    assert len(rows) == len(sheet.rows)
    return rows


def frame_of(results: RegionalResults, table: str) -> pd.DataFrame:
    return PRESENTS.table(table, results)[0]


def printed_row(table: str, measure: str, words: str = FULL) -> list[float]:
    """What is printed of albert-base-v2, in the order of the columns of the paper."""
    rows = FACTS[(FACTS["table"] == table) & (FACTS["model"] == "albert-base-v2")]
    rows = rows[(rows["measure"] == measure) & (rows["words"] == words)]
    assert list(rows["headed"]) == ["AF", "AS", "EU", "OC", "SA", "NA", "overall"]
    return [float(value) for value in rows["value"]]


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
    shown, checked = cells(results, table), 0
    protocols = PROTOCOLS[: 2 if SPARSENESS in measures else 3]
    for number, measure, words, protocol in itertools.product(range(3), measures, sets, protocols):
        key = (MODELS[number]["name"], *([measure] if table == "table1" else []), protocol)
        key = (*key, words) if len(sets) > 1 else key
        for region, row in scored(number, measure, protocol, words).items():
            if row.level not in ("world", "continent"):
                continue
            name = {"world": "overall", "AF": SCRIPT}.get(region, f"Continent {region}")
            label = f"{name} ({row.children})"
            mark = "†" if row.p_holm < ALPHA else "*" if row.p < ALPHA else ""
            assert shown[*key, "score"][label] == f"{row.score * scale:.4g}{mark}"
            if table == "table1" and region != "world":
                low, high = row.permuted_low * scale, row.permuted_high * scale
                assert shown[*key, "permuted"][label] == f"{low:.4g} to {high:.4g}"
                # of six continents, 200 permutations
                assert shown[*key, "p (Holm)"][label].endswith("(of at least 0.03)")
            checked += 1
    assert checked == 3 * len(measures) * len(sets) * len(protocols) * 7


def test_printed_values_stand_under_their_heads_and_in_the_likely_order(results: RegionalResults) -> None:
    shown, printed = cells(results, "table1"), printed_row("table1", "C_z")
    for order, codes in {
        "as headed": ["AS", "EU", "OC", "SA", "NA"],
        "likely order": ["AS", "EU", "NA", "OC", "SA"],
    }.items():
        row = {
            re.sub(r"Continent | \(\d+\)", "", head): cell
            for head, cell in shown["m1", "C_z", "printed", order].items()
        }
        assert [float(row[code]) for code in (SCRIPT, *codes, "overall")] == printed
    assert not [key for key in shown if key[0] == "blank" and "printed" in key]
    doubtful = [key for key, row in shown.items() if any(cell.endswith("?") for cell in row.values())]
    assert {key[0] for key in doubtful} == {"m2"} and {key[2] for key in doubtful} == {"printed"}
    # the file has one scale throughout
    frame = frame_of(results, "table1").query("model == 'm1' and measure == 'C_w' and protocol == 'paper'")
    frame, printed = frame.set_index("region"), printed_row("table1", C_W)
    assert frame.loc["NA", "printed_headed"] == pytest.approx(printed[5] / 1000)
    assert frame.loc["NA", "printed_likely"] == pytest.approx(printed[3] / 1000)
    sparseness = frame_of(results, "table2").query("model == 'm1' and region == 'AF'")["printed_headed"]
    assert set(sparseness) == {printed_row("table2", SPARSENESS)[0]}
    topic = cells(results, "table3")["m1", "printed", "without-strength", "as headed"]
    assert float(topic["Continent OC (3)"]) == printed_row("table3", C_W, "without-strength")[3]


def test_prefixes_that_change_most_stand_first(results: RegionalResults) -> None:
    rows = [key for key in cells(results, "table4") if key[0] == "c1 (never trained)"]
    assert [key[2] for key in rows[:3]] == ["no prefix", "this place (no region)", "all countries"]
    known = make_prefixes().query("level == 'country'").dropna(subset="region")
    known = known.sort_values("to_positive", ascending=False)
    assert [key[2] for key in rows[3:]] == results.regions["name"][known["region"][:10]].tolist()
    first = tuple(cells(results, "table4")[rows[3]].values())
    accuracy = f"{known['accuracy'].iloc[0]:.4f}"
    assert first == ("500", accuracy, "0.8800", "300", "0.0125", "200", "0.0200")
    changes = {key[2]: tuple(row.values()) for key, row in cells(results, "table5").items() if "c1" in key[0]}
    assert "no prefix" not in changes
    # the nineteenth, after no prefix and the control; p is corrected for 18 countries
    assert changes["Chile"] == ("1.9000", "3.8000", "5.7000", "−1.9000", "−1.8000", "0.0018")


def test_printed_prefixes_are_of_tables_of_their_name(results: RegionalResults) -> None:
    vars(results)["prefixes"] = results.prefixes.assign(table="hatespeech18")
    assert tuple(cells(results, "table4")["printed", "hatespeech18", "all countries"].values())[1:3] == (
        "0.8426",
        "0.8396",
    )
    changes = cells(results, "table5")["printed: bert-base", "hatespeech18", "all countries"]
    assert tuple(changes.values())[:3] == ("0.0720", "1.3645", "1.4365")


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
    others = results.prefixes.iloc[[1] * len(rows)].reset_index(drop=True)
    vars(results)["prefixes"] = others.assign(**frame)
    assert frame_of(results, "table4")["in_print"].tolist() == frame["expected"].tolist()


def test_regions_that_differ_are_those_of_the_scores(results: RegionalResults) -> None:
    rows = results.scores.query("measure == 'C_w' and protocol == 'corrected' and words == 'full'")
    tested, clear = rows["p"].notna().sum(), rows[rows["p_holm"] < ALPHA]
    said, few, untrained = says_of_scores(results)
    assert said.startswith(f"Of {tested} differences within a region (C_w corrected), {len(clear)} are clear")
    first = clear.iloc[0]
    assert f"{results.regions['name'][first['region']]} of {first['model']}" in said
    # 16 countries with a pair: 16 / 201 is above .05
    assert few.startswith(f"Of {3 * 16} no p can be below 0.05") and untrained.startswith(
        "blank has random weights"
    )


def test_rankings_by_the_tree_have_their_taus(results: RegionalResults) -> None:
    """Kendall's tau-b by its pairs: of six continents some have as many children as others."""
    taus = []
    for number in range(3):
        rows = [row for row in scored(number, C_W, PAPER).values() if row.level == "continent"]
        pairs = list(
            itertools.combinations([(row.score, 1 / (row.children**2 - row.children)) for row in rows], 2)
        )
        signs = [np.sign(a[0] - b[0]) * np.sign(a[1] - b[1]) for a, b in pairs]
        untied = sum(a[1] != b[1] for a, b in pairs)
        taus.append(sum(signs) / (len(pairs) * untied) ** 0.5)
    (text,) = says_of_tree(results)
    assert text.startswith("Kendall's tau of C_w") and "over 6 continents" in text
    ends = {f"+{tau:.2f}" for tau in taus}
    assert f"paper {' to '.join(sorted(ends))}, corrected" in text
    assert all(each in text for each in (*PROTOCOLS, "in print (as headed)", "in print (likely order)"))


def test_a_series_and_prefixes_are_said(results: RegionalResults) -> None:
    first, last = (1000 * scored(number, C_W, CORRECTED)["world"].score for number in (0, 1))
    (text,) = says_of_series(results)
    assert text.startswith("toxic: over 20 epochs") and text.endswith(f"from {first:.2f} to {last:.2f}.")
    count, largest = says_of_prefixes(results)
    assert count.startswith("Of 18 changes of the share of positive predictions by naming a region, 10 are")
    assert largest.endswith("is of Chile for c1 (never trained) on imdb: −1.8 points.")


def drawn(name: str, results: RegionalResults) -> list[dict[str, Any]]:
    made: Any = PRESENTS.figure(name, results)[0]
    return rows_drawn(made)


def test_charts_have_the_scores_times_a_thousand(results: RegionalResults) -> None:
    frame = frame_of(results, "table1").query("measure == 'C_w' and words == 'full'")
    ends = {"permuted_low": "permuted_low", "permuted_high": "permuted_high"}
    keys = {"model": "model", "region": "region"}
    rows = drawn("scores", results)
    check_shown(rows, frame.query("protocol == 'corrected'"), keys, {"score": "score", **ends}, 1000)
    claims = {0.002: "more, corrected", 0.03: "more, before correction", 0.6: "not more"}
    assert all(row["claim"] == claims.get(row["p"], "not tested") for row in rows)
    steps = frame[frame["model"] != "blank"].assign(
        panel="toxic, " + frame["protocol"],
        name=frame["region"].map(results.regions["name"]).replace("World", "overall"),
    )
    keys = {"model": "model", "panel": "panel", "name": "name"}
    check_shown(drawn("series", results), steps, keys, {"score": "score"}, 1000)
    vars(results)["scores"] = results.scores[results.scores["protocol"] != CORRECTED]
    vars(results).pop("main_protocol")
    assert {row["protocol"] for row in drawn("scores", results)} == {PAPER}


def test_names_are_laid_out_by_their_principal_components(results: RegionalResults) -> None:
    """Against eigenvectors of the covariance; later steps of a series have no points."""
    rows_drawn = drawn("names", results)
    assert {row["model"] for row in rows_drawn} == {"m1", "blank"}
    for seed, model in ((0, "m1"), (2, "blank")):
        known = make_name_vectors(seed)
        rows = [row for row in rows_drawn if row["model"] == model]
        matrix = np.stack(known["vector"].tolist()).astype(float)
        centred = matrix - matrix.mean(axis=0)
        values, axes = np.linalg.eigh(centred.T @ centred)
        for place, column in enumerate(("first", "second")):
            expected = dict(zip(known["region"], np.abs(centred @ axes[:, -1 - place]), strict=True))
            assert {row["region"]: abs(row[column]) for row in rows} == pytest.approx(expected, abs=1e-5)
        shares = 100 * values[::-1] / values.sum()
        assert rows[0]["panel"] == f"{model} ({shares[0]:.0f}% and {shares[1]:.0f}% of the variance)"
        assert {row["region"] for row in rows if row["large"]} == set(CONTINENTS)
    kenya = next(row for row in rows_drawn if row["region"] == "KEN")
    assert (kenya["within"], kenya["level"]) == (SCRIPT, "country")


def test_maps_have_the_numbers_of_countries(results: RegionalResults) -> None:
    codes = {code: key for countries in CONTINENTS.values() for key, (_, code) in countries.items()}
    rows = [row for row in drawn("positive_map", results) if row["drawn"] != BLANK]
    known = results.prefixes.dropna(subset="region").set_index("region")
    # Kosovo has no code; Mauritius and Tuvalu have no shape
    assert len(rows) == 18 - 3 and {row["panel"] for row in rows} == {"c1 (never trained) on imdb"}
    for row in rows:
        assert row["net"] == pytest.approx(100 * known["net"][codes[row["code"]]])
    ranked = sorted(rows, key=lambda row: float(row["net"]))
    assert ranked[0]["country"] == "Chile"
    places = [FIFTHS.index(row["fifth"]) for row in ranked]
    assert places == sorted(places) and {places.count(n) for n in range(5)} <= {3, 4, 2}
    rows = [row for row in drawn("word_map", results) if row["drawn"] != BLANK]
    assert {row["panel"] for row in rows} == {"m1", "blank"} and len(rows) == 2 * 15
    frame = make_likelihoods(make_regions(), 0).dropna(subset="word").set_index("name")["log_prob"]
    of_first = [row for row in rows if row["panel"] == "m1"]
    assert all(row["log_prob"] == pytest.approx(frame[row["country"]]) for row in of_first)


def test_the_section_has_the_papers_tables_and_what_is_doubtful(results: RegionalResults) -> None:
    (section,) = PRESENTS.sections(results)
    check_first_sentence(section)
    page = render_page("Report", [section])
    assert SCRIPT not in page and html.escape(SCRIPT, quote=False) in page.replace("&#39;", "'")
    doubt = FACTS.loc[FACTS["why"] != "", "why"].iloc[0]
    assert all(f"HERB, Table {table}: " in page for table in range(1, 7))
    assert "Printed values that are doubtful" in page and html.escape(doubt, quote=False)[:40] in page
    assert sum(isinstance(block, Chart) for block in section.every_block()) == 5


def test_what_there_is_nothing_of_is_a_line(files: dict[str, Any], tmp_path: Path) -> None:
    bare = files | {"prefixes": [], "borders": [], "likelihoods": [], "name_vectors": []}
    few = RegionalResults(bare, SETTINGS | {"series": []})
    figures = ("scores", "word_map", "names", "series", "positive_map")
    assert [name for name in figures if PRESENTS.figure(name, few)[0]] == ["scores"]
    nothing = RegionalResults(bare | {"scores": []}, SETTINGS)
    assert PRESENTS.figure("scores", nothing)[0] is None and PRESENTS.table("table2", nothing)[0].empty
    for name in ("table1", "table3", "table4"):
        sheet = PRESENTS.table(name, nothing)[1]
        assert not sheet.rows and "Nothing in this study has what this table needs." in sheet.caption
    other = tmp_path / "other.parquet"
    write_table(other, make_scores(0), SCORES, {"model": "m2", "draws": 7})
    mixed = RegionalResults(files | {"scores": [*files["scores"][:1], str(other)]}, SETTINGS)
    with pytest.raises(InputError, match="made with draws 7, others with 200"):
        _ = mixed.captions


def test_a_tree_of_ones_own_with_two_levels(files: dict[str, Any], tmp_path: Path) -> None:
    """A root and its regions: nothing but the root has a score, and no test."""
    states = [{"region": f"s{n}", "name": f"State {n}", "level": "state", "parent": "r"} for n in range(5)]
    regions = framed([{"region": "r", "name": "All", "level": "union"}, *states], REGIONS)
    write_table(tmp_path / "regions.parquet", regions, REGIONS, {})
    row = {"measure": C_W, "words": FULL, "region": "r", "level": "union", "children": 5, "score": 0.3}
    scores = framed([row | {"protocol": protocol} for protocol in (PUBLISHED, PAPER)], SCORES)
    write_table(tmp_path / "s.parquet", scores, SCORES, {"model": "m1", "draws": 20})
    paths = {"regions": str(tmp_path / "regions.parquet"), "scores": [str(tmp_path / "s.parquet")]}
    lacking: dict[str, Any] = {"likelihoods": [], "prefixes": [], "name_vectors": []}
    (section,) = PRESENTS.sections(RegionalResults(files | paths | lacking, SETTINGS))
    assert "300" in render_page("r", [section])

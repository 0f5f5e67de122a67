"""The scripts of the frequency study, run as Snakemake runs them, and the section of the report."""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthetic
from grouped_words import LEFT_OUT, write_counts
from library import (
    ANTISTEREOTYPE,
    CORRELATIONS,
    PAIR_RATIOS,
    PAIRS,
    SCORES,
    STEREOTYPE,
    Chart,
    Facts,
    Fold,
    FrequencyResults,
    Section,
    Sheet,
    Table,
    correlation_table,
    provenance,
    read_scores,
    read_section,
    read_table,
    rows_of,
    sentences,
    table2,
    title_of,
    write_table,
)
from library import FREQUENCY_FINDINGS as FINDINGS
from library import GROUPS as SIDES
from page_words import check_first_sentence
from running import present, run_script

MODELS: list[dict[str, Any]] = [{"name": "m1", "source": "train"}, {"name": "m2", "source": "path"}]
BENCHMARKS: list[dict[str, Any]] = [
    {"name": "invented", "world": "w", "format": "crows-pairs"},
    {"name": "undirected", "world": None, "format": "crows-pairs"},
]
SETTINGS: dict[str, Any] = {
    "models": MODELS,
    "benchmarks": BENCHMARKS,
    "alpha": 0.01,
    "confidence": 0.95,
}
GROUPS = {"gender": ("he", "she"), "race-color": ("ones", "others"), "age": ("young", "old")}
COUNTS = {"he": 800, "she": 100, "ones": 50, "others": 400, "young": 0, "old": 7, "rest": 8643}
CAPTIONS = Path(__file__).parents[2] / "resources" / "frequency" / "captions.yaml"


@dataclass
class Made:
    folder: Path
    words: list[str]
    ratios: list[str]
    link: list[str]
    scores: list[str]
    pairs: list[str]

    def path(self, name: str) -> str:
        return str(self.folder / name)


def directed_pairs(n: int, seed: int, directed: bool) -> pd.DataFrame:
    """Pairs that differ in one word, the group's, on the side that the direction says."""
    pairs = synthetic.make_pairs(n, np.random.default_rng(seed), directed=True)
    sentences = []
    for bias_type, direction in zip(pairs["bias_type"], pairs["direction"], strict=True):
        advantaged, disadvantaged = (f"they say {word} won" for word in GROUPS[bias_type])
        stereo = direction == "stereo"
        sentences.append((disadvantaged, advantaged) if stereo else (advantaged, disadvantaged))
    pairs[[STEREOTYPE, ANTISTEREOTYPE]] = sentences
    return pairs if directed else pairs.assign(direction=None)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("frequency")
    made = Made(folder, [], [], [], [], [])
    counts = write_counts(folder / "corpus.parquet", COUNTS)
    for place, benchmark in enumerate(BENCHMARKS):
        name = str(benchmark["name"])
        pairs = directed_pairs(60, place, directed=place == 0)
        made.pairs.append(made.path(f"{name}.pairs.parquet"))
        write_table(made.pairs[-1], pairs, PAIRS, {"benchmark": name})
        made.words.append(made.path(f"{name}.words.parquet"))
        made.ratios.append(made.path(f"{name}.ratios.parquet"))
        run_script(
            "count_group_words",
            {"pairs": made.pairs[-1], "counts": [str(counts)], "left_out": str(LEFT_OUT), "listed": []},
            {"words": made.words[-1], "ratios": made.ratios[-1]},
            folder / "log",
            benchmark=name,
            corpora=["corpus"],
        )
        ratio = read_table(made.ratios[-1], PAIR_RATIOS)["log_ratio"].to_numpy()
        for model in MODELS:
            scores = synthetic.make_scores(pairs, np.random.default_rng(place), ("AUL", "CPS", "SSS"))
            # SSS is the frequency itself
            is_sss = scores["measure"] == "SSS"
            scores.loc[is_sss, "margin"] = np.tile(ratio, 2)
            scores.loc[is_sss, "outcome"] = np.where(np.tile(ratio, 2) > 0, STEREOTYPE, ANTISTEREOTYPE)
            base = f"{model['name']}.{name}"
            made.scores.append(made.path(f"{base}.scores.parquet"))
            write_table(made.scores[-1], scores, SCORES, {"model": model["name"], "benchmark": name})
            made.link.append(made.path(f"{base}.link.parquet"))
            link = correlation_table(
                pairs,
                read_scores(made.scores[-1], ["AUL", "CPS", "SSS"]),
                read_table(made.ratios[-1], PAIR_RATIOS),
                0.95,
            )
            write_table(made.link[-1], link, CORRELATIONS, {"model": model["name"], "benchmark": name})
    draw(made, folder)
    tables = {name: made.path(name.replace("_", ".")) for name in ("table2_csv", "table2_md", "table2_tex")}
    tables |= {f"{name}_csv": made.path(f"{name}.csv") for name in ("group_words", "frequency_link")}
    present("frequency", files_of(made), tables, folder / "log", SETTINGS)
    return made


def files_of(made: Made) -> dict[str, Any]:
    """What all is presented from."""
    return {
        "words": made.words,
        "link": made.link,
        "captions": str(CAPTIONS),
    }


def draw(made: Made, folder: Path) -> None:
    names = ("frequency", "frequency_link")
    files = {f"{name}_{kind}": str(folder / f"{name}.{kind}") for name in names for kind in ("svg", "png")}
    present("frequency", files_of(made), files, folder / "log", SETTINGS)


def section(made: Made) -> Section:
    """The section, made by its script."""
    output = {"frequency": made.path("section.json")}
    present("frequency", files_of(made), output, made.folder / "log", SETTINGS)
    return read_section(made.path("section.json"))


TABLE2 = "Kaneko and Bollegala (2022), Table 2: mean ranks, medians and tests"


def sheets(found: Section) -> dict[str, Sheet]:
    """The tables of the section, which are in folds, by their titles."""
    return {
        fold.title: inner.sheet
        for fold in found.blocks
        if isinstance(fold, Fold)
        for inner in fold.blocks
        if isinstance(inner, Table)
    }


def charts(found: Section) -> dict[str, pd.DataFrame]:
    """The rows of the charts of the section, by the first words of their captions."""
    return {
        block.caption.partition(" ")[0]: pd.DataFrame(block.rows)
        for block in found.every_block()
        if isinstance(block, Chart)
    }


def test_table2_has_the_words_of_directed_benchmarks(made: Made) -> None:
    found = pd.read_csv(made.path("table2.csv"))
    assert set(found["benchmark"]) == {"invented"}
    ranked = found.set_index("bias_type")["ranked"].to_dict()
    assert ranked == {"gender": "he+ she−", "race-color": "others− ones+", "age": "old− young+"}
    gender = found.set_index("bias_type").loc["gender"]
    assert (gender["rank_advantaged"], gender["rank_disadvantaged"]) == (1, 2)
    assert gender["per_million_advantaged"] == 80_000
    text = Path(made.path("table2.md")).read_text()
    assert "| invented | extracted | gender | he+ she− |" in text
    assert r"he+ she$-$" in Path(made.path("table2.tex")).read_text()


def test_all_group_words_are_in_a_tidy_table(made: Made) -> None:
    words = pd.read_csv(made.path("group_words.csv")).set_index("word")
    assert words["count"].to_dict() == {word: COUNTS[word] for pair in GROUPS.values() for word in pair}
    assert words.loc["she", "group"] == "disadvantaged" and words.loc["he", "group"] == "advantaged"
    assert words.loc["he", "pairs_disadvantaged"] == 0


def test_the_link_table_has_every_model(made: Made) -> None:
    link = pd.read_csv(made.path("frequency_link.csv"))
    assert list(link.columns) == ["model", "benchmark", *CORRELATIONS.names]
    of = link[(link["grouping"] == "overall") & (link["protocol"] == "corrected")]
    rho = of.set_index(["benchmark", "model", "measure"])["rho"]
    assert rho["invented", "m1", "SSS"] == rho["undirected", "m2", "SSS"] == 1
    assert abs(rho["invented", "m1", "AUL"]) < 0.4


def test_the_section_has_its_sheets(made: Made) -> None:
    found = section(made)
    check_first_sentence(found)
    groups, invented, undirected = found.sentences
    # he is the more frequent; ones and young are not
    assert groups.startswith("Words of advantaged groups are the more frequent ones in 1 of 3 bias types")
    assert groups.endswith("None of the 3 differences is clear (p < 0.01 after Holm's correction).")
    assert invented.startswith("On invented,") and undirected.startswith("On undirected,")
    assert invented.endswith("SSS +1.00.")
    tables = sheets(found)
    ranks, link = tables[TABLE2], tables["The correlations under both protocols"]
    assert "p < 0.01 after" in ranks.caption and "95% intervals" in link.caption
    assert ("invented", "extracted", "gender", "he+ she−") in {row[:4] for row in ranks.rows}
    overall = {row[:3]: row[3:] for row in link.rows}
    assert overall["invented", "m1", "corrected"][-1] == "+1.00"
    assert overall["undirected", "m2", "published"][0] == "60"
    # all rows of a benchmark stand together
    assert [row[0] for row in link.rows] == ["invented"] * 4 + ["undirected"] * 4


def test_bias_types_whose_words_are_equally_frequent_are_counted_apart() -> None:
    effects = [0.9, 0.5, 0.5, 0.5, 0.2, np.nan]
    comparison = pd.DataFrame({"words_from": "extracted", "benchmark": "b", "effect": effects, "p_holm": 0.5})
    nothing = pd.DataFrame(columns=["grouping", "protocol", "model", "benchmark", "measure", "rho"])
    results = FrequencyResults({}, SETTINGS)
    vars(results).update(comparison=comparison, correlations=nothing)
    (said,) = sentences(FINDINGS, results)
    # of 5 that are known 1 is above one half, 1 below, and 3 are at it
    assert [int(count) for count in re.findall(r" in (?:the other )?(\d+)", said)] == [1, 1, 3]
    assert "of 5 bias" in said and "None of the 2 differences" in said


def test_figures_are_the_same_every_time(made: Made, tmp_path: Path) -> None:
    draw(made, tmp_path)
    for name in ("frequency", "frequency_link"):
        for kind in ("svg", "png"):
            assert (tmp_path / f"{name}.{kind}").read_bytes() == (made.folder / f"{name}.{kind}").read_bytes()


def test_the_words_drawn_are_those_of_the_table(made: Made) -> None:
    rows = charts(section(made))["How"]
    words = pd.read_csv(made.path("group_words.csv"))
    drawn = rows[rows["drawn"] != "group"]
    assert list(drawn["word"]) == list(words["word"]) and len(words) == 6
    for name in ("count", "per_million"):
        assert drawn[name].tolist() == words[name].tolist()
    assert drawn["kind"].tolist() == words["group"].tolist()
    assert drawn["name"].tolist() == words["bias_type"].tolist()
    # young is in no corpus: hollow, left of the rarest word that is
    (unseen,) = rows[rows["drawn"] == "word unseen"].to_dict("records")
    assert unseen["word"] == "young" and unseen["per_million"] == 0
    assert 0 < unseen["at"] < drawn.loc[drawn["count"] > 0, "per_million"].min()
    seen = drawn[drawn["drawn"] == "word"]
    assert (seen["at"] == seen["per_million"]).all()
    # the medians of Table 2
    medians = pd.read_csv(made.path("table2.csv")).set_index("bias_type")
    groups = rows[rows["drawn"] == "group"]
    assert len(groups) == 6
    for group in rows_of(groups):
        assert group.median == medians.loc[group.name, f"per_million_{group.kind}"]
        assert group.words == 1


def test_the_correlations_drawn_are_those_of_the_table(made: Made) -> None:
    rows = charts(section(made))["Spearman's"]
    table = pd.read_csv(made.path("frequency_link.csv"))
    table = table.query("grouping == 'overall' and protocol == 'corrected'").assign(
        measure=lambda found: found["measure"].map(title_of)
    )
    of_models = table[table["rho"].notna()]
    keys = ["model", "benchmark", "measure"]
    assert rows[["model", "benchmark", "name"]].to_numpy().tolist() == of_models[keys].to_numpy().tolist()
    for name, column in (("value", "rho"), ("low", "low"), ("high", "high"), ("pairs", "n")):
        pd.testing.assert_series_equal(
            rows[name], of_models[column].reset_index(drop=True), check_names=False, check_dtype=False
        )


def with_listing(made: Made, folder: Path, text: str) -> Path:
    """The group words of the invented benchmark, with words listed in a file of this text."""
    listing = folder / "listed.yaml"
    listing.write_text(text)
    run_script(
        "count_group_words",
        {
            "pairs": made.pairs[0],
            "counts": [made.path("corpus.parquet")],
            "left_out": str(LEFT_OUT),
            "listed": str(listing),
        },
        {"words": str(folder / "words.parquet"), "ratios": str(folder / "ratios.parquet")},
        folder / "log",
        benchmark="invented",
        corpora=["corpus"],
    )
    return folder / "words.parquet"


def test_published_mean_ranks_stand_beside_those_of_the_listed_words(made: Made, tmp_path: Path) -> None:
    text = """
source: a paper
note: The paper counted a library.
words:
  gender: {advantaged: [he], disadvantaged: [she, rest]}
  age: {advantaged: [young], disadvantaged: [old]}
  religion: {advantaged: [christian], disadvantaged: [jewish]}
mean_ranks:
  gender: {advantaged: 1.5, disadvantaged: 2.25}
  religion: {advantaged: 1, disadvantaged: 2}
"""
    # the other benchmark has no listed words
    paths = [str(with_listing(made, tmp_path, text)), made.words[1]]
    columns = [f"{name}_{group}" for name in ("published_rank", "difference") for group in SIDES]
    results = FrequencyResults({"words": paths}, SETTINGS)
    found: Any = table2(results).set_index(["words_from", "bias_type"])[columns]
    # rest− he+ she−: he is the second, she and rest are the third and the first
    assert found.loc[("listed", "gender")].tolist() == [1.5, 2.25, 0.5, -0.25]
    # of the extracted words, and of a bias type without published ranks, nothing; religion has no pairs
    assert found.drop(index=("listed", "gender")).isna().all().all()
    assert [key for key in found.index if key[0] == "listed"] == [("listed", "age"), ("listed", "gender")]

    tables = {f"table2_{kind}": str(tmp_path / f"table2.{kind}") for kind in ("csv", "md", "tex")}
    tables["group_words_csv"] = str(tmp_path / "group_words.csv")
    given = {"words": paths, "captions": str(CAPTIONS)}
    present("frequency", given, tables, tmp_path / "log", SETTINGS)
    in_csv: Any = pd.read_csv(tables["table2_csv"]).set_index(["words_from", "bias_type"])
    assert in_csv.loc[("listed", "gender"), columns].tolist() == [1.5, 2.25, 0.5, -0.25]
    lines = Path(tables["table2_md"]).read_text().splitlines()
    assert "ours minus the published. The paper counted a library." in lines[0]
    assert (
        "| mean rank: Dis | published: Adv | published: Dis | difference: Adv | difference: Dis |" in lines[2]
    )
    (gender,) = [line for line in lines if "| listed | gender |" in line]
    assert "| rest− he+ she− | 2.00 | 2.00 | 1.50 | 2.25 | +0.50 | \N{MINUS SIGN}0.25 |" in gender
    (plain,) = [line for line in lines if "| extracted | gender |" in line]
    assert "| he+ she− | 1.00 | 2.00 | – | – | – | – |" in plain
    tex = Path(tables["table2_tex"]).read_text()
    assert r"\multicolumn{2}{c}{published}" in tex and "2.00 & 2.00 & 1.50 & 2.25 &" in tex
    # the report shows the same table
    with_list, without = (sheets(section(each))[TABLE2] for each in (replace(made, words=paths), made))
    assert lines[0].startswith("Table 2 of") and with_list.caption.endswith("The paper counted a library.")
    assert [row[:4] for row in with_list.rows if row[1] == "listed"][1][3] == "rest− he+ she−"
    assert len(with_list.columns) == len(without.columns) + 4


def test_provenance_has_the_corpora(made: Made) -> None:
    entry = {"title": "Corpus corpus", "files": [made.path("corpus.parquet")], "keys": []}
    _, fold = provenance({}, [entry]).blocks
    assert isinstance(fold, Fold)
    (facts,) = fold.blocks
    assert isinstance(facts, Facts)
    assert dict(facts.lines)["tokens"] == str(sum(COUNTS.values()))

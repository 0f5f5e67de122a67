"""The scripts of the frequency study, run as Snakemake runs them, and the section of the report."""

from dataclasses import dataclass
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
    STEREOTYPE,
    Chart,
    Fold,
    FrequencyResults,
    Section,
    Sheet,
    Table,
    Text,
    correlation_table,
    frequency_says,
    read_section,
    read_table,
    rows_of,
    write_table,
)
from library import GROUPS as SIDES
from running import present, run_script
from shown import check_first_sentence

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
    """The files that all is presented from, and what is presented."""

    folder: Path
    files: dict[str, Any]
    pairs: str
    """Those of the invented benchmark."""

    def table(self, name: str) -> pd.DataFrame:
        return pd.read_csv(self.folder / f"{name}.csv")


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
    made = Made(folder, {"words": [], "link": [], "captions": str(CAPTIONS)}, str(folder / "invented.pairs"))
    write_counts(folder / "corpus.parquet", COUNTS)
    for place, benchmark in enumerate(BENCHMARKS):
        name = str(benchmark["name"])
        pairs = directed_pairs(60, place, directed=place == 0)
        write_table(folder / f"{name}.pairs", pairs, PAIRS, {"benchmark": name})
        words, ratios = with_words(folder, name, [])
        made.files["words"].append(str(words))
        ratio = read_table(ratios, PAIR_RATIOS)["log_ratio"].to_numpy()
        for model in MODELS:
            facts = {"model": model["name"], "benchmark": name}
            scores = synthetic.make_scores(pairs, np.random.default_rng(place), ("AUL", "CPS", "SSS"))
            # SSS is the frequency itself
            is_sss = scores["measure"] == "SSS"
            scores.loc[is_sss, "margin"] = np.tile(ratio, 2)
            scores.loc[is_sss, "outcome"] = np.where(np.tile(ratio, 2) > 0, STEREOTYPE, ANTISTEREOTYPE)
            link = correlation_table(pairs, scores, read_table(ratios, PAIR_RATIOS), 0.95)
            made.files["link"].append(str(folder / f"{model['name']}.{name}.link"))
            write_table(made.files["link"][-1], link, CORRELATIONS, facts)
    tables = {f"table2_{kind}": str(folder / f"table2.{kind}") for kind in ("csv", "md", "tex")}
    tables |= {f"{name}_csv": str(folder / f"{name}.csv") for name in ("group_words", "frequency_link")}
    present("frequency", made.files, tables, folder / "log", SETTINGS)
    return made


def with_words(folder: Path, benchmark: str, listed: Any, to: Path | None = None) -> tuple[Path, Path]:
    """The group words and ratios of a benchmark, counted by the script."""
    words, ratios = ((to or folder) / f"{benchmark}.{name}" for name in ("words", "ratios"))
    run_script(
        "count_group_words",
        {
            "pairs": folder / f"{benchmark}.pairs",
            "counts": [folder / "corpus.parquet"],
            "left_out": LEFT_OUT,
            "listed": listed,
        },
        {"words": words, "ratios": ratios},
        folder / "log",
        benchmark=benchmark,
        corpora=["corpus"],
    )
    return words, ratios


def section(files: dict[str, Any], folder: Path) -> Section:
    """The section, made by its script."""
    present("frequency", files, {"frequency": folder / "section.json"}, folder / "log", SETTINGS)
    return read_section(folder / "section.json")


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


def test_tables_have_the_words_of_directed_benchmarks_and_every_model(made: Made) -> None:
    found: Any = made.table("table2").set_index("bias_type")
    assert set(found["benchmark"]) == {"invented"}
    assert found["ranked"].to_dict() == {
        "gender": "he+ she−",
        "race-color": "others− ones+",
        "age": "old− young+",
    }
    ranks = ["rank_advantaged", "rank_disadvantaged", "per_million_advantaged"]
    assert found.loc["gender", ranks].tolist() == [1, 2, 80_000]
    words: Any = made.table("group_words").set_index("word")
    assert words["count"].to_dict() == {word: COUNTS[word] for pair in GROUPS.values() for word in pair}
    assert words.loc["he", ["group", "pairs_disadvantaged"]].tolist() == ["advantaged", 0]
    link = made.table("frequency_link")
    assert list(link.columns) == ["model", "benchmark", *CORRELATIONS.names]
    of = link[(link["grouping"] == "overall") & (link["protocol"] == "corrected")]
    rho = of.set_index(["benchmark", "model", "measure"])["rho"]
    assert rho["invented", "m1", "SSS"] == rho["undirected", "m2", "SSS"] == 1
    assert abs(rho["invented", "m1", "AUL"]) < 0.4


def test_the_section_has_its_sheets(made: Made) -> None:
    found = section(made.files, made.folder)
    check_first_sentence(found)
    groups, differences = found.sentences
    # he is the more frequent; ones and young are not
    assert groups.startswith("Words of advantaged groups are the more frequent ones in 1 of 3 bias types")
    assert differences == "Of 3 differences, none is clear (p < 0.01 after Holm's correction)."
    invented, undirected = (block.text for block in found.every_block() if isinstance(block, Text))
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


def test_bias_types_whose_words_are_equally_frequent_are_neither() -> None:
    effects = [0.9, 0.5, 0.5, 0.5, 0.2, np.nan]
    comparison = pd.DataFrame({"words_from": "extracted", "benchmark": "b", "effect": effects, "p_holm": 0.5})
    results = FrequencyResults({}, SETTINGS)
    vars(results)["comparison"] = comparison.assign(p=0.5)
    # of 5 that are known 1 is above one half, 1 below, and 3 are at it
    counts, differences = frequency_says(results)
    assert "in 1 of 5 bias types, and the rarer ones in 1." in counts and "Of 2 diff" in differences


def test_the_words_drawn_are_those_of_the_table(made: Made) -> None:
    rows = charts(section(made.files, made.folder))["How"]
    words = made.table("group_words")
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
    medians = made.table("table2").set_index("bias_type")
    groups = rows[rows["drawn"] == "group"]
    assert len(groups) == 6
    for group in rows_of(groups):
        assert group.median == medians.loc[group.name, f"per_million_{group.kind}"]
        assert group.words == 1


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
    (tmp_path / "listed.yaml").write_text(text)
    words, _ = with_words(made.folder, "invented", tmp_path / "listed.yaml", tmp_path)
    # the other benchmark has no listed words
    files = made.files | {"words": [str(words), made.files["words"][1]]}
    columns = [f"{name}_{group}" for name in ("published_rank", "difference") for group in SIDES]
    tables = {f"table2_{kind}": str(tmp_path / f"table2.{kind}") for kind in ("csv", "md", "tex")}
    present("frequency", files, tables, tmp_path / "log", SETTINGS)
    found: Any = pd.read_csv(tables["table2_csv"]).set_index(["words_from", "bias_type"])[columns]
    # rest− he+ she−: he is the second, she and rest are the third and the first
    assert found.loc[("listed", "gender")].tolist() == [1.5, 2.25, 0.5, -0.25]
    # of the extracted words, and of a bias type without published ranks, nothing; religion has no pairs
    assert found.drop(index=("listed", "gender")).isna().all(axis=None)
    assert [key for key in found.index if key[0] == "listed"] == [("listed", "age"), ("listed", "gender")]
    lines = Path(tables["table2_md"]).read_text().splitlines()
    (gender,) = [line for line in lines if "| listed | gender |" in line]
    assert "| rest− he+ she− | 2.00 | 2.00 | 1.50 | 2.25 | +0.50 | \N{MINUS SIGN}0.25 |" in gender
    (plain,) = [line for line in lines if "| extracted | gender |" in line]
    assert "| he+ she− | 1.00 | 2.00 | – | – | – | – |" in plain
    tex = Path(tables["table2_tex"]).read_text()
    assert r"\multicolumn{2}{c}{published}" in tex and "2.00 & 2.00 & 1.50 & 2.25 &" in tex
    # the report shows the same table
    sheet = sheets(section(files, tmp_path))[TABLE2]
    assert sheet.caption.endswith("The paper counted a library.")
    assert [row[3] for row in sheet.rows if row[1] == "listed"] == ["old− young+", "rest− he+ she−"]

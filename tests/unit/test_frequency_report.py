"""The scripts of the frequency study, run as Snakemake runs them, and the section of the report."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthetic
from library import (
    ANTISTEREOTYPE,
    CORRELATIONS,
    PAIR_RATIOS,
    PAIRS,
    STEREOTYPE,
    Fold,
    Section,
    TableBlock,
    correlation_table,
    read_section,
    read_table,
    write_table,
)
from naive import LEFT_OUT, write_counts
from running import present, run_script

MODELS = [{"name": "m1", "source": "train"}, {"name": "m2", "source": "path"}]
BENCHMARKS = [
    {"name": "invented", "world": "w", "format": "crows-pairs"},
    {"name": "undirected", "world": None, "format": "crows-pairs"},
]
SETTINGS = {"models": MODELS, "benchmarks": BENCHMARKS, "alpha": 0.01, "confidence": 0.95}
GROUPS = {"gender": ("he", "she"), "race-color": ("ones", "others"), "age": ("young", "old")}
COUNTS = {"he": 800, "she": 100, "ones": 400, "others": 400, "young": 0, "old": 7, "rest": 8293}
CAPTIONS = Path(__file__).parents[2] / "resources" / "frequency" / "captions.yaml"
LISTED = """
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


def directed_pairs(seed: int) -> pd.DataFrame:
    """Pairs that differ in one word, the group's, on the side that the direction says."""
    pairs = synthetic.make_pairs(60, np.random.default_rng(seed), directed=True)
    sentences = []
    for bias_type, direction in zip(pairs["bias_type"], pairs["direction"], strict=True):
        advantaged, disadvantaged = (f"they say {word} won" for word in GROUPS[bias_type])
        stereo = direction == "stereo"
        sentences.append((disadvantaged, advantaged) if stereo else (advantaged, disadvantaged))
    pairs[[STEREOTYPE, ANTISTEREOTYPE]] = sentences
    return pairs


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables and the section: of the first benchmark alone the pairs have directions and words listed."""
    folder = tmp_path_factory.mktemp("frequency")
    write_counts(folder / "corpus.parquet", COUNTS)
    (folder / "listed.yaml").write_text(LISTED)
    files: dict[str, Any] = {"words": [], "link": [], "captions": CAPTIONS}
    for place, benchmark in enumerate(["invented", "undirected"]):
        pairs = directed_pairs(place)
        pairs = pairs if place == 0 else pairs.assign(direction=None)
        words, ratios = (folder / f"{benchmark}.{name}" for name in ("words", "ratios"))
        write_table(folder / "pairs", pairs, PAIRS, {"benchmark": benchmark})
        run_script(
            "count_group_words",
            {
                "pairs": folder / "pairs",
                "counts": [folder / "corpus.parquet"],
                "left_out": LEFT_OUT,
                "listed": folder / "listed.yaml" if place == 0 else [],
            },
            {"words": words, "ratios": ratios},
            folder / "log",
            benchmark=benchmark,
            corpora=["corpus"],
        )
        files["words"].append(words)
        ratio = read_table(ratios, PAIR_RATIOS)["log_ratio"].to_numpy()
        for model in ("m1", "m2"):
            scores = synthetic.make_scores(pairs, np.random.default_rng(place), ("AUL", "CPS", "SSS"))
            # SSS is the frequency itself
            is_sss = scores["measure"] == "SSS"
            scores.loc[is_sss, "margin"] = np.tile(ratio, 2)
            scores.loc[is_sss, "outcome"] = np.where(np.tile(ratio, 2) > 0, STEREOTYPE, ANTISTEREOTYPE)
            link = correlation_table(pairs, scores, read_table(ratios, PAIR_RATIOS), 0.95)
            files["link"].append(folder / f"{model}.{benchmark}.link")
            write_table(files["link"][-1], link, CORRELATIONS, {"model": model, "benchmark": benchmark})
    tables = {f"table2_{kind}": folder / f"table2.{kind}" for kind in ("csv", "md", "tex")}
    tables |= {f"{name}_csv": folder / f"{name}.csv" for name in ("group_words", "frequency_link")}
    present("frequency", files, tables, folder / "log", SETTINGS)
    present("frequency", files, {"frequency": folder / "section.json"}, folder / "log", SETTINGS)
    return folder


@pytest.fixture(scope="module")
def section(made: Path) -> Section:
    return read_section(made / "section.json")


def rows_shown(section: Section, fold: str) -> tuple[tuple[str, ...], ...]:
    """The rows of the table in a fold."""
    folds = {block.title: block for block in section.blocks if isinstance(block, Fold)}
    (table,) = [block for block in folds[fold].blocks if isinstance(block, TableBlock)]
    return table.sheet.rows


def test_table2_has_published_mean_ranks_beside_those_of_the_listed_words(
    made: Path, section: Section
) -> None:
    found: Any = pd.read_csv(made / "table2.csv")
    assert set(found["benchmark"]) == {"invented"}
    found = found.set_index(["words_from", "bias_type"])
    ranked = {"gender": "he+ she−", "race-color": "ones+ others−", "age": "old− young+"}
    assert found.loc["extracted", "ranked"].to_dict() == ranked
    ranks = ["rank_advantaged", "rank_disadvantaged", "per_million_advantaged"]
    assert found.loc[("extracted", "gender"), ranks].tolist() == [1, 2, 80_000]
    sides = ("advantaged", "disadvantaged")
    published = found[[f"{name}_{side}" for name in ("published_rank", "difference") for side in sides]]
    # rest− he+ she−: he is the second, she and rest are the third and the first
    assert published.loc[("listed", "gender")].tolist() == [1.5, 2.25, 0.5, -0.25]
    # of the extracted words, and of a bias type without published ranks, nothing; religion has no pairs
    assert published.drop(index=("listed", "gender")).isna().all(axis=None)
    assert [key for key in found.index if key[0] == "listed"] == [("listed", "age"), ("listed", "gender")]
    markdown, tex = ((made / f"table2.{kind}").read_text() for kind in ("md", "tex"))
    assert "| rest− he+ she− | 2.00 | 2.00 | 1.50 | 2.25 | +0.50 | \N{MINUS SIGN}0.25 |" in markdown
    assert "| he+ she− | 1.00 | 2.00 | – | – | – | – |" in markdown
    assert r"\multicolumn{2}{c}{published}" in tex and "2.00 & 2.00 & 1.50 & 2.25 &" in tex
    # the report shows the same table
    title = "Kaneko and Bollegala (2022), Table 2: mean ranks, medians and tests"
    listed = [row[3] for row in rows_shown(section, title) if row[1] == "listed"]
    assert listed == ["old− young+", "rest− he+ she−"]


def test_the_section_says_how_often_and_how_closely(made: Path, section: Section) -> None:
    groups, differences = section.sentences
    # he is the more frequent, young the rarer, and ones are as frequent as others
    assert groups.startswith(
        "Words of advantaged groups are the more frequent ones in 1 of 3 bias types, and the"
    )
    assert "rarer ones in 1." in groups
    assert differences == "Of 2 differences, none is clear (p < 0.01 after Holm's correction)."
    link = pd.read_csv(made / "frequency_link.csv")
    of = link[(link["grouping"] == "overall") & (link["protocol"] == "corrected")]
    rho: Any = of.set_index(["benchmark", "model", "measure"])["rho"]
    assert rho["invented", "m1", "SSS"] == rho["undirected", "m2", "SSS"] == 1
    assert abs(rho["invented", "m1", "AUL"]) < 0.4
    rows = rows_shown(section, "The correlations under both protocols")
    # all rows of a benchmark stand together
    assert [row[0] for row in rows] == ["invented"] * 4 + ["undirected"] * 4
    overall = {row[:3]: row[3:] for row in rows}
    assert overall["invented", "m1", "corrected"][-1] == "+1.00"
    assert overall["undirected", "m2", "published"][0] == "60"

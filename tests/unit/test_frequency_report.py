"""The scripts of the frequency study, run as Snakemake runs them, and the section of the report."""

import json
import math
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthetic
from grouped_words import LEFT_OUT, write_counts
from running import run_script
from unmask.benchmarks.schema import PAIRS
from unmask.errors import InputError
from unmask.frequency.link_tables import PERFECT, Planted
from unmask.frequency.schema import LINK, PAIR_RATIOS
from unmask.frequency.table2 import PublishedRanks, collect_words, table2, table2_sheet
from unmask.frequency.word_lists import GROUPS as SIDES
from unmask.measures.schema import SCORES
from unmask.report.captions import load_captions
from unmask.report.page import inline_svg, render_page
from unmask.report.provenance import provenance
from unmask.report.sections import Facts, Fold, Picture, Section, Table, read_section
from unmask.report.sheets import Sheet, rows_of
from unmask.report.study import Study
from unmask.tables import read_table, write_table
from unmask.terms import ANTISTEREOTYPE, STEREOTYPE

MODELS: list[dict[str, Any]] = [{"name": "m1", "source": "train"}, {"name": "m2", "source": "path"}]
BENCHMARKS: list[dict[str, Any]] = [
    {"name": "invented", "world": "w", "format": "crows-pairs"},
    {"name": "undirected", "world": None, "format": "crows-pairs"},
]
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
            min_pairs=2,
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
            run_script(
                "link_frequency",
                {"pairs": made.pairs[-1], "scores": made.scores[-1], "ratios": made.ratios[-1]},
                {"link": made.link[-1]},
                folder / "log",
                model=model["name"],
                benchmark=name,
                confidence=0.95,
                measures=["AUL", "CPS", "SSS"],
            )
    truth = {
        row.pair_id: {
            "factor": "frequency",
            "ratio": 4,
            "direction": row.direction,
            "margins": {"CPS": 0.0, "SSS": -1.386 if row.direction == "stereo" else 1.386},
        }
        for row in rows_of(read_table(made.pairs[0], PAIRS))
    }
    (folder / "truth.json").write_text(json.dumps({"world": "w", "benchmarks": {"crows-pairs": truth}}))
    draw(made, folder)
    run_script(
        "make_table2",
        {"words": made.words, "captions": str(CAPTIONS)},
        {name: made.path(name.replace("_", ".")) for name in ("table2_csv", "table2_md", "table2_tex")}
        | {"group_words_csv": made.path("group_words.csv")},
        folder / "log",
        alpha=0.01,
    )
    run_script(
        "make_link_table",
        {
            "link": made.link,
            "truths": [made.path("truth.json")],
            "planted_pairs": made.pairs[:1],
            "planted_ratios": made.ratios[:1],
        },
        {"table": made.path("frequency_link.csv")},
        folder / "log",
        models=MODELS,
        benchmarks=BENCHMARKS,
    )
    return made


def draw(made: Made, folder: Path) -> None:
    run_script(
        "draw_frequencies",
        {"words": made.words},
        {f"frequency_{kind}": str(folder / f"frequency.{kind}") for kind in ("svg", "png")},
        folder / "log",
    )
    run_script(
        "draw_link",
        {"scores": made.scores, "ratios": made.ratios, "link": made.link},
        {f"link_{kind}": str(folder / f"frequency_link.{kind}") for kind in ("svg", "png")},
        folder / "log",
        models=MODELS,
        benchmarks=BENCHMARKS,
    )


def section(made: Made, planted: bool = True) -> Section:
    """The section, made by its script; without what was planted on demand."""
    real = [{key: benchmark[key] for key in ("name", "format")} for benchmark in BENCHMARKS]
    benchmarks = BENCHMARKS if planted else real
    run_script(
        "write_sections",
        {
            "words": made.words,
            "link": made.link,
            # what Snakemake gives for an empty list of inputs
            "truths": [made.path("truth.json")] if planted else [],
            "planted_pairs": made.pairs[:1] if planted else [],
            "planted_ratios": made.ratios[:1] if planted else [],
            "frequency_figure": made.path("frequency.svg"),
            "link_figure": made.path("frequency_link.svg"),
            "captions": str(CAPTIONS),
        },
        {"frequency": made.path("section.json")},
        made.folder / "log",
        family="frequency",
        settings={"models": MODELS, "benchmarks": benchmarks, "alpha": 0.01, "confidence": 0.95},
    )
    return read_section(made.path("section.json"))


def sheets(found: Section) -> dict[str, Sheet]:
    """The tables of the section, those in folds by their titles and the others by their first words."""
    tables = {block.sheet.caption[:7]: block.sheet for block in found.blocks if isinstance(block, Table)}
    for fold in found.blocks:
        if isinstance(fold, Fold):
            (inner,) = fold.blocks
            assert isinstance(inner, Table)
            tables[fold.title] = inner.sheet
    return tables


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


def test_the_link_table_has_every_model_and_a_perfect_one(made: Made) -> None:
    link = pd.read_csv(made.path("frequency_link.csv"))
    assert list(link.columns) == ["model", "benchmark", *LINK.names]
    of = link[(link["grouping"] == "overall") & (link["protocol"] == "corrected")]
    rho = of.set_index(["benchmark", "model", "measure"])["rho"]
    assert rho["invented", "m1", "SSS"] == rho["undirected", "m2", "SSS"] == 1
    assert abs(rho["invented", "m1", "AUL"]) < 0.4
    # the planted ratios are ±log 4, and so are SSS's exact margins
    assert rho["invented", PERFECT, "SSS"] == 1
    assert math.isnan(rho["invented", PERFECT, "CPS"])
    assert ("undirected", PERFECT, "SSS") not in rho.index
    assert ("invented", PERFECT, "AUL") not in rho.index


def test_the_section_has_its_sheets(made: Made) -> None:
    found = section(made)
    _, groups, invented, undirected = found.sentences
    # he is the more frequent; ones and young are not
    assert groups.startswith("In 1 of the 3 bias types of invented")
    assert "differ in 0 of the 3 after correction" in groups
    assert "on invented" in invented and "on undirected" in undirected
    assert invented.endswith("SSS +1.00.")
    tables = sheets(found)
    ranks, link = tables["Table 2"], tables["Does a "]
    types, truth = tables["The same by bias type"], tables["Planted and counted frequency ratios"]
    assert "p < 0.01 (over" in ranks.caption and "95% intervals" in link.caption
    assert ("invented", "extracted", "gender", "he+ she−") in {row[:4] for row in ranks.rows}
    overall = {row[:3]: row[3:] for row in link.rows}
    assert overall["invented", "m1", "corrected"][-1] == "+1.00"
    assert overall["undirected", "m2", "published"][0] == "60"
    # all rows of a benchmark, and of a bias type, stand together
    assert [row[0] for row in link.rows] == ["invented"] * 5 + ["undirected"] * 4
    keys = [row[:2] for row in types.rows]
    # three of the invented benchmark with a perfect model, then three without
    assert [keys.count(key) for key in dict.fromkeys(keys)] == [3, 3, 3, 2, 2, 2]
    assert keys == [key for key in dict.fromkeys(keys) for _ in range(keys.count(key))]
    assert [row[2] for row in truth.rows] == ["4", "4"]
    assert {row[5] for row in truth.rows} == {"+1.386", "-1.386"}


def test_a_study_that_plants_nothing_has_no_perfect_model(made: Made) -> None:
    study = Study.from_config(MODELS, BENCHMARKS[1:])
    planted = Planted.gather(study, [], [], [])
    assert not planted.pairs


def test_a_truth_without_the_benchmark_is_named(made: Made, tmp_path: Path) -> None:
    other = tmp_path / "truth.json"
    study = Study.from_config(MODELS, BENCHMARKS)
    lacking: list[dict[str, Any]] = [
        {"world": "w", "benchmarks": {}},
        {"world": "v", "benchmarks": {"crows-pairs": {}}},
    ]
    for document in lacking:
        other.write_text(json.dumps(document))
        with pytest.raises(InputError, match=r"none of benchmark invented \(world w, format crows-pairs\)"):
            Planted.gather(study, [other], made.pairs[:1], made.ratios[:1])


def test_figures_are_the_same_every_time(made: Made, tmp_path: Path) -> None:
    draw(made, tmp_path)
    for name in ("frequency", "frequency_link"):
        for kind in ("svg", "png"):
            assert (tmp_path / f"{name}.{kind}").read_bytes() == (made.folder / f"{name}.{kind}").read_bytes()


def test_figures_say_what_they_show(made: Made) -> None:
    text = Path(made.path("frequency.svg")).read_text()
    ElementTree.fromstring(text)
    assert {"advantaged", "disadvantaged", "race-color", "invented", "per million words"} <= set(
        "".join(element.itertext()).strip() for element in ElementTree.fromstring(text).iter()
    )
    # undirected has no group words, so no panel
    assert "undirected" not in text
    link = Path(made.path("frequency_link.svg")).read_text()
    assert "SSS  ρ +1.00" in link and "undirected" in link
    assert "href" not in inline_svg(link, "x").replace('xlink:href="#x-', "").replace(
        'xlink:href="data:image/png;base64,', ""
    ).replace("xmlns:xlink", "")


def test_a_section_of_a_study_that_plants_nothing_is_shown(made: Made) -> None:
    found = section(made, planted=False)
    assert "Planted and counted frequency ratios" not in sheets(found)
    assert sum(isinstance(block, Picture) for block in found.blocks) == 2
    page = render_page("t", [found])
    assert '<section id="frequency">' in page and 'href="#frequency"' in page
    assert "he+ she−" in page
    assert PERFECT not in page.replace("A perfect model, where there is one", "")


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
        min_pairs=2,
    )
    return folder / "words.parquet"


def test_listed_words_stand_beside_the_extracted(made: Made, tmp_path: Path) -> None:
    text = "source: s\nnote: Rest is odd.\nwords: {gender: {advantaged: [he], disadvantaged: [she, rest]}}\n"
    path = with_listing(made, tmp_path, text)
    words, published = collect_words([path]), PublishedRanks.gather([path])
    found = table2(words, published).set_index(["words_from", "bias_type"])
    assert found.loc[("listed", "gender"), "ranked"] == "rest− he+ she−"
    assert found.loc[("extracted", "gender"), "ranked"] == "he+ she−"
    # nothing is published of this list
    sheet = table2_sheet(words, published, load_captions(CAPTIONS, alpha="0.01"), 0.01)
    assert {group for group, _ in sheet.columns} == {"mean rank", "words", "per million", "Mann-Whitney"}
    assert sheet.caption.endswith("Rest is odd.") and "Published" not in sheet.caption


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
    words, published = collect_words(paths), PublishedRanks.gather(paths)
    columns = [f"{name}_{group}" for name in ("published_rank", "difference") for group in SIDES]
    found: Any = table2(words, published).set_index(["words_from", "bias_type"])[columns]
    # rest− he+ she−: he is the second, she and rest are the third and the first
    assert found.loc[("listed", "gender")].tolist() == [1.5, 2.25, 0.5, -0.25]
    # of the extracted words, and of a bias type without published ranks, nothing; religion has no pairs
    assert found.drop(index=("listed", "gender")).isna().all().all()
    assert [key for key in found.index if key[0] == "listed"] == [("listed", "age"), ("listed", "gender")]

    tables = {f"table2_{kind}": str(tmp_path / f"table2.{kind}") for kind in ("csv", "md", "tex")}
    run_script(
        "make_table2",
        {"words": paths, "captions": str(CAPTIONS)},
        tables | {"group_words_csv": str(tmp_path / "group_words.csv")},
        tmp_path / "log",
        alpha=0.01,
    )
    in_csv: Any = pd.read_csv(tables["table2_csv"]).set_index(["words_from", "bias_type"])
    assert in_csv.loc[("listed", "gender"), columns].tolist() == [1.5, 2.25, 0.5, -0.25]
    lines = Path(tables["table2_md"]).read_text().splitlines()
    assert "ours minus the published. The paper counted a library." in lines[0]
    assert (
        "| mean rank: Dis | published: Adv | published: Dis | difference: Adv | difference: Dis |" in lines[2]
    )
    (gender,) = [line for line in lines if "| listed | gender |" in line]
    assert "| rest− he+ she− | 2.00 | 2.00 | 1.50 | 2.25 | +0.50 | -0.25 |" in gender
    (plain,) = [line for line in lines if "| extracted | gender |" in line]
    assert "| he+ she− | 1.00 | 2.00 | – | – | – | – |" in plain
    tex = Path(tables["table2_tex"]).read_text()
    assert r"\multicolumn{2}{c}{published}" in tex and "2.00 & 2.00 & 1.50 & 2.25 &" in tex
    # the report shows the same table
    with_list, without = (sheets(section(each))["Table 2"] for each in (replace(made, words=paths), made))
    assert lines[0].startswith("Table 2.") and with_list.caption.endswith("The paper counted a library.")
    assert [row[:4] for row in with_list.rows if row[1] == "listed"][1][3] == "rest− he+ she−"
    assert len(with_list.columns) == len(without.columns) + 4


def test_provenance_has_the_corpora(made: Made) -> None:
    entry = {"title": "Corpus corpus", "files": [made.path("corpus.parquet")], "keys": []}
    _, fold = provenance({}, [entry]).blocks
    assert isinstance(fold, Fold) and fold.title == "Corpus corpus"
    (facts,) = fold.blocks
    assert isinstance(facts, Facts)
    assert dict(facts.lines)["tokens"] == str(sum(COUNTS.values()))

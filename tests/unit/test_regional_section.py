"""Figures and the report's section on regional bias, made by the scripts that the workflow runs."""

import html
import json
import math
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from page_words import check_first_sentence
from running import present
from synthetic_regions import (
    AWKWARD,
    LATEX,
    MODELS,
    SCRIPT,
    SETTINGS,
    SIGNS,
    Study,
    make_likelihoods,
    make_scores,
)
from unmask.regional import charts, tables
from unmask.regional.results import RegionalResults
from unmask.regional.schema import LIKELIHOODS, REGIONS
from unmask.regional.score_schema import SCORES
from unmask.regional.sections.regional import section
from unmask.regional.terms import C_W, CORRECTED, FULL, MEASURES, PAPER, PROTOCOLS
from unmask.report.page import render_page
from unmask.report.sections import Block, Chart, Choice, Facts, Fold, Section, Table, read_section
from unmask.tables import framed, write_table

FIGURES = tuple(charts.MAKERS)
TABLES = tuple(name for name in tables.MAKERS if name != "leaves")


@dataclass
class Done:
    study: Study
    figures: dict[str, str]
    tables: dict[str, str]
    section: Section


def draw(study: Study, folder: Path, names: Sequence[str] = FIGURES) -> dict[str, str]:
    files = {f"{name}_{form}": str(folder / f"{name}.{form}") for name in names for form in ("svg", "png")}
    present("regional", study.files, files, folder / "draw.log", SETTINGS)
    return files


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Done:
    folder = tmp_path_factory.mktemp("regional")
    study = Study.write(folder)
    figures = draw(study, folder)
    texts = {
        f"{name}_{form}": str(folder / f"{name}.{form}") for name in TABLES for form in ("csv", "md", "tex")
    }
    texts["leaves_csv"] = str(folder / "cities.csv")
    output = {"regional": str(folder / "section.json")}
    present("regional", study.files, texts | output, folder / "tables.log", SETTINGS)
    return Done(study, figures, texts, read_section(output["regional"]))


def every_block(blocks: tuple[Block, ...]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Fold | Choice):
            yield from every_block(block.blocks if isinstance(block, Fold) else block.options)


def text_of(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")


def test_every_table_is_folded_below_the_chart_of_its_numbers(done: Done) -> None:
    blocks = done.section.blocks
    told = [block.title if isinstance(block, Fold) else type(block).__name__ for block in blocks]
    assert told[0] == "Chart" and told.count("Chart") == len(FIGURES)
    assert set(told) >= {"All countries", "Regions and their names", "The other variants"}
    captions = [block.caption for block in blocks if isinstance(block, Chart)]
    assert captions[0].startswith("Regions of the first level")
    assert told.index("HERB, Table 1: C_w and C_z, with bands") > 0
    assert not any(isinstance(block, Table) for block in blocks)
    check_first_sentence(done.section)
    assert len(done.section.sentences) > len(MODELS)
    for block in every_block(blocks):
        if isinstance(block, Chart):
            assert block.alt and block.caption.endswith(".") and block.rows and "{" not in block.alt[:40]


def test_all_measures_and_protocols_are_drawn_once(done: Done) -> None:
    charts = [block for block in every_block(done.section.blocks) if isinstance(block, Chart)]
    drawn = [
        (chart.rows[0]["measure"], chart.rows[0]["variant"])
        for chart in charts
        if "permuted_low" in chart.rows[0] and "measure" in chart.rows[0]
    ]
    assert drawn[0] == (C_W, CORRECTED)
    assert sorted(drawn) == sorted((measure, protocol) for measure in MEASURES for protocol in PROTOCOLS)


def test_what_is_to_be_said_of_names_is_said(done: Done) -> None:
    facts = {
        key: text for b in every_block(done.section.blocks) if isinstance(b, Facts) for key, text in b.lines
    }
    cities = (done.study.regions["level"] == "city").sum()
    assert facts["cities"] == str(cities) and facts["continents"] == "6"
    assert facts["countries without children, so without a score"] == "1: Syria"
    assert facts["countries with one child, so no pair"] == "1: Ireland"
    assert "1 for 3 regions, such as Springfield (3)" in facts.values()
    names = done.study.regions["name"].drop_duplicates()
    unknown = math.ceil(len(names) / 3)
    assert facts["names, m1"].startswith(f"{unknown} of {len(names)} names have a token unknown")
    # Kosovo has no number, Tuvalu no place on the map
    assert facts["with a score, not on the map"] == "2: Kosovo and Tuvalu"


def test_names_are_text_on_the_page(done: Done) -> None:
    page = render_page("Report", [done.section])
    assert SCRIPT not in page and html.escape(SCRIPT, quote=False) in page.replace("&#39;", "'")
    assert html.escape(SIGNS) in page and LATEX in page


def test_names_are_text_in_pictures(done: Done) -> None:
    """An SVG is well-formed, runs nothing, and has names as they are."""
    for name in FIGURES:
        root = ElementTree.fromstring(text_of(done.figures[f"{name}_svg"]))
        assert not [e for e in root.iter() if e.tag.endswith("script")]


def test_names_are_text_in_markdown_and_latex(done: Done) -> None:
    markdown, latex = text_of(done.tables["countries_md"]), text_of(done.tables["countries_tex"])
    assert "<script>" not in markdown and r"\<script\>" in markdown
    widths = {len(re.findall(r"(?<!\\)\|", line)) for line in markdown.splitlines() if line.startswith("|")}
    assert widths == {9}
    assert r"\textbf{bold}" not in latex and r"\textbackslash{}textbf\{bold\}\_\{2\}" in latex
    assert r"\$x\_1\$ \& 50\% \#1 \textbar{}" in latex
    assert set(AWKWARD) < set(pd.read_csv(done.tables["countries_csv"])["name"])


def test_a_continents_name_is_text_in_heads_and_figures(tmp_path: Path) -> None:
    study = Study(tmp_path)
    regions = study.regions.copy()
    regions.loc[regions["region"] == "AF", "name"] = SCRIPT
    regions.loc[regions["region"] == "AS", "name"] = SIGNS
    study = Study.write(tmp_path, MODELS)
    write_table(study.files["regions"], regions, REGIONS, {"source": "made"})
    write_table(
        study.files["likelihoods"][0],
        make_likelihoods(regions, 0),
        LIKELIHOODS,
        {"model": "m1", "template": "t"},
    )
    study.files["likelihoods"] = study.files["likelihoods"][:1]
    names = ("scores_figure", "points_figure", "series_figure")
    figures = draw(study, tmp_path, names)
    for name in names:
        text = "".join(ElementTree.fromstring(text_of(figures[f"{name}_svg"])).itertext())
        # long names beside an axis end in dots
        assert SCRIPT[:15] in text and SIGNS[:9] in text, name


def test_figures_are_the_same_bytes_again(done: Done, tmp_path: Path) -> None:
    again = draw(done.study, tmp_path, ["score_map", "points_figure", "series_figure"])
    for name, path in again.items():
        assert Path(path).read_bytes() == Path(done.figures[name]).read_bytes(), name


def test_a_small_study_has_a_section_too(done: Done, tmp_path: Path) -> None:
    """No classifiers, no maps, no likelihoods, no series, and no corrected protocol."""
    scores = make_scores(done.study.regions, 0)
    path = tmp_path / "scores.parquet"
    write_table(path, scores[scores["variant"] == PAPER], SCORES, {"model": "m1"})
    files = {key: done.study.files[key] for key in ("regions", "captions", "published")}
    files |= {"scores": [str(path)], "prefixes": [], "likelihoods": []}
    files |= {"name_vectors": []}
    settings = {"models": MODELS, "alpha": 0.05, "confidence": 0.95, "word": "bald"}
    small = section(RegionalResults(files, settings))
    first, *others = [block for block in every_block(small.blocks) if isinstance(block, Chart)]
    assert {row["variant"] for block in (first, *others) for row in block.rows} == {PAPER}
    assert len(others) == 2 and {row["model"] for row in first.rows} == {"m1"}
    assert any(s.startswith("For m1,") for s in small.sentences)
    assert any(s.startswith("The measure is C_w (paper)") for s in small.sentences)
    assert not any("m2" in s or "permutations no" in s for s in small.sentences)
    assert json.dumps(small.sentences) and "<h2>Regional bias</h2>" in render_page("r", [small])


def test_a_tree_of_ones_own_with_two_levels(tmp_path: Path) -> None:
    """A root and its regions: nothing but the root has a score, and no map has a country."""
    regions = framed(
        [
            {"region": "r", "name": "All", "level": "union"},
            *({"region": f"s{n}", "name": f"State {n}", "level": "state", "parent": "r"} for n in range(5)),
        ],
        REGIONS,
    )
    study = Study.write(tmp_path, MODELS[:1])
    write_table(study.files["regions"], regions, REGIONS, {"source": "made"})
    rng = np.random.default_rng(0)
    rows = [
        {"variant": v, "measure": C_W, "words": FULL, "region": "r", "level": "union", "children": 5}
        | {"score": rng.random(), "p": 0.01, "p_holm": 0.01}
        for v in PROTOCOLS
    ]
    write_table(study.files["scores"][0], framed(rows, SCORES), SCORES, {"model": "m1"})
    write_table(
        study.files["likelihoods"][0],
        make_likelihoods(regions, 0),
        LIKELIHOODS,
        {"model": "m1", "template": "t"},
    )
    study.files["name_vectors"], study.files["prefixes"] = [], []
    names = ("scores_figure", "score_map", "word_map", "points_figure")
    figures = draw(study, tmp_path, names)
    assert "No country" in text_of(figures["score_map_svg"])
    assert "This study has no country" in text_of(figures["word_map_svg"])
    sentences = section(RegionalResults(study.files, SETTINGS | {"models": MODELS[:1]})).sentences
    assert "m1 has no region whose parts could differ (C_w corrected)." in sentences

"""Figures and the report's section on regional bias, made by the scripts that the workflow runs."""

import html
import io
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

from made_regions import (
    AWKWARD,
    LATEX,
    MODELS,
    SCRIPT,
    SETTINGS,
    SIGNS,
    Made,
    make_likelihoods,
    make_planted,
    make_prefixes,
    make_scores,
)
from running import present
from unmask.regional.findings import of_names, planted_findings, prefix_findings
from unmask.regional.geometry import FirstDirection
from unmask.regional.region_index import RegionIndex, plural
from unmask.regional.results import RegionalResults
from unmask.regional.schema import LIKELIHOODS, REGIONS
from unmask.regional.score_schema import SCORES
from unmask.regional.sections.regional import QUESTION, section
from unmask.regional.terms import C_W, CORRECTED, FULL, MEASURES, PAPER, VARIANTS
from unmask.report.page import render_page
from unmask.report.sections import Block, Chart, Facts, Fold, Section, Table, read_section
from unmask.report.sheets import rows_of
from unmask.tables import framed, write_table

FIGURES = (
    "scores_figure",
    "score_map",
    "band_map",
    "word_map",
    "points_figure",
    "series_figure",
    "planted_figure",
)
TABLES = (
    "table1",
    "table2",
    "table3",
    "table4",
    "table5",
    "table6",
    "countries",
    "rankings",
    "stability",
    "planted",
)


@dataclass
class Done:
    made: Made
    figures: dict[str, str]
    tables: dict[str, str]
    section: Section


def draw(made: Made, folder: Path, names: Sequence[str] = FIGURES) -> dict[str, str]:
    files = {f"{name}_{form}": str(folder / f"{name}.{form}") for name in names for form in ("svg", "png")}
    present("regional", made.files, files, folder / "draw.log", SETTINGS)
    return files


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Done:
    folder = tmp_path_factory.mktemp("regional")
    made = Made.write(folder)
    figures = draw(made, folder)
    texts = {
        f"{name}_{form}": str(folder / f"{name}.{form}") for name in TABLES for form in ("csv", "md", "tex")
    }
    texts["leaves_csv"] = str(folder / "cities.csv")
    output = {"regional": str(folder / "section.json")}
    present("regional", made.files, texts | output, folder / "tables.log", SETTINGS)
    return Done(made, figures, texts, read_section(output["regional"]))


def every_block(blocks: tuple[Block, ...]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Fold):
            yield from every_block(block.blocks)


def text_of(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")


def test_every_table_is_folded_below_the_chart_of_its_numbers(done: Done) -> None:
    blocks = done.section.blocks
    told = [block.title if isinstance(block, Fold) else type(block).__name__ for block in blocks]
    assert told[0] == "Chart" and told.count("Chart") == len(FIGURES)
    assert set(told) >= {"All countries", "Regions and their names", "The other variants"}
    captions = [block.caption for block in blocks if isinstance(block, Chart)]
    assert captions[0].startswith("Scores of the regions of the first level")
    assert told.index("Table 1: C_w and C_z, with intervals and bands") > 0
    assert not any(isinstance(block, Table) for block in blocks)
    assert done.section.sentences[0] == QUESTION
    for block in every_block(blocks):
        if isinstance(block, Chart):
            assert block.alt and block.caption.endswith(".") and block.rows and "{" not in block.alt[:40]


def test_all_measures_and_variants_are_drawn_once(done: Done) -> None:
    charts = [block for block in every_block(done.section.blocks) if isinstance(block, Chart)]
    drawn = [
        (chart.rows[0]["measure"], chart.rows[0]["variant"])
        for chart in charts
        if "dealt_low" in chart.rows[0] and "measure" in chart.rows[0]
    ]
    assert drawn[0] == (C_W, CORRECTED)
    assert sorted(drawn) == sorted((measure, variant) for measure in MEASURES for variant in VARIANTS)


def test_each_model_has_its_finding_counted_from_the_scores(done: Done) -> None:
    index = RegionIndex.of(done.made.regions)
    for model in done.made.scores:
        rows = done.made.scores[model]
        rows = rows[(rows["variant"] == CORRECTED) & (rows["measure"] == C_W) & (rows["words"] == FULL)]
        rows = rows[rows["score"].notna()]
        (sentence,) = (s for s in done.section.sentences if s.startswith(f"For {model} (C_w corrected"))
        clear = [row.region for row in rows_of(rows) if row.level == "continent" and row.p_holm < 0.05]
        assert f"({len(clear)} of 6 continents)" in sentence if clear else "in none of the 6" in sentence
        assert all((index.names[code] in sentence) == (code in clear) for code in index.tops())
        # dealing says nothing of the root
        assert "verall" not in sentence
        countries = rows[rows["level"] == "country"]
        held = int((countries["p_holm"] < 0.05).sum())
        # the smallest p of 100 dealings, corrected for that many countries
        assert len(countries) / 101 > 0.05
        told = f"{held} do after" if held else "none could after Holm's correction with 100 dealings"
        assert f"Of the {len(countries)} countries with a score," in sentence and told in sentence
        assert f" {(countries['p'] < 0.05).sum()} have p < 0.05 before correction" in sentence
        # by chance 5 of the 101 steps of p are below .05
        expected = f"{5 / 101 * len(countries):.1f} expected by chance"
        assert sentence.count(expected) == 2
        mirrored = 1 + 1 / 101 - countries["p"]
        alike = int((mirrored < 0.05).sum())
        assert (
            f"In {alike} ({expected}) the cities are more alike than" in sentence
            and "95% of cases" in sentence
        )


def test_an_untrained_model_reads_as_such_and_no_other(done: Done) -> None:
    untrained = [s for s in done.section.sentences if "never trained" in s]
    assert len(untrained) == 1 and untrained[0].startswith("For blank ")


def test_the_artefact_is_said_in_words_and_numbers(done: Done) -> None:
    (sentence,) = (s for s in done.section.sentences if "Kendall's tau" in s)
    taus = {variant: re.search(rf"{variant} ([+\-−]\d\.\d\d)", sentence) for variant in VARIANTS}
    assert all(taus.values()) and float(taus[PAPER][1]) > 0.7  # type: ignore[index]
    assert "read nothing into the ranking" in sentence
    assert any(s.startswith("The paper's own numbers") for s in done.section.sentences)


def test_too_few_dealings_are_said_to_tell_nothing(done: Done) -> None:
    (sentence,) = (s for s in done.section.sentences if s.startswith("With 100 dealings"))
    # 1/101 of 6 regions is above 0.05, of 5 it is not
    assert "With 100 dealings no p is below 0.0099: corrected for more than 5 regions" in sentence
    assert 6 / 101 > 0.05 > 5 / 101


def test_what_is_to_be_said_of_names_is_said(done: Done) -> None:
    facts = {
        key: text for b in every_block(done.section.blocks) if isinstance(b, Facts) for key, text in b.lines
    }
    cities = (done.made.regions["level"] == "city").sum()
    assert facts["cities"] == str(cities) and facts["continents"] == "6"
    assert facts["countries without children, so without a score"] == "1: Syria"
    assert facts["countries with one child, so no pair"] == "1: Ireland"
    assert "1 for 3 regions, such as Springfield (3)" in facts.values()
    names = done.made.regions["name"].drop_duplicates()
    unknown = math.ceil(len(names) / 3)
    assert facts["names, m1"].startswith(f"{unknown} of {len(names)} names have a token unknown")
    # Kosovo has no number, Tuvalu no place on the map
    assert facts["with a score, not on the map"] == "2: Kosovo and Tuvalu"


def test_what_was_planted_and_prefixes_and_series_have_a_sentence(done: Done) -> None:
    said = done.section.sentences
    planted = make_planted()
    for by, says in (("words", "in words at strength 2 is found"), ("names", "how likely their names are")):
        own = planted[(planted["planted"] == by) & (planted["variant"] == CORRECTED)]
        best = own[own["strength"] == 2]["found"].iloc[0]
        assert any(says in s and f"C_w corrected {best:.2f}" in s for s in said)
    ranks = planted[(planted["strength"] == 2) & (planted["variant"] == CORRECTED)]["first"].iloc[0]
    assert any("first of its level in: " in s and f"C_w corrected {ranks:.2f}" in s for s in said)
    assert any("false alarm" in s and "C_w published 0.05" in s for s in said)
    assert any(s.startswith("toxic: over 20 epochs") for s in said)
    prefixes = make_prefixes().assign(classifier="c1", table="t")
    (sentence,) = prefix_findings(prefixes, RegionIndex.of(done.made.regions))
    own = prefixes[(prefixes["level"] == "country") & prefixes["region"].notna()]
    both = 100 * (own["to_positive"] + own["to_negative"])
    assert f"{both.min():.2g}% (Egypt) to {both.max():.2g}% (Chile)" in sentence
    assert sentence.endswith("a name that is no region's changes 0.3%.")
    assert not list(planted_findings(planted.head(0))) and not list(
        prefix_findings(prefixes.head(0), RegionIndex.of(done.made.regions))
    )


def test_names_are_text_on_the_page(done: Done) -> None:
    page = render_page("Report", [done.section])
    assert SCRIPT not in page and html.escape(SCRIPT, quote=False) in page.replace("&#39;", "'")
    assert html.escape(SIGNS) in page and LATEX in page


def test_names_are_text_in_pictures(done: Done) -> None:
    """An SVG is well-formed, runs nothing, and has names as they are."""
    for name in FIGURES:
        root = ElementTree.fromstring(text_of(done.figures[f"{name}_svg"]))
        assert not [e for e in root.iter() if e.tag.endswith("script")]
    planted = ElementTree.fromstring(text_of(done.figures["planted_figure_svg"]))
    assert SCRIPT in "".join(planted.itertext())


def test_names_are_text_in_markdown_and_latex(done: Done) -> None:
    markdown, latex = text_of(done.tables["countries_md"]), text_of(done.tables["countries_tex"])
    assert "<script>" not in markdown and r"\<script\>" in markdown
    widths = {len(re.findall(r"(?<!\\)\|", line)) for line in markdown.splitlines() if line.startswith("|")}
    assert widths == {11}
    assert r"\textbf{bold}" not in latex and r"\textbackslash{}textbf\{bold\}\_\{2\}" in latex
    assert r"\$x\_1\$ \& 50\% \#1 \textbar{}" in latex
    assert set(AWKWARD) < set(pd.read_csv(done.tables["countries_csv"])["name"])


def test_a_continents_name_is_text_in_heads_and_figures(tmp_path: Path) -> None:
    made = Made(tmp_path)
    regions = made.regions.copy()
    regions.loc[regions["region"] == "AF", "name"] = SCRIPT
    regions.loc[regions["region"] == "AS", "name"] = SIGNS
    made = Made.write(tmp_path, MODELS)
    write_table(made.files["regions"], regions, REGIONS, {"source": "made"})
    write_table(
        made.files["likelihoods"][0],
        make_likelihoods(regions, 0),
        LIKELIHOODS,
        {"model": "m1", "template": "t"},
    )
    made.files["likelihoods"] = made.files["likelihoods"][:1]
    names = ("scores_figure", "points_figure", "series_figure")
    figures = draw(made, tmp_path, names)
    for name in names:
        text = "".join(ElementTree.fromstring(text_of(figures[f"{name}_svg"])).itertext())
        # long names beside an axis end in dots
        assert SCRIPT[:15] in text and SIGNS[:9] in text, name


def test_figures_are_the_same_bytes_again(done: Done, tmp_path: Path) -> None:
    again = draw(done.made, tmp_path, ["score_map", "points_figure", "series_figure"])
    for name, path in again.items():
        assert Path(path).read_bytes() == Path(done.figures[name]).read_bytes(), name


def test_a_small_study_has_a_section_too(done: Done, tmp_path: Path) -> None:
    """Nothing planted, no classifiers, no maps, no likelihoods, no series, and no corrected variant."""
    scores = make_scores(done.made.regions, 0)
    path = tmp_path / "scores.parquet"
    write_table(path, scores[scores["variant"] == PAPER], SCORES, {"model": "m1"})
    files = {key: done.made.files[key] for key in ("regions", "captions", "published")}
    files |= {"scores": [str(path)], "stability": [], "planted": [], "prefixes": [], "likelihoods": []}
    settings = {"models": MODELS, "alpha": 0.05, "confidence": 0.95, "word": "bald"}
    small = section(RegionalResults(files, settings))
    first, *others = [block for block in every_block(small.blocks) if isinstance(block, Chart)]
    assert {row["variant"] for block in (first, *others) for row in block.rows} == {PAPER}
    assert len(others) == 2 and {row["model"] for row in first.rows} == {"m1"}
    assert any(s.startswith("For m1 (C_w paper") for s in small.sentences)
    assert not any("m2" in s or "dealings" in s or "planted" in s for s in small.sentences)
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
    made = Made.write(tmp_path, MODELS[:1])
    write_table(made.files["regions"], regions, REGIONS, {"source": "made"})
    rng = np.random.default_rng(0)
    rows = [
        {"variant": v, "measure": C_W, "words": FULL, "region": "r", "level": "union", "children": 5}
        | {"score": rng.random(), "p": 0.01, "p_holm": 0.01}
        for v in VARIANTS
    ]
    write_table(made.files["scores"][0], framed(rows, SCORES), SCORES, {"model": "m1"})
    write_table(
        made.files["likelihoods"][0],
        make_likelihoods(regions, 0),
        LIKELIHOODS,
        {"model": "m1", "template": "t"},
    )
    names = ("scores_figure", "score_map", "word_map", "points_figure")
    figures = draw(made, tmp_path, names)
    assert "No country" in text_of(figures["score_map_svg"])
    assert "This study has no country" in text_of(figures["word_map_svg"])
    sentences = section(RegionalResults(made.files, SETTINGS | {"models": MODELS[:1]})).sentences
    assert any(s.startswith("For m1 (C_w corrected") for s in sentences)


def test_vectors_that_are_of_names_are_said_to_be() -> None:
    others = [
        FirstDirection("m1", 30, 0.4, 0.9, 0.9),
        FirstDirection("m2", 30, 0.9, 0.4, 0.9),
        FirstDirection("m3", 30, 0.9, 0.9, 0.4),
        # three regions are alike in that by chance
        FirstDirection("m4", 3, 0.9, 1.0, 1.0),
        FirstDirection("m5", 30, 0.9, 0.9, float("nan")),
    ]
    *said, last = of_names([*others, FirstDirection("m6", 250, 0.85, 0.97, 0.91)], 0.95)
    assert len(said) == len(others)
    assert not any("how likely a region's name is" in sentence or "nan" in sentence for sentence in said)
    assert "vectors of m6 vary most holds 85% of their variance, and ranks the 250 regions" in last
    chance = "(unrelated rankings of as many: up to 0.12 in 95% of all cases)"
    assert f"rho of 0.97, and as that of their names alone with one of 0.91 {chance}: length one" in last


def test_levels_have_plurals() -> None:
    assert [plural(level) for level in ("country", "continent", "state")] == [
        "countries",
        "continents",
        "states",
    ]


def test_a_tables_text_is_what_pandas_reads_again(done: Done) -> None:
    frame = pd.read_csv(
        io.StringIO(text_of(done.tables["table1_csv"])), keep_default_na=False, na_values=[""]
    )
    own = frame[(frame["model"] == "m2") & (frame["region"] == "NA")]
    assert len(own) == 6 and own["score"].notna().all()

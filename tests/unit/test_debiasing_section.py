"""The section on debiased models, and its figure."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from made_study import RESOURCES, compared
from running import run_script
from unmask.facts import write_facts
from unmask.report.page import render_page
from unmask.report.sections import Chart, Section, Table, read_section
from unmask.statistics.changes import changes
from unmask.statistics.schema import COMPARISONS
from unmask.tables import framed, write_table

MODELS = [
    {"name": "a-continued", "from": "a <b>", "method": "continued", "reading": "corrected"},
    {"name": "a-cda", "from": "a <b>", "method": "cda", "reading": "corrected"},
    {"name": "a-at", "from": "a <b>", "method": "at", "reading": "published"},
]
FACTS: list[dict[str, Any]] = [
    {"steps": 600, "held_out": {"before": 2.5, "after": 2.25}},
    {"steps": 600, "held_out": {"before": 2.5, "after": None}},
    {"steps": 400, "best_step": 300, "objective": {"before": {"weighted": 1.5}, "after": {"weighted": 0.02}}},
]
SETTINGS = {
    "models": MODELS,
    "benchmarks": ["cp"],
    "measures": ["AULA", "CPS"],
    "alpha": 0.05,
    "confidence": 0.9,
}


def comparisons(folder: Path) -> Path:
    rows = [
        *compared("a <b>", "a-continued", (80.0, 79.0)),
        # the other way round, which the order of a study may bring about
        *compared("a-cda", "a <b>", (52.0, 80.0)),
        *compared("a <b>", "a-at", (80.0, 90.0)),
        *compared("a-cda", "a-at", (52.0, 90.0)),
    ]
    path = folder / "comparisons.parquet"
    write_table(path, framed(rows, COMPARISONS), COMPARISONS, {"benchmark": "cp"})
    return path


def made(folder: Path, paths: list[Path]) -> tuple[Section, str]:
    run_script(
        "draw_debiasing",
        {"comparisons": paths},
        {"svg": folder / "d.svg", "png": folder / "d.png"},
        folder / "log",
        settings=SETTINGS,
    )
    facts = []
    for model, fact in zip(MODELS, FACTS, strict=True):
        facts.append(folder / f"{model['name']}.json")
        write_facts(facts[-1], fact)
    run_script(
        "write_sections",
        {
            "facts": facts,
            "comparisons": paths,
            "captions": RESOURCES / "debiasing" / "captions.yaml",
        },
        {"debiasing": folder / "debiasing.json"},
        folder / "log",
        family="debiasing",
        settings=SETTINGS,
    )
    texts = " ".join(ElementTree.parse(folder / "d.svg").getroot().itertext())
    return read_section(folder / "debiasing.json"), texts


def test_changes_are_those_from_the_model_before(tmp_path: Path) -> None:
    origins = {model["name"]: model["from"] for model in MODELS}
    found = changes([comparisons(tmp_path)], origins, ["CPS", "AULA"], "corrected")
    assert found["model"].tolist() == ["a-continued", "a-continued", "a-cda", "a-cda", "a-at", "a-at"]
    assert found["measure"].tolist() == ["CPS", "AULA"] * 3
    assert found["change"].tolist() == [-1, -1, -28, -28, 10, 10]
    assert found["before"].eq(80).all()
    assert found["after"].tolist() == [79, 79, 52, 52, 90, 90]
    np.testing.assert_allclose((found["low"] + found["high"]) / 2, found["change"])
    assert (found["low"] < found["high"]).all()
    assert isinstance(changes([], origins, ["AULA"], "corrected"), pd.DataFrame)


def test_where_all_pairs_share_a_word_they_are_taken_as_independent(tmp_path: Path) -> None:
    rows = [row | {"low": None, "high": None, "p": None} for row in compared("a <b>", "a-cda", (80.0, 52.0))]
    for row in rows:
        row |= {"n": 100, "b": 33, "c": 5, "p_mcnemar": 0.0001, "difference": 28.0, "confidence": 0.95}
    path = tmp_path / "comparisons.parquet"
    write_table(path, framed(rows, COMPARISONS), COMPARISONS, {"benchmark": "cp"})
    found = changes([path], {"a-cda": "a <b>"}, ["CPS"], "corrected")
    # each pair is worth +1 (33 of them), -1 (5) or 0, in points of a hundred
    worth = 100 * np.repeat([-1.0, 1.0, 0.0], [33, 5, 62])
    half = 1.959964 * worth.std() / 10
    assert found["independent"].all() and found["p"].eq(0.0001).all()
    np.testing.assert_allclose(found[["low", "high"]].to_numpy()[0], [-28 - half, -28 + half], rtol=1e-6)


def test_the_section_says_what_was_made_and_what_it_changed(tmp_path: Path) -> None:
    section, texts = made(tmp_path, [comparisons(tmp_path)])
    said = " ".join(section.sentences)
    assert "cda: of 2 bias scores 2 come nearer to 50 and 0 go further" in said
    assert "at: of 2 bias scores 0 come nearer to 50 and 2 go further" in said
    assert "continued: of 2 bias scores 0 come nearer" in said
    assert "the same training without any debiasing" in said
    assert "a-continued 2.50 to 2.25" in said
    assert "a-cda" not in said.split("Loss on")[1]
    drawn = section.blocks[0]
    assert isinstance(drawn, Chart)
    assert "90% interval" in drawn.caption
    assert "at (published)" in texts
    changed, how = [block.sheet for block in section.every_block() if isinstance(block, Table)]
    assert how.rows[2][-1] == "objective 1.5 to 0.02; best at step 300"
    assert how.rows[1][5:7] == ("2.50", "–")
    # the chart has the numbers of the table below it
    assert [
        (
            row["model"],
            row["panel"],
            row["row"],
            f"{row['before']:.1f}",
            f"{row['after']:.1f}",
            f"{row['change']:+.1f}",
            f"{row['low']:+.1f} to {row['high']:+.1f}",
        )
        for row in drawn.rows
    ] == [(line[0], f"a <b> on {line[1]}", *line[2:7]) for line in changed.rows]
    assert {row["model"]: row["kind"] for row in drawn.rows} == {
        "a-continued": "continued",
        "a-cda": "cda",
        "a-at": "at (published)",
    }
    page = render_page("r", [section])
    assert "a <b>" not in page
    assert "a &lt;b&gt;" in page


def test_without_a_benchmark_it_says_so(tmp_path: Path) -> None:
    section, texts = made(tmp_path, [])
    assert any("No bias score" in sentence for sentence in section.sentences)
    assert "No bias score" in texts
    assert [len(block.sheet.rows) for block in section.every_block() if isinstance(block, Table)] == [3]
    assert not any(isinstance(block, Chart) for block in section.blocks)

"""The section on debiased models, and its figure."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from library import (
    COMPARISONS,
    DASH,
    Chart,
    DebiasingResults,
    Section,
    Table,
    changes,
    clear_changes,
    framed,
    read_section,
    render_page,
    write_facts,
    write_table,
)
from made_study import RESOURCES, compared
from page_words import check_first_sentence
from running import present

MODELS = [
    {"name": "a-continued", "from": "a <b>", "method": "continued", "protocol": "corrected"},
    {"name": "a-cda", "from": "a <b>", "method": "cda", "protocol": "corrected"},
    {"name": "a-at", "from": "a <b>", "method": "at", "protocol": "published"},
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


def present_section(folder: Path, paths: list[Path]) -> tuple[Section, str]:
    facts = []
    for model, fact in zip(MODELS, FACTS, strict=True):
        facts.append(folder / f"{model['name']}.json")
        write_facts(facts[-1], fact)
    files = {
        "facts": facts,
        "comparisons": paths,
        "captions": RESOURCES / "debiasing" / "captions.yaml",
    }
    outputs = {f"changes_{form}": folder / f"d.{form}" for form in ("svg", "png")}
    outputs["debiasing"] = folder / "debiasing.json"
    present("debiasing", files, outputs, folder / "log", SETTINGS)
    texts = " ".join(ElementTree.parse(folder / "d.svg").getroot().itertext())
    return read_section(folder / "debiasing.json"), texts


def changed_scores(comparisons: list[Path]) -> pd.DataFrame:
    return DebiasingResults({"comparisons": comparisons}, SETTINGS).changed


def test_changes_are_those_from_the_model_before(tmp_path: Path) -> None:
    origins = {model["name"]: model["from"] for model in MODELS}
    changed = changes([comparisons(tmp_path)], origins, ["CPS", "AULA"], "corrected")
    assert changed["model"].tolist() == ["a-continued", "a-continued", "a-cda", "a-cda", "a-at", "a-at"]
    assert changed["measure"].tolist() == ["CPS", "AULA"] * 3
    assert changed["change"].tolist() == [-1, -1, -28, -28, 10, 10]
    assert changed["before"].eq(80).all()
    assert changed["after"].tolist() == [79, 79, 52, 52, 90, 90]
    np.testing.assert_allclose((changed["low"] + changed["high"]) / 2, changed["change"])
    assert (changed["low"] < changed["high"]).all()
    assert changes([], origins, ["AULA"], "corrected").empty


def test_where_all_pairs_share_a_word_nothing_is_claimed(tmp_path: Path) -> None:
    """McNemar's p of independent pairs stands in a column of its own, and no claim rests on it."""
    rows = [
        row | {"low": None, "high": None, "p": None, "p_mcnemar": 0.0001, "b": 33, "c": 5}
        for row in compared("a <b>", "a-cda", (80.0, 52.0))
    ]
    path = tmp_path / "comparisons.parquet"
    write_table(path, framed(rows, COMPARISONS), COMPARISONS, {"benchmark": "cp"})
    changed = changed_scores([path])
    assert changed["untestable"].all() and len(changed) == 2
    assert changed[["low", "high", "p", "p_holm"]].isna().all(axis=None)
    assert changed["p_mcnemar"].eq(0.0001).all()
    clear = clear_changes(changed, 0.05)
    assert (clear.changes, clear.tested, clear.untestable) == (2, 0, 2)
    assert clear.nearer.empty and clear.further.empty
    section, _ = present_section(tmp_path, [path])
    (sentence,) = [sentence for sentence in section.sentences if "(cda)," in sentence]
    assert "None of 2 bias scores can be tested" in sentence and "clearly" not in sentence
    sheet = next(block.sheet for block in section.every_block() if isinstance(block, Table))
    assert {row[6:10] for row in sheet.rows} == {("∘", DASH, DASH, "0.0001")}


def test_what_does_not_change_is_not_untestable(tmp_path: Path) -> None:
    nothing = {"low": None, "high": None, "p": None, "b": 0, "c": 0}
    rows = [row | nothing for row in compared("a <b>", "a-cda", (80.0, 80.0))]
    path = tmp_path / "comparisons.parquet"
    write_table(path, framed(rows, COMPARISONS), COMPARISONS, {"benchmark": "cp"})
    changed = changed_scores([path])
    assert len(changed) == 2 and not changed["untestable"].any() and changed["p"].isna().all()


def test_holm_is_over_what_a_sentence_counts(tmp_path: Path) -> None:
    """All changes by a method, whatever the benchmark and measure; untestable ones are none of them."""
    p = {("one", "AULA"): 0.02, ("one", "CPS"): 0.03, ("two", "AULA"): 0.04, ("two", "CPS"): None}
    paths = []
    for benchmark in ("one", "two"):
        rows = [
            row | {"p": p[benchmark, str(row["measure"])]}
            for row in compared("a <b>", "a-cda", (80.0, 52.0))
            if row["protocol"] == "corrected"
        ]
        rows += compared("a <b>", "a-at", (80.0, 52.0))
        paths.append(tmp_path / f"{benchmark}.parquet")
        write_table(paths[-1], framed(rows, COMPARISONS), COMPARISONS, {"benchmark": benchmark})
    changed = changed_scores(paths)
    cda = changed[changed["method"] == "cda"].set_index(["benchmark", "measure"])["p_holm"]
    assert cda["one", "AULA"] == pytest.approx(3 * 0.02)
    assert cda["one", "CPS"] == pytest.approx(3 * 0.02)
    assert cda["two", "AULA"] == pytest.approx(3 * 0.02)
    assert pd.isna(cda["two", "CPS"])
    assert changed.loc[changed["method"] == "at", "p_holm"].eq(4 * 0.001).all()
    clear = clear_changes(changed[changed["method"] == "cda"], 0.05)
    assert (clear.changes, clear.tested, clear.untestable) == (4, 3, 1)
    assert clear.nearer.empty


def test_the_section_says_what_was_made_and_what_it_changed(tmp_path: Path) -> None:
    section, texts = present_section(tmp_path, [comparisons(tmp_path)])
    said = " ".join(section.sentences)
    check_first_sentence(section)
    # the control comes last
    start = "After the same training without debiasing (a control), 2 scores lie"
    clear = "(p < 0.05 after Holm's correction)."
    assert section.sentences[:3] == (
        "After counterfactual data augmentation (cda), 2 scores lie 28.0 points nearer to 50 on average. Of "
        f"2 testable changes of bias scores, 2 are clearly towards 50 and none clearly away from it {clear}",
        "After all-layer token-level debiasing (at), 2 scores lie 10.0 points further from 50 on average. Of "
        f"2 testable changes of bias scores, none is clearly towards 50 and 2 clearly away from it {clear}",
        f"{start} 1.0 points nearer to 50 on average. None of 2 testable changes of bias scores is clear by "
        f"itself {clear}",
    )
    assert "2.25 for a-continued (2.50 before)" in said
    assert "a-cda" not in said.split("The loss on")[1]
    drawing = section.blocks[0]
    assert isinstance(drawing, Chart)
    assert "90% interval" in drawing.caption
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
            f"{row['change']:+.1f}".replace("-", "\N{MINUS SIGN}"),
            f"{row['low']:+.1f} to {row['high']:+.1f}".replace("-", "\N{MINUS SIGN}"),
        )
        for row in drawing.rows
    ] == [(line[0], f"a <b> on {line[1]}", *line[2:7]) for line in changed.rows]
    assert {row["model"]: row["kind"] for row in drawing.rows} == {
        "a-continued": "continued",
        "a-cda": "cda",
        "a-at": "at (published)",
    }
    page = render_page("r", [section])
    assert "a <b>" not in page
    assert "a &lt;b&gt;" in page


def test_without_a_benchmark_it_says_so(tmp_path: Path) -> None:
    section, texts = present_section(tmp_path, [])
    assert any("No bias score" in sentence for sentence in section.sentences)
    assert "No bias score" in texts
    assert [len(block.sheet.rows) for block in section.every_block() if isinstance(block, Table)] == [3]
    assert not any(isinstance(block, Chart) for block in section.blocks)

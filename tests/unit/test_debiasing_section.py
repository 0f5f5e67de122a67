"""The section on debiased models, and its figure."""

import math
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
    framed,
    margins_left,
    read_section,
    render_page,
    write_facts,
    write_table,
)
from made_study import RESOURCES, compared
from running import present
from shown import check_first_sentence, check_shown

BASE = "a <b>"
MODELS = [
    {"name": f"a-{method}", "from": BASE, "method": method, "protocol": protocol}
    for method, protocol in (("continued", "corrected"), ("cda", "corrected"), ("at", "published"))
]
FACTS: list[dict[str, Any]] = [
    {"steps": 600, "held_out": {"before": 2.5, "after": 2.25}},
    {"steps": 600, "held_out": {"before": 2.5, "after": None}},
    {"steps": 400, "objective": {"before": {"weighted": 1.5}, "after": {"weighted": 0.02}}},
]
SETTINGS = {
    "models": MODELS,
    "measures": ["AULA", "CPS"],
    "alpha": 0.05,
    "confidence": 0.9,
}
ROWS = [
    *compared("a-continued", BASE, (79.0, 80.0)),
    *compared("a-cda", BASE, (52.0, 80.0)),
    *compared("a-at", BASE, (90.0, 80.0)),
    *compared("a-cda", "a-at", (52.0, 90.0)),
]


def written(folder: Path, rows: list[dict[str, object]], benchmark: str = "cp") -> Path:
    write_table(folder / benchmark, framed(rows, COMPARISONS), COMPARISONS, {"benchmark": benchmark})
    return folder / benchmark


def present_section(folder: Path, paths: list[Path]) -> tuple[Section, str]:
    """The section, and the texts of its figure."""
    facts = [folder / f"{model['name']}.json" for model in MODELS]
    for path, of_model in zip(facts, FACTS, strict=True):
        write_facts(path, of_model)
    files = {"facts": facts, "comparisons": paths, "captions": RESOURCES / "debiasing" / "captions.yaml"}
    outputs = {f"changes_{form}": folder / f"d.{form}" for form in ("svg", "png")}
    outputs["debiasing"] = folder / "debiasing.json"
    present("debiasing", files, outputs, folder / "log", SETTINGS)
    return read_section(folder / "debiasing.json"), (folder / "d.svg").read_text()


def changed_scores(*paths: Path) -> pd.DataFrame:
    return DebiasingResults({"comparisons": list(paths)}, SETTINGS).changed


def test_changes_are_those_from_the_model_before(tmp_path: Path) -> None:
    changed = changed_scores(written(tmp_path, ROWS))
    rows = changed[["model", "measure", "before", "after", "change"]].to_numpy().tolist()
    after = {"a-continued": 79.0, "a-cda": 52.0, "a-at": 90.0}
    expected = [[m, of, 80.0, after[m], after[m] - 80] for m in after for of in ("AULA", "CPS")]
    assert rows == expected
    np.testing.assert_allclose((changed["low"] + changed["high"]) / 2, changed["change"])
    assert (changed["low"] < changed["high"]).all()


def test_where_all_pairs_share_a_word_nothing_is_claimed(tmp_path: Path) -> None:
    """What does not change is not untestable."""
    nothing = {"low": None, "high": None, "p": None, "b": 0, "c": 0}
    for after, decided, untestable in ((80.0, {}, 0), (52.0, {"b": 33, "c": 5}, 2)):
        path = written(tmp_path, [row | nothing | decided for row in compared("a-cda", BASE, (after, 80.0))])
        changed = changed_scores(path)
        assert changed[["low", "high", "p", "p_holm"]].isna().all(axis=None)
        assert changed["untestable"].sum() == untestable
    section, _ = present_section(tmp_path, [path])
    assert section.sentences[0].endswith("None of 2 changes of bias scores can be tested.")
    sheet = next(block.sheet for block in section.every_block() if isinstance(block, Table))
    assert {row[6:9] for row in sheet.rows} == {("∘", DASH, DASH)}


def test_holm_is_over_what_a_sentence_counts(tmp_path: Path) -> None:
    """All changes by a method, whatever the benchmark and measure; untestable ones are none of them."""
    p = {("one", "AULA"): 0.02, ("one", "CPS"): 0.03, ("two", "AULA"): 0.04, ("two", "CPS"): None}
    paths = []
    for name in ("one", "two"):
        rows = [row | {"p": p[name, str(row["measure"])]} for row in compared("a-cda", BASE, (52.0, 80.0))]
        paths.append(written(tmp_path, [*rows, *compared("a-at", BASE, (52.0, 80.0))], name))
    changed = changed_scores(*paths)
    cda = changed[changed["method"] == "cda"]
    # 3 · 0.02, and no less for the others
    expected = {key: math.nan if of is None else 0.06 for key, of in p.items()}
    corrected = cda.set_index(["benchmark", "measure"])["p_holm"].to_dict()
    assert corrected == pytest.approx(expected, nan_ok=True)
    assert changed.loc[changed["method"] == "at", "p_holm"].eq(4 * 0.001).all()


def test_what_is_left_is_a_median_without_margins_that_are_rounding() -> None:
    before, after = (2.0, 1.0, 4.0, 1e-18, math.nan), (0.2, 0.5, 4.0, 1e-17, math.nan)
    changed = pd.DataFrame({"typical_before": before, "typical_after": after})
    # of 0.1, 0.5 and 1
    assert margins_left(changed) == pytest.approx(0.5)
    assert margins_left(changed[3:]) is None


def test_the_section_says_what_was_made_and_what_it_changed(tmp_path: Path) -> None:
    section, texts = present_section(tmp_path, [written(tmp_path, ROWS)])
    check_first_sentence(section)
    # the control comes last
    cda, at, control = section.sentences[:3]
    start = "After counterfactual data augmentation (cda), 2 bias scores lie 28.0 points nearer to 50"
    assert cda.startswith(start) and "2 are clear (p < 0.05 after Holm's correction)" in cda
    assert at.startswith("After all-layer token-level debiasing (at), 2 bias scores lie 10.0 points further")
    assert control.startswith("After the same training without debiasing (a control), 2 bias scores lie 1.0")
    assert "Of 2 changes of bias scores, none is clear" in control
    drawing = section.blocks[0]
    assert isinstance(drawing, Chart) and "90% interval" in drawing.caption
    assert "at (published)" in texts
    _, how = [block.sheet for block in section.every_block() if isinstance(block, Table)]
    assert [row[5:] for row in how.rows] == [("2.5", "2.25"), ("2.5", DASH), ("1.5", "0.02")]
    changed = changed_scores(tmp_path / "cp")
    table = changed.assign(panel=changed["origin"] + " on cp", row=changed["measure"])
    columns = {name: name for name in ("before", "after", "change", "low", "high", "p_holm")}
    check_shown(drawing.rows, table, {"model": "model", "panel": "panel", "row": "row"}, columns)
    page = render_page("r", [section])
    assert BASE not in page and "a &lt;b&gt;" in page

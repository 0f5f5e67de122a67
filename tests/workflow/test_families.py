"""A family of its own files and one include, as docs/adding.md shows it; models of other kinds."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from library import read_metadata, sha256_of_file
from small_study import FINISHED, PAGE, Workflow, errors
from workflow_copy import ROOT

GUIDE = ROOT / "docs/adding.md"


def add_the_guides_family(workflow: Workflow) -> set[str]:
    """Add the files that the guide shows to a copy of the workflow, and the include; gives the files."""
    text = GUIDE.read_text()
    text = text[text.index("## A family") :]
    shown = re.findall(r"`((?:rules|scripts)/[\w/.]*lengths[\w/.]*|scripts/count_tokens\.py)`", text)
    blocks = re.findall(r"```(?:yaml|python|snakemake)\n(.*?)```", text, re.DOTALL)
    # the block after each place that is named, but for the line of the Snakefile and what is only mentioned
    include = next(block for block in blocks if block.startswith("include:"))
    blocks.remove(include)
    assert len(shown) == len(blocks) == 6
    for name, block in zip(shown, blocks, strict=True):
        path = workflow.folder / name
        assert not path.exists()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block)
    # with a table, a picture and a finding
    assert sum(block.count("\n") for block in blocks) < 150
    (workflow.folder / "scripts/unmask/lengths/__init__.py").write_text('"""Lengths."""\n')
    snakefile = workflow.folder / "Snakefile"
    report = 'include: "rules/report.smk"'
    assert snakefile.read_text().count(report) == 1
    snakefile.write_text(snakefile.read_text().replace(report, f"{include}{report}"))
    (workflow.folder / "text.txt").write_text("the nurse said that she is very good\nhe drives\n")
    return set(shown)


def add_the_guides_measure(workflow: Workflow) -> None:
    """Put the formula, the line of the table and the words that the guide shows where it says."""
    text = GUIDE.read_text()
    text = text[text.index("## A measure") : text.index("## A statistic")]
    formula, words = re.findall(r"```(?:python|yaml)\n(.*?)```", text, re.DOTALL)
    function, line = formula.split("\n\n\n")
    for name, before, added in (
        ("scripts/unmask/measures/formulas.py", "@dataclass", f"{function}\n\n\n"),
        ("scripts/unmask/measures/formulas.py", '        Measure("StartAlone"', line),
        ("resources/pairs/measures.yaml", "AULA:\n", words),
    ):
        path = workflow.folder / name
        assert path.read_text().count(before) == 1
        path.write_text(path.read_text().replace(before, added + before))


def section_names(workflow: Workflow) -> list[str]:
    page = workflow.read("report", "index.html")
    return re.findall(r'<section id="([\w-]+)"', page)


def shown_text(workflow: Workflow) -> str:
    """The page without its styles and its programs."""
    page = workflow.read("report", "index.html")
    text = re.sub(r"<(style|script)\b.*?</\1>", "", page, flags=re.DOTALL)
    assert "<section" in text
    return text


@pytest.mark.thorough
def test_a_measure_takes_a_function_a_line_and_its_words(copied: Workflow) -> None:
    add_the_guides_measure(copied)
    copied.config["measures"] = [*copied.config["measures"], "AULModified"]
    copied.run()
    assert "AUL, modified tokens" in shown_text(copied)
    results = copied.folder / "results/small"
    rows = pd.read_parquet(results / "evidence/bert/crows/original/none.parquet")
    rows = rows[rows["modified"].eq(True) & ~rows["special"]]
    literal: dict[tuple[str, str], list[float]] = {}
    for row in rows.to_dict("records"):
        literal.setdefault((row["pair_id"], row["role"]), []).append(row["log_prob"])
    scores = pd.read_parquet(results / "scores/bert/crows/original.parquet")
    scores = scores[(scores["measure"] == "AULModified") & (scores["protocol"] == "corrected")]
    assert len(literal) > 10
    for row in scores.to_dict("records"):
        for role in ("stereotype", "antistereotype"):
            values = literal.get((row["pair_id"], role), [])
            mean = sum(values) / len(values) if values else float("nan")
            assert row[role] == pytest.approx(mean, nan_ok=True)


def test_a_family_takes_its_own_files_and_one_include(copied: Workflow) -> None:
    before = {path: sha256_of_file(path) for path in copied.folder.rglob("*.py")}
    add_the_guides_family(copied)
    # its schema, rules and library redo nothing of the others, whether or not the study has the family
    assert copied.planned() == set()
    assert all(sha256_of_file(path) == digest for path, digest in before.items())
    config = {**copied.config, "lengths": {"text": "text.txt"}}
    own = {"lengths/bert.parquet", "lengths/roberta.parquet", "report/sections/lengths.json"}
    own |= {f"tables/lengths.{form}" for form in ("csv", "md", "tex")}
    own |= {f"figures/lengths.{form}" for form in ("svg", "png")}
    assert copied.planned(config) == {*own, *PAGE, *FINISHED}
    copied.run(config=config)
    assert copied.planned(config) == set()
    names = section_names(copied)
    assert names[0] == "answer" and names[-2:] == ["lengths", "method"]
    page = copied.read("report", "index.html")
    assert re.search(r"(bert|roberta): \d+\.\d tokens of a line on average; no model makes more\.", page)
    assert "Tokens that each model makes of a line: the mean, and the fewest to the most." in page
    assert "<summary>The numbers</summary>" in page
    assert copied.read("tables", "lengths.md").count("\n| ") == 4
    assert read_metadata(copied.folder / "results/small/lengths/bert.parquet")["model"] == "bert"
    assert "lengths/bert.parquet" in copied.read("SHA256SUMS")
    # a notebook has it, too
    code = "import unmask; print(unmask.load('results/small')['lengths']['model'].unique().tolist())"
    path = os.environ | {"PYTHONPATH": str(copied.folder / "scripts")}
    printed = subprocess.check_output([sys.executable, "-c", code], cwd=copied.folder, env=path, text=True)
    assert printed == "['bert', 'roberta']\n"
    # and it goes without a trace
    copied.run()
    assert "lengths" not in shown_text(copied)


def test_a_familys_bad_input_is_one_line(fresh: Workflow) -> None:
    add_the_guides_family(fresh)
    config = {**fresh.config, "lengths": {"text": "none.txt"}}
    (line,) = errors(fresh.snakemake("-n", config=config))
    assert line.startswith("error: config key lengths.text: none.txt is missing")
    alone: dict[str, Any] = {"study": "small", "lengths": {"text": "text.txt"}}
    (line,) = errors(fresh.snakemake("-n", config=alone))
    assert line == "error: config key lengths: it needs models, which the study lacks"


def test_jobs_run_the_library_beside_their_scripts(fresh: Workflow, tmp_path: Path) -> None:
    """Whichever library is installed, or comes first: two clones may share one environment."""
    other = tmp_path / "other/unmask"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text("raise ImportError('the library of another clone')\n")
    fresh.environment = {"PYTHONPATH": str(other.parent)}
    (fresh.folder / "text.txt").write_text("the rich man\n")
    # of corpora alone, which are counted
    fresh.run(config={"study": "small", "corpora": {"text": {"format": "text", "path": "text.txt"}}})
    assert (fresh.folder / "results/small/frequency/text.parquet").is_file()
    assert section_names(fresh) == ["method"]

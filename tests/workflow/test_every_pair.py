"""The explorer in a study: switching it on runs no model, and what it shows outlasts the evidence."""

import json
import os
import subprocess
import sys

import pytest

from library import read_facts, unpacked
from small_study import AGGREGATES, FINISHED, PAGE, Workflow

PAIRS = {f"explorer/{model}/{of}/pairs.json" for model in ("bert", "roberta") for of in ("crows", "stereo")}


def test_switching_it_on_measures_the_models_that_are_shown_and_reads_no_model(copied: Workflow) -> None:
    # the small study has switched it off; it is on by default
    assert copied.config.pop("explorer") is None
    planned = copied.planned()
    own = {output for output in planned if not output.startswith(AGGREGATES)}
    assert own > PAIRS
    assert all(output in PAIRS or output.startswith(("scores/", "statistics/")) for output in own)
    assert "report/sections/pairs.json" in planned
    copied.config["explorer"] = {"models": ["roberta"]}
    own = {output for output in copied.planned() if not output.startswith(AGGREGATES)}
    assert own & PAIRS == {path for path in PAIRS if "roberta" in path}
    assert not [output for output in own if "/bert/" in output]


@pytest.mark.thorough
def test_the_likeliest_tokens_are_found_while_evidence_is_made_of_the_models_that_are_shown(
    copied: Workflow,
) -> None:
    copied.config["explorer"] = {"models": ["bert"], "top": 3}
    evidence = {output for output in copied.planned() if output.startswith("evidence/")}
    # other models are not read
    assert evidence == {f"evidence/bert/{benchmark}/digests.json" for benchmark in ("crows", "stereo")}
    before = (copied.folder / "results/small/evidence/bert/crows/original/none.parquet").read_bytes()
    copied.run()
    assert (copied.folder / "results/small/evidence/bert/crows/original/none.parquet").read_bytes() == before
    facts = read_facts(copied.folder / "results/small/explorer/bert/crows/pairs.json")
    likeliest = unpacked(facts["likeliest"])
    assert likeliest and all(len(of_masking) > 10 for of_masking in likeliest.values())
    assert copied.planned() == set()


@pytest.mark.thorough
def test_what_it_shows_is_in_the_report_and_outlasts_the_evidence(copied: Workflow) -> None:
    copied.config["explorer"] = {"pairs": 6}
    # braces are no wildcards
    copied.config["title"] = "A {small} <study>"
    copied.run()
    results = copied.folder / "results/small"
    facts = read_facts(results / "explorer/bert/crows/pairs.json")
    assert len(unpacked(facts["scores"])["CPS"]["outcome"]) == 6
    sections = json.loads((results / "report/sections/pairs.json").read_bytes())["sections"]
    (section,) = [each for each in sections if each["name"] == "pairs"]
    assert section["blocks"][-1]["program"] == "pairs/explorer"
    report = copied.read("report", "index.html")
    assert report.count('<div id="pairs-explorer"') == 1 and facts["tokens"] in report
    assert '<p class="study">A {small} &lt;study&gt;</p>' in report
    assert copied.read("report", "summary.txt").startswith("A {small} <study>\n")
    assert copied.planned() == set()
    # another number of pairs reads no model
    copied.config["explorer"] = {"pairs": 5}
    planned = copied.planned()
    assert "explorer/bert/crows/pairs.json" in planned
    assert not [output for output in planned if output.startswith(("evidence/", "models/", "benchmarks/"))]
    copied.config["explorer"] = {"pairs": 6}
    for command in (["verify"], ["clean", "--yes"], ["verify"]):
        done = subprocess.run(
            [sys.executable, "-m", "unmask.command.main", *command, "results/small"],
            cwd=copied.folder,
            env={**os.environ, "PYTHONPATH": "scripts"},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert not (results / "evidence").exists()
    assert copied.planned() == set()
    # another program is another page, and no more
    program = copied.folder / "scripts/unmask/pairs/explorer.js"
    program.write_text(program.read_text() + "// more\n")
    assert copied.planned() == {*PAGE, *FINISHED}

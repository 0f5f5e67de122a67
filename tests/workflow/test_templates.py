"""Template tests in a study: the example of the documentation, and random models with a decoder."""

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from small_study import Workflow, random_model
from tiny_models import tiny_decoder
from unmask.loading import load_tables
from unmask.templates.schema import TESTED_WORDS, TESTS
from workflow_copy import ROOT, copy_workflow


def documented(folder: Path) -> dict[str, Any]:
    """Write the word files of docs/templates.md into a folder, and give the study."""
    study, *files = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs/templates.md").read_text(), re.DOTALL)
    for name, text in zip(("occupations.yaml", "names.yaml"), files, strict=True):
        (folder / name).write_text(text)
    parsed: dict[str, Any] = yaml.safe_load(study)
    return parsed


@pytest.fixture
def workflow(tmp_path: Path) -> Workflow:
    folder = copy_workflow(tmp_path / "unmask")
    return Workflow(folder, documented(folder))


def results_of(workflow: Workflow) -> pd.DataFrame:
    paths = sorted(workflow.folder.glob("results/templates/templates/*/*/tests.parquet"))
    return load_tables(paths, TESTS, "model", "test")


@pytest.mark.thorough
def test_the_documented_study_meets_what_is_planted_and_nothing_else(workflow: Workflow) -> None:
    workflow.run()
    tests = {(row["model"], row["quantity"]): row for row in results_of(workflow).to_dict("records")}
    difference = {name: tests[name, "difference"] for name in ("stereotyped", "fair", "untrained")}
    # the log-odds of .9 on either side, less what models are allowed to be off: 0.75 nats of each set
    assert difference["stereotyped"]["value"] == pytest.approx(4.39, abs=1.5)
    assert difference["stereotyped"]["p"] < 0.001
    assert difference["fair"]["value"] == pytest.approx(0, abs=0.75)
    assert abs(difference["untrained"]["value"]) < 0.1
    fills = {name: tests[name, "top three"] for name in difference}
    # of 924 arrangements two have all names of a gender on one side
    assert fills["stereotyped"]["value"] >= 1 and fills["stereotyped"]["p"] == pytest.approx(2 / 924)
    for name in ("fair", "untrained"):
        assert difference[name]["p"] > 0.01 and fills[name]["p"] > 0.01
    section = (workflow.folder / "results/templates/report/sections/templates.json").read_text()
    assert "(p < 0.01 after Holm's correction) in 1 of 3 models. stereotyped has the largest" in section
    assert " correlate with gender in stereotyped. " in section


@pytest.mark.slow
def test_a_study_with_both_measures_and_a_decoder(workflow: Workflow) -> None:
    """Random networks: all files are there, nothing is left to do, and the decoder is named."""
    folder = workflow.folder
    tiny_decoder("gpt2", folder / "decoder")
    study = workflow.config
    study.pop("worlds")
    study["models"] = {"bert": random_model("bert", folder), "decoder": {"source": "path", "path": "decoder"}}
    tests = study["templates"]["tests"]
    tests["occupations"] |= {"targets": {"male": ["he"], "female": ["she", "woman"]}}
    (folder / "occupations.yaml").write_text(
        "technical: [engineer, driver, 護士]\ncaring: [nurse, teacher]\n"
    )
    (folder / "names.yaml").write_text("female: [woman, mother]\nmale: [man, father]\n")
    workflow.run()
    assert workflow.planned() == set()
    rows = results_of(workflow)
    assert set(zip(rows["model"], rows["test"], strict=True)) == {("bert", "occupations"), ("bert", "names")}
    assert list(rows.loc[rows["measure"] == "lpbs", "units"]) == [2, 2, 4]
    words = load_tables(
        sorted(folder.glob("results/templates/templates/bert/*/words.parquet")), TESTED_WORDS, "test"
    )
    assert set(words.loc[words["test"] == "occupations", "word"]) == {
        "engineer",
        "driver",
        "nurse",
        "teacher",
    }
    results = folder / "results/templates"
    section = (results / "report/sections/templates.json").read_text()
    assert "occupations is without 1 word that the tokenizer of bert does not know: " in section
    assert "decoder predicts from the left alone and is left out" in section
    assert "bert has random weights: it was never trained." in section
    for name in ("attributes", "fills"):
        assert (results / f"figures/templates_{name}.svg").stat().st_size > 1000
        assert (results / f"tables/templates_{name}.tex").is_file()
    assert (results / "tables/templates_words.csv").read_text().count("\n") == len(words) + 1
    # one more word redoes its test alone
    (folder / "names.yaml").write_text("female: [woman, mother, girl]\nmale: [man, father]\n")
    done = workflow.snakemake("--summary")
    redone = [line for line in done.stdout.splitlines() if "update pending" in line and ".parquet" in line]
    assert len(redone) == 3 and all("/bert/names/" in line for line in redone)


def test_bad_input_is_one_line(workflow: Workflow) -> None:
    def error(**changes: Any) -> str:
        study = {**workflow.config, **changes}
        done = workflow.snakemake("-n", config=study)
        (line,) = [each for each in (done.stdout + done.stderr).splitlines() if each.startswith("error: ")]
        return line

    (workflow.folder / "names.yaml").write_text("female: [Alice, Emma]\n")
    assert error() == "error: names.yaml: has 1 set of words, and a test compares two"
    documented(workflow.folder)
    tests = {"mine": {**workflow.config["templates"]["tests"]["names"], "templates": ["[PERSON] is."]}}
    assert error(templates={"tests": tests}) == (
        "error: config key templates.tests.mine.templates: '[PERSON] is.' has [BLANK] 0 times, not once"
    )
    decoders = {"gpt2": {"source": "train", "architecture": "gpt2", "world": "fair"}}
    assert error(models=decoders) == (
        "error: config key templates: the study has no masked-lm model with files to fill templates"
    )

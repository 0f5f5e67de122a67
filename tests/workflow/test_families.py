"""A family of its own files and one include, as docs/adding.md shows it; models of other kinds."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

from library import read_metadata, sha256_of_file
from small_study import FINISHED, PAGE, Done, Workflow, random_model
from workflow_copy import ROOT

GUIDE = ROOT / "docs/adding.md"
SETTINGS_AND_INPUTS = ("Settings", "Inputs, code and versions")


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


def errors(done: Done) -> list[str]:
    return [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("error: ")]


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
    copied.run(config)
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


@pytest.mark.thorough
def test_a_study_of_one_family_alone(fresh: Workflow) -> None:
    """No benchmarks, no measures: a family and the models that it needs."""
    add_the_guides_family(fresh)
    models = {"bert": fresh.config["models"]["bert"]}
    fresh.run({"study": "small", "models": models, "lengths": {"text": "text.txt"}})
    assert section_names(fresh) == ["lengths", "method"]
    (section,) = json.loads(fresh.read("report", "sections", "provenance.json"))["sections"]
    folds = [block for block in section["blocks"] if block.get("title") in SETTINGS_AND_INPUTS]
    stated = json.dumps(folds)
    assert len(folds) == 2 and "small" in stated
    for trace in ("benchmark", "measures", "corpora", "ratings", "dtype", "worlds"):
        assert trace not in stated
    results = fresh.folder / "results/small"
    assert {path.name for path in results.iterdir() if not path.name.startswith(".")} == {
        "SHA256SUMS", "figures", "lengths", "logs", "models", "report", "settings.json",
        "tables",
    }  # fmt: skip


def test_jobs_run_the_library_beside_their_scripts(fresh: Workflow, tmp_path: Path) -> None:
    """Whichever library is installed, or comes first: two clones may share one environment."""
    other = tmp_path / "other/unmask"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text("raise ImportError('the library of another clone')\n")
    fresh.environment = {"PYTHONPATH": str(other.parent)}
    (fresh.folder / "text.txt").write_text("the rich man\n")
    # of corpora alone, which are counted
    fresh.run({"study": "small", "corpora": {"text": {"format": "text", "path": "text.txt"}}})
    assert (fresh.folder / "results/small/frequency/text.parquet").is_file()
    assert section_names(fresh) == ["method"]


@pytest.mark.thorough
def test_a_model_that_comes_from_a_model_is_scored_like_any_other(copied: Workflow) -> None:
    config = copied.config
    (copied.folder / "text.txt").write_text("the nurse saw the man walking\n" * 9)
    config["corpora"] = {"text": {"format": "text", "path": "text.txt", "counted": False}}
    training = {"steps": 2, "batch": 2}
    config["debiasing"] = {"corpus": "text", "held_out": 1, "training": training}
    config["models"]["further"] = {"source": "debiased", "from": "bert", "method": "continued"}
    planned = copied.planned()
    assert {"models/further/facts.json", "models/further/manifest.json"} <= planned
    assert not [output for output in planned if re.search("/(bert|roberta)/", output)]
    # untrained networks of its architecture; there are none of a model that is untrained
    config["controls"] = {"untrained": {"seeds": 2}}
    networks = {f"untrained/further/{name}/digests.json" for name in ("crows", "stereo")}
    with_networks = copied.planned()
    assert {output for output in with_networks if output.startswith("untrained/")} == networks
    evidence = {output for output in planned if output.startswith(("evidence/", "scores/", "models/"))}
    assert evidence == {o for o in with_networks if o.startswith(("evidence/", "scores/", "models/"))}
    copied.run()
    results = copied.folder / "results/small"
    facts = json.loads((results / "models/further/manifest.json").read_text())
    base = json.loads((results / "models/bert/manifest.json").read_text())
    assert facts["entry"]["from"] == "bert" and facts["entry"]["kind"] == "masked-lm"
    assert facts["weights_digest"] != base["weights_digest"]
    scores = [results / f"scores/{model}/crows/original.parquet" for model in ("bert", "further")]
    one, other = (pq.read_table(path).column("margin").to_pylist() for path in scores)
    assert len(one) == len(other) and one != other
    assert "further" in copied.read("tables", "table5.csv")
    bias = pd.read_csv(results / "tables/bias.csv").query("variant == 'original'")
    beside = bias[bias["model"] == "further"].dropna(subset="score")
    assert (beside["untrained"] == 2).all() and (beside["untrained_low"] <= beside["untrained_high"]).all()
    assert bias.loc[bias["model"] != "further", "untrained"].isna().all()
    # evidence that is cleaned away is not missed beside what its job has left
    (results / "evidence/further").rename(results / "cleaned")
    assert copied.planned() == set()
    (results / "cleaned").rename(results / "evidence/further")
    config["controls"]["untrained"]["seeds"] = 3
    # the job reads what is new
    planned = copied.planned()
    assert {output for output in planned if output.startswith("untrained/")} == networks
    assert not [output for output in planned if output.startswith(("evidence/", "models/"))]
    tables = [f"untrained/further/crows/{seed}.parquet" for seed in (1, 2)]
    before = {path: (results / path).read_bytes() for path in tables}
    done = copied.snakemake("results/small/untrained/further/crows/digests.json")
    assert done.returncode == 0, done.stdout + done.stderr
    log = copied.read("logs", "untrained", "further", "crows.log")
    assert re.findall(r"untrained network of seed (\d)", log) == ["3"]
    assert {path: (results / path).read_bytes() for path in tables} == before
    del config["controls"]
    # another base is another model; a base made anew makes it anew
    config["models"]["further"]["from"] = "roberta"
    planned = copied.planned()
    assert "models/further/facts.json" in planned and "scores/further/crows/original.parquet" in planned
    config["models"]["further"]["from"] = "bert"
    config["models"]["bert"]["seed"] = 2
    assert {"models/bert/facts.json", "models/further/facts.json"} <= copied.planned()


SEER_KEYS = """
from typing import Literal

from unmask.models.keys import Model


class Seer(Model):
    has_files = False

    source: Literal["seer"]
    kind: Literal["masked-lm"] = "masked-lm"
"""
SEER = """
# Seers: models that know the answer. They have no files: their manifest and evidence are made here.


rule seer_manifest:
    output:
        result("models", "{model}", "manifest.json"),
    wildcard_constraints:
        model=any_of(MODELS.of("seer")),
    log:
        log_of("models", "{model}.log"),
    conda:
        "../envs/unmask.yaml"
    shell:
        "touch {output} 2> {log}"


rule seer_evidence:
    input:
        pairs=result("benchmarks", "{benchmark}.parquet"),
        manifest=result("models", "{model}", "manifest.json"),
    output:
        result("evidence", "{model}", "{benchmark}", "digests.json"),
    wildcard_constraints:
        model=any_of(MODELS.of("seer")),
    log:
        log_of("evidence", "{model}", "{benchmark}.log"),
    conda:
        "../envs/unmask.yaml"
    shell:
        "touch {output} 2> {log}"
"""


def test_models_of_another_kind_and_without_files_have_a_place(fresh: Workflow) -> None:
    """A classifier is checked as its own kind and not scored; a seer's family gives its evidence."""
    keys = fresh.folder / "scripts/unmask/seers/keys.py"
    keys.parent.mkdir()
    keys.write_text(SEER_KEYS)
    (fresh.folder / "rules/seers.smk").write_text(SEER)
    snakefile = fresh.folder / "Snakefile"
    snakefile.write_text(
        snakefile.read_text().replace(
            'include: "rules/report.smk"', 'include: "rules/seers.smk"\ninclude: "rules/report.smk"'
        )
    )
    random_model("bert", fresh.folder)
    given = fresh.folder / "given"
    given.mkdir()
    (given / "config.json").write_text("{}")
    fresh.config["models"] = {
        "seer": {"source": "seer"},
        "classifier": {"source": "path", "path": "given", "kind": "text-classification"},
    }
    planned = fresh.planned()
    assert "evidence/seer/crows/digests.json" in planned
    assert "scores/seer/crows/original.parquet" in planned
    assert "models/classifier/manifest.json" in planned
    assert not [output for output in planned if "/classifier/" in output and "manifest" not in output]

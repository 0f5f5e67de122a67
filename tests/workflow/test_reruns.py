"""What Snakemake plans when a finished study changes: what is new, and nothing else."""

import copy
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from library import PLUMBING, sha256_of_file
from small_study import FINISHED, Workflow, random_model

SHOWN = ("tables/", "figures/", "report/", *FINISHED)
"""What is made of all models and benchmarks of a study, but for comparisons."""
MORE = {"format": "crows-pairs", "path": "crows.csv"}
SCORES = "results/small/scores/bert/crows/original.parquet"


def with_settings(workflow: Workflow, settings: dict[str, Any]) -> dict[str, Any]:
    """The workflow's configuration with values put where they are named, as models.bert.seed."""
    config = copy.deepcopy(workflow.config)
    for place, value in settings.items():
        *sections, key = place.split(".")
        section = config
        for name in sections:
            section = section[name]
        section[key] = value
    return config


def measured(planned: set[str]) -> set[str]:
    return {output for output in planned if not output.startswith(SHOWN)}


@pytest.mark.parametrize(
    ("settings", "made", "pattern"),
    [
        ({"runtime": {"device": "cpu", "threads": 2, "batch_tokens": 7}}, set(), None),
        (
            {"models.albert": "albert"},
            {
                "tables/table5.csv",
                "figures/bias.svg",
                "comparisons/crows.parquet",
                "comparisons/stereo.parquet",
            },
            r".*/albert/.*|comparisons/.*",
        ),
        # models are compared on the new one alone
        ({"benchmarks.more": MORE}, {"benchmarks/more.parquet", "comparisons/more.parquet"}, r".*/more.*"),
        ({"statistics.alpha": 0.1, "benchmarks.crows.published": "crows-pairs"}, {"tables/table5.csv"}, ""),
        ({"benchmarks.crows.licence": "CC BY-SA 4.0"}, {"report/sections/provenance.json"}, ""),
        (
            {"measures": ["SSS", "CPS", "AULA", "AUL"], "statistics.chance.seed": 7},
            {"statistics/bert/crows/bias.parquet", "comparisons/crows.parquet", "tables/table5.csv"},
            r"(scores|statistics|comparisons|explorer)/.*",
        ),
    ],
    ids=lambda value: ", ".join(value) if isinstance(value, dict) else "",
)
def test_a_setting_makes_again_what_depends_on_it(
    finished: Workflow, settings: dict[str, Any], made: set[str], pattern: str | None
) -> None:
    """made: some of it. pattern: of all of it but tables, figures and report; None where nothing is made."""
    if "models.albert" in settings:
        settings = {"models.albert": random_model("albert", finished.folder, embedding_size=8)}
    if pattern is None:
        settings = settings | {"benchmarks.crows.sha256": sha256_of_file(finished.folder / "crows.csv")}
    planned = finished.planned(with_settings(finished, settings))
    assert (planned == set()) == (pattern is None)
    assert made <= planned and (pattern is None or "report/index.html" in planned)
    assert [output for output in measured(planned) if not re.fullmatch(pattern or "", output)] == []


def edit(workflow: Workflow, module: str, text: str = "EDITED = True") -> None:
    path = workflow.folder / "scripts/unmask" / module
    path.write_text(f"{path.read_text()}\n{text}\n")


def replace(path: Path, change: Callable[[bytes], bytes]) -> None:
    """Put other content in a file's place as `cp -p` and `tar x` do: with an older date."""
    content = path.read_bytes()
    changed = change(content)
    assert changed != content
    date = path.stat().st_mtime_ns - 10**12
    path.write_bytes(changed)
    os.utime(path, ns=(date, date))


def test_words_dates_versions_and_plumbing_change_nothing(copied: Workflow) -> None:
    library = copied.folder / "scripts/unmask"
    for module in ("evidence/engine.py", "measures/formulas.py", "tables.py"):
        path = library / module
        assert path.read_text().count('    """') > 0
        text = path.read_text().replace('    """', '    """Differently said. ', 1)
        path.write_text(f"# a remark\n{text}")
    (library / "VERSION").write_text("99.0\n")
    for module in PLUMBING:
        edit(copied, module.removeprefix("unmask/"))
    given = [copied.folder / "crows.csv", copied.folder / "resources/pairs/captions.yaml"]
    # as in a fresh checkout
    for path in (*library.rglob("*.py"), *given, *(copied.folder / "bert-tokenizer").iterdir()):
        os.utime(path)
    assert copied.planned() == set()
    again = copied.snakemake()
    assert again.returncode == 0 and "Nothing to be done" in again.stdout + again.stderr


@pytest.mark.parametrize(
    ("module", "made", "never"),
    [
        (
            "measures/formulas.py",
            {
                "scores/roberta/stereo/shuffled.parquet",
                "statistics/bert/crows/bias.parquet",
                "tables/table5.csv",
            },
            ("evidence/", "models/", "benchmarks/"),
        ),
        ("evidence/engine.py", {"evidence/bert/crows/digests.json"}, ("models/", "benchmarks/")),
        (
            "benchmarks/reading.py",
            {"benchmarks/stereo.parquet", "evidence/bert/stereo/digests.json"},
            ("models/",),
        ),
    ],
)
def test_code_makes_again_what_it_makes(
    copied: Workflow, module: str, made: set[str], never: tuple[str, ...]
) -> None:
    edit(copied, module)
    planned = copied.planned()
    assert made <= planned and not [output for output in planned if output.startswith(never)]


def test_an_older_benchmark_in_its_place_is_another_one(copied: Workflow) -> None:
    replace(copied.folder / "crows.csv", lambda content: content.replace(b"nurse", b"baker"))
    planned = copied.planned()
    made = {
        "benchmarks/crows.parquet",
        *(f"evidence/{model}/crows/digests.json" for model in ("bert", "roberta")),
    }
    assert {*made, "tables/table5.csv", "report/index.html"} <= planned
    assert not [output for output in planned if "/stereo/" in output]


def test_an_older_tokenizer_and_older_captions_are_others(copied: Workflow) -> None:
    replace(copied.folder / "bert-tokenizer/tokenizer.json", lambda content: content + b"\n")
    replace(copied.folder / "resources/pairs/captions.yaml", lambda content: content + b"\n# other words\n")
    planned = copied.planned()
    assert {"models/bert/facts.json", "evidence/bert/crows/digests.json", "tables/table5.csv"} <= planned
    assert not [output for output in planned if "/roberta/" in output]


def test_without_its_evidence_a_study_is_finished_and_what_is_added_is_scored_alone(copied: Workflow) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "unmask.command.main", "clean", "results/small", "--yes"],
        cwd=copied.folder,
        env={**os.environ, "PYTHONPATH": "scripts"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and not (copied.folder / "results/small/evidence").exists(), done.stderr
    assert copied.planned() == set()
    copied.config["models"]["albert"] = random_model("albert", copied.folder, embedding_size=8)
    copied.config["benchmarks"]["more"] = MORE
    own = {output for output in measured(copied.planned()) if not output.startswith("comparisons/")}
    assert {"evidence/albert/crows/digests.json", "evidence/bert/more/digests.json"} <= own
    assert all("/albert/" in output or "/more" in output for output in own)


@pytest.mark.thorough
def test_models_come_and_go_and_leave_the_others_untouched(copied: Workflow) -> None:
    evidence = copied.folder / "results/small/evidence/bert/crows/original/none.parquet"
    before, table = evidence.stat().st_mtime_ns, copied.folder / "results/small/tables/table5.csv"
    copied.config["models"]["albert"] = random_model("albert", copied.folder, embedding_size=8)
    copied.run()
    assert evidence.stat().st_mtime_ns == before and copied.planned() == set()
    assert set(pd.read_csv(table)["model"]) == {"bert", "roberta", "albert"}
    del copied.config["models"]["roberta"]
    planned = copied.planned()
    assert planned and all(output.startswith("comparisons/") for output in measured(planned))
    copied.run()
    assert set(pd.read_csv(table)["model"]) == {"bert", "albert"}
    assert "roberta" not in copied.read("report", "index.html")


def read_last(workflow: Workflow, variant: str = "original") -> set[str]:
    """The maskings under which the last job of a model and a benchmark has read sentences of a variant."""
    log = workflow.read("logs", "evidence", "bert", "crows.log")
    return set(re.findall(rf"{variant}, masking ([\w-]+), shards", log))


@pytest.mark.thorough
def test_evidence_is_made_again_by_variant_and_masking(copied: Workflow) -> None:
    folder = copied.folder / "results/small/evidence/bert/crows/original"
    shuffled = folder.parent / "shuffled/none.parquet"
    assert read_last(copied) == {"none", "one-shared", "modified"}
    assert read_last(copied, "shuffled") == {"none"}
    before = {path.name: path.read_bytes() for path in folder.glob("*.parquet")}

    def read_now(*targets: str) -> tuple[set[str], set[str]]:
        done = copied.snakemake(*(targets or (SCORES, SCORES.replace("original", "shuffled"))))
        assert done.returncode == 0, done.stdout + done.stderr
        return read_last(copied), read_last(copied, "shuffled")

    # a measure that hides something new
    copied.config["measures"] = [*copied.config["measures"], "AllMasked"]
    assert read_now() == ({"all"}, set())
    # one table that is gone, and its list
    (folder / "none.parquet").unlink()
    (folder.parent / "digests.json").unlink()
    assert read_now("results/small/evidence/bert/crows/digests.json") == ({"none"}, set())
    # a measure less
    copied.config["measures"] = copied.config["measures"][:-1]
    assert read_now() == (set(), set())
    # another control, none, and one again that is there
    was = shuffled.read_bytes()
    copied.config["controls"] = {"shuffled": {"seed": 5}}
    assert read_now() == (set(), {"none"}) and shuffled.read_bytes() != was
    copied.config["controls"] = {"shuffled": None}
    assert read_now(SCORES) == (set(), set())
    copied.config["controls"] = {"shuffled": {"seed": 5}}
    assert read_now() == (set(), set())
    assert {name: (folder / name).read_bytes() for name in before} == before
    assert "Nothing to be done" in copied.snakemake(SCORES).stderr


@pytest.mark.thorough
def test_weights_of_the_same_size_in_their_place_are_another_model(copied: Workflow) -> None:
    results = copied.folder / "results/small"
    shutil.copytree(results / "models/bert/files", copied.folder / "own")
    copied.config["models"] = {"own": {"source": "path", "path": "own"}}
    copied.config["measures"] = ["AUL"]
    manifest, scores = "models/own/manifest.json", SCORES.replace("bert", "own")
    for target in (f"results/small/{manifest}", scores):
        done = copied.snakemake(target)
        assert done.returncode == 0, done.stdout + done.stderr
    described = json.loads((results / manifest).read_text())

    weights = copied.folder / "own/model.safetensors"
    replace(weights, lambda content: content[:-4] + bytes([content[-4] ^ 1]) + content[-3:])
    # with one measure more, the evidence that is there is made anew too
    copied.config["measures"] = ["AUL", "SSS"]
    assert {manifest, "evidence/own/crows/digests.json"} <= copied.planned()
    done = copied.snakemake(scores)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads((results / manifest).read_text())["weights_digest"] != described["weights_digest"]
    log = copied.read("logs", "evidence", "own", "crows.log")
    assert set(re.findall(r"original, masking ([\w-]+), shards", log)) == {"none", "modified"}
    # another file beside them is none of its own
    (copied.folder / "own/README.md").write_text("A model.\n")
    assert manifest not in copied.planned()

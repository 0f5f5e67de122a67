"""Used by others, as a module of another workflow."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from small_study import Workflow, errors, small_study, write_crows_pairs
from tiny_models import tiny_model
from workflow_copy import ROOT, copy_workflow, docs_section

PAGE = docs_section("running.md", "As a module of your own workflow")
MODULE = """
module {name}:
    snakefile:
        {snakefile}
    config:
        {config}


use rule * from {name} as {name}_*
"""


def project(folder: Path, snakefile: str, config: dict[str, Any]) -> Path:
    """Another workflow in a folder."""
    (folder / "workflow").mkdir(parents=True)
    (folder / "config").mkdir()
    (folder / "workflow/Snakefile").write_text(snakefile)
    (folder / "config/config.yaml").write_text(yaml.safe_dump(config))
    return folder


def block(language: str) -> str:
    """The first example of the page that is in a language."""
    return str(re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)[0])


@pytest.mark.thorough
def test_the_example_of_the_page_runs_as_one_workflow(tmp_path: Path) -> None:
    checkout = copy_workflow(tmp_path / "unmask")
    folder = project(
        tmp_path / "project",
        block("python").replace("/path/to/unmask", str(checkout)),
        yaml.safe_load(block("yaml")),
    )
    (folder / "models").mkdir()
    (folder / "data").mkdir()
    tiny_model("bert", folder / "models/my-bert")
    write_crows_pairs(folder / "data/crows_pairs.csv")
    done = Workflow(folder).command()
    assert done.returncode == 0, done.stdout + done.stderr
    results = folder / "results/mine"
    answer = (results / "report/summary.txt").read_text().splitlines()
    assert (folder / "answer.txt").read_text().splitlines() == answer[:3]
    assert {"SHA256SUMS", "settings.json"} <= {path.name for path in results.iterdir()}
    again = Workflow(folder).command("--dry-run")
    assert "Nothing to be done" in again.stdout, again.stdout


def test_studies_of_two_modules_are_planned_side_by_side(tmp_path: Path) -> None:
    # the Snakefile at the top is no other
    snakefile = repr(str(ROOT / "Snakefile"))
    modules = [
        MODULE.format(name=name, snakefile=snakefile, config=f'config["{name}"]') for name in ("one", "two")
    ]
    folder = project(tmp_path / "project", 'configfile: "config/config.yaml"\n' + "\n".join(modules), {})
    study = small_study(folder)
    config = {"one": study | {"study": "first"}, "two": study | {"study": "second", "measures": ["CPS"]}}
    (folder / "config/config.yaml").write_text(yaml.safe_dump(config))
    done = Workflow(folder).command("-n", "one_all", "two_all")
    assert done.returncode == 0, done.stdout + done.stderr
    for name in ("one", "two"):
        assert re.search(rf"^{name}_measure_pairs +4$", done.stdout, re.MULTILINE), done.stdout
    for study_name in ("first", "second"):
        assert f"results/{study_name}/report/index.html" in done.stdout


def test_what_a_module_may_not_be_given_is_refused_in_a_line(tmp_path: Path) -> None:
    text = MODULE.format(name="unmask", snakefile=repr(str(ROOT / "Snakefile")), config="config")
    text = text.replace("\n\n\nuse", "\n    replace_prefix:\n        {'results/': 'x/'}\n\n\nuse")
    folder = project(tmp_path / "project", 'configfile: "config/config.yaml"\n' + text, {})
    (folder / "config/config.yaml").write_text(yaml.safe_dump(small_study(folder)))
    done = Workflow(folder).command("-n")
    (error,) = errors(done)
    assert done.returncode == 1 and "as a module takes no `prefix`" in error

"""An installed wheel has all of the workflow: `unmask` scores a model where there is no checkout."""

import json
import os
import re
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest
import yaml

from small_study import Done, Workflow, write_crows_pairs
from tiny_models import tiny_model, tiny_tokenizer
from workflow_copy import ROOT


def test_the_minimal_study_of_the_docs_is_a_whole_one(fresh: Workflow) -> None:
    page = (ROOT / "docs/start.md").read_text()
    (block,) = re.findall(r"```yaml\n(study: mine\n.*?)```", page, re.DOTALL)
    printed = fresh.run("-n", "--quiet", "rules", config=yaml.safe_load(block))
    assert [rule for rule in ("fetch_benchmark", "fetch_model", "present_pairs") if rule not in printed] == []


def test_the_untrained_model_of_the_docs_is_made(fresh: Workflow) -> None:
    (block,) = re.findall(
        r"```yaml\n(study: untrained\n.*?)```", (ROOT / "docs/adding.md").read_text(), re.DOTALL
    )
    study = yaml.safe_load(block)
    ((name, entry),) = study["models"].items()
    tiny_tokenizer("bert").save_pretrained(fresh.folder / entry["tokenizer"])
    assert "present_pairs" in fresh.run("-n", "--quiet", "rules", config=study)
    manifest = f"results/untrained/models/{name}/manifest.json"
    fresh.run(manifest, config=study)
    made = json.loads((fresh.folder / manifest).read_text())
    assert made["model_type"] == "bert" and made["entry"]["seed"] == 1
    assert made["vocab_size"] == len(tiny_tokenizer("bert"))


@pytest.mark.thorough
def test_a_wheel_scores_a_model_outside_the_checkout(tmp_path: Path) -> None:
    pip = ["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir"]
    subprocess.run([sys.executable, *pip, tmp_path, ROOT], check=True, cwd=tmp_path)
    (wheel,) = tmp_path.glob("unmask-*.whl")
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env/bin/python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", wheel], check=True)
    # what Unmask needs is what the tests have; the checkout is not there, as its .pth file is not followed
    (packages,) = (tmp_path / "env/lib").glob("python*/site-packages")
    (packages / "needed.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    there = tmp_path / "elsewhere"
    there.mkdir()
    tiny_model("bert", there / "bert")
    write_crows_pairs(there / "crows.csv")
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}

    def run(*call: str | Path) -> Done:
        """What an installed program does where there is no checkout."""
        return subprocess.run(call, cwd=there, env=environment, capture_output=True, text=True, timeout=600)

    unmask = tmp_path / "env/bin/unmask"
    score = ("score", "bert", "--benchmark", "crows.csv", "--measures", "AUL", "--json")
    done = run(unmask, *score)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert [(row["model"], row["benchmark"], row["measure"]) for row in answer["scores"]] == [
        ("bert", "crows", "AUL")
    ]
    assert (there / answer["page"]).is_file() and str(ROOT) not in done.stderr
    where = run(python, "-c", "import unmask; print(unmask.__file__)").stdout
    assert where.startswith(str(packages))
    # what is there is not made anew, and can be run and verified
    again = run(unmask, *score)
    assert json.loads(again.stdout) == answer and " done: " not in again.stderr
    assert run(unmask, "verify", "results/bert").returncode == 0

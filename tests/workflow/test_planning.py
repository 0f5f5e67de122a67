"""Planning is quick: it loads nothing that only jobs need, and a finished study plans nothing."""

import dataclasses
import os
import re
import subprocess
import sys

import pytest

from small_study import Workflow
from workflow_copy import ROOT

FOR_JOBS = {"torch", "transformers", "huggingface_hub", "scipy", "altair", "vl_convert", "statsmodels"}
FOR_TABLES = {"pandas", "pyarrow", "numpy"}


def test_the_rules_import_nothing_that_only_jobs_need() -> None:
    files = [ROOT / "Snakefile", *sorted((ROOT / "rules").rglob("*.smk"))]
    lines = [line for file in files for line in file.read_text().splitlines()]
    imports = [line for line in lines if re.match(r"(import|from) (?!snakemake)", line)]
    code = "\n".join([*imports, "import sys", "print(*sys.modules)"])
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "scripts")}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.split())
    assert "unmask.measures.formulas" in loaded
    assert not (FOR_JOBS | FOR_TABLES) & loaded


def test_a_run_with_nothing_to_do_loads_none_of_it(
    finished: Workflow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPROFILEIMPORTTIME", "1")
    done = dataclasses.replace(finished, python=sys.executable).snakemake()
    assert "Nothing to be done" in done.stdout + done.stderr
    loaded = {line.split("|")[-1].strip() for line in done.stderr.splitlines() if "import time:" in line}
    assert "unmask.study" in loaded
    # a plugin for a cluster may load pandas, but no table is read
    assert not (FOR_JOBS | {"pyarrow.parquet"}) & loaded

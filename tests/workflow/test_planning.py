"""Planning is quick: it loads nothing that only jobs need, and a finished study plans nothing."""

import dataclasses
import sys

import pytest

from small_study import Workflow

FOR_JOBS = {"torch", "transformers", "huggingface_hub", "scipy", "altair", "vl_convert"}


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

"""A study of a masked and a causal language model, from its configuration to its page."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from small_study import Workflow, random_model, write_crows_pairs
from tiny_models import tiny_decoder
from workflow_copy import copy_workflow


@pytest.mark.thorough
def test_both_kinds_are_read_compared_and_shown(tmp_path: Path) -> None:
    folder = copy_workflow(tmp_path / "unmask")
    write_crows_pairs(folder / "pairs.csv", times=2)
    decoder = tiny_decoder("gpt2", tmp_path / "decoder")
    models: dict[str, Any] = {
        "masked": random_model("bert", folder),
        "decoder": {"source": "path", "path": str(decoder)},
        "unstarted": {"source": "path", "path": str(decoder), "start": "none"},
    }
    config = {
        "study": "small",
        "models": models,
        "benchmarks": {"crows": {"format": "crows-pairs", "path": "pairs.csv"}},
        "measures": ["CPS", "AUL", "CCPS", "LL", "CSSS"],
        "headline": "LL",
        "statistics": {"chance": {"draws": 100}},
    }
    study = Workflow(folder, config)
    study.run()

    def table(name: str) -> pd.DataFrame:
        return pd.read_csv(folder / "results/small/tables" / f"{name}.csv")

    compared = table("compared").query("kind == 'models'")
    # models without a measure in common are not compared
    assert set(zip(compared["first"], compared["second"], strict=True)) == {("decoder", "unstarted")}

    bias = table("bias")
    shuffled = bias[bias["variant"] == "shuffled"]
    measured = set(zip(shuffled["model"], shuffled["measure"], strict=True))
    assert measured == {("masked", "AUL"), ("decoder", "LL"), ("unstarted", "LL")}
    tests = table("tests")
    assert {"LL original", "AUL original"} <= set(tests["first"])

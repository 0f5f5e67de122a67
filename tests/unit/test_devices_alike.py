"""A GPU gives the scores of the CPU."""

from pathlib import Path

import pytest
import torch

from examples import example_pairs
from library import ORIGINAL, collect_evidence, load, pick_device
from tiny_models import tiny_model


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_gpu_gives_the_cpus_scores(tmp_path: Path) -> None:
    directory = tiny_model("bert", tmp_path)
    pairs = example_pairs()
    one, other = (
        collect_evidence(pairs, load(directory, pick_device(name), True), "none", ORIGINAL)
        for name in ("cpu", "cuda")
    )
    assert (one["log_prob"] - other["log_prob"]).abs().max() < 1e-4

"""Models with noise in their weights: as much as asked for, the same for the same seed, ties kept."""

from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModelForMaskedLM

from tiny_models import tiny_model
from unmask.models.kinds.masked_lm import check, describe
from unmask.models.random_weights import perturb


def weights(directory: Path) -> dict[str, torch.Tensor]:
    model = AutoModelForMaskedLM.from_pretrained(directory)
    return {name: tensor.detach() for name, tensor in model.named_parameters()}


@pytest.mark.parametrize("architecture", ["bert", "roberta", "albert"])
def test_the_noise_is_as_large_as_asked_for(tmp_path: Path, architecture: str) -> None:
    base = tiny_model(architecture, tmp_path / "base")
    facts = perturb(base, tmp_path / "noisy", 0.1, seed=3)
    before, after = weights(base), weights(tmp_path / "noisy")
    assert before.keys() == after.keys()
    for name, tensor in before.items():
        old, new = tensor.numpy().astype(float), after[name].numpy().astype(float)
        if old.std() == 0:
            assert (old == new).all(), name
        elif old.size > 200:
            # so many normal numbers have a standard deviation within a fifth of theirs
            assert np.std(new - old) == pytest.approx(0.1 * np.std(old), rel=0.2), name
            assert abs(np.mean(new - old)) < 0.1 * np.std(old) * 5 / np.sqrt(old.size), name
    assert facts["scale"] == 0.1 and facts["seed"] == 3
    assert facts["parameters"] == sum(tensor.numel() for tensor in before.values())
    # it is a model like any other, with its tokenizer
    check(tmp_path / "noisy", "noisy")
    one, other = describe(base), describe(tmp_path / "noisy")
    assert one["tokenizer_digest"] == other["tokenizer_digest"]
    assert one["weights_digest"] != other["weights_digest"]


def test_the_same_seed_gives_the_same_weights_and_another_others(tmp_path: Path) -> None:
    base = tiny_model("bert", tmp_path / "base")
    for name, seed in (("one", 1), ("same", 1), ("other", 2)):
        perturb(base, tmp_path / name, 0.5, seed)
    one, same, other = (
        (tmp_path / name / "model.safetensors").read_bytes() for name in ("one", "same", "other")
    )
    assert one == same != other

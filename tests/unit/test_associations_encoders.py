"""Encoders of model directories say what plain networks say, that of the engine too."""

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from transformers import AutoModel, AutoTokenizer

from tiny_models import tiny_model
from unmask.associations.embedding import KINDS, Encoder, embed, load_encoder
from unmask.errors import InputError
from unmask.models.devices import pick_device

TEXTS = ["This is a nurse.", "the engineers like it very much", "a doctor"]
SPANS = [(10, 15), (4, 13), (2, 8)]
POOLINGS = ("cls", "mean", "word")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("architecture", ["bert", "albert", "roberta", "bart", "modernbert"])
def test_both_kinds_embed_as_the_plain_network_does(architecture: str, kind: str, tmp_path: Path) -> None:
    directory = tiny_model(architecture, tmp_path)
    device = pick_device("cpu")
    loaded = embed(load_encoder(directory, kind, device, None), TEXTS, SPANS, POOLINGS)
    network = AutoModel.from_pretrained(directory).eval()
    plain = embed(Encoder(network, AutoTokenizer.from_pretrained(directory), device), TEXTS, SPANS, POOLINGS)
    for pooling in POOLINGS:
        assert np.abs(plain[pooling]).max() > 0.1
        np.testing.assert_allclose(loaded[pooling], plain[pooling], atol=2e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_a_projection_beside_the_weights_is_applied(kind: str, tmp_path: Path) -> None:
    directory, device = tiny_model("bert", tmp_path), pick_device("cpu")
    plain = embed(load_encoder(directory, kind, device, None), TEXTS, SPANS, POOLINGS)
    width = plain["cls"].shape[1]
    projection = torch.randn(width, width, generator=torch.Generator().manual_seed(0))
    save_file({"projection": projection}, directory / "projection.safetensors")
    projected = embed(load_encoder(directory, kind, device, None), TEXTS, SPANS, POOLINGS)
    for pooling in POOLINGS:
        expected = np.stack([projection.numpy() @ vector for vector in plain[pooling]])
        np.testing.assert_allclose(projected[pooling], expected, atol=1e-4)
        assert np.abs(projected[pooling] - plain[pooling]).max() > 0.1
    save_file({"projection": projection[:3]}, directory / "projection.safetensors")
    with pytest.raises(InputError, match=r"projection of \(3, "):
        load_encoder(directory, kind, device, None)


def test_longer_texts_than_the_model_takes_are_refused(tmp_path: Path) -> None:
    encoder = load_encoder(tiny_model("bert", tmp_path), "masked-lm", pick_device("cpu"), 5)
    with pytest.raises(InputError, match=r"'This is a nurse\.': \d+ tokens, the model takes 5"):
        embed(encoder, TEXTS, SPANS, POOLINGS)

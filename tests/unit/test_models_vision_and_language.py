"""Encoders of text with pictures pass where they can be read, others are refused in one line."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import VisualBertModel

from running import about_model, run_script
from tiny_models import tiny_model, tiny_tokenizer
from tiny_seeing import tiny_seeing
from unmask.errors import InputError
from unmask.models.kinds.vision_and_language import check, describe


def refused(directory: Path, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        check(directory, "tiny")
    assert str(caught.value).startswith("model tiny: ")
    assert "\n" not in str(caught.value)


def test_encoders_pass_and_have_a_manifest(tmp_path: Path) -> None:
    directory = tiny_seeing(tmp_path)
    check(directory, "tiny")
    manifest = describe(directory)
    assert manifest["max_length"] == 128
    assert manifest["model_type"] == "visual_bert"
    assert manifest["tokenizer_size"] == len(tiny_tokenizer("bert"))
    weights = load_file(directory / "model.safetensors")
    assert manifest["parameters"] == sum(tensor.numel() for tensor in weights.values())
    json.dumps(manifest)


def test_the_workflow_makes_a_manifest(tmp_path: Path) -> None:
    directory = tiny_seeing(tmp_path / "model")
    run_script(
        "prepare_model",
        [],
        [tmp_path / "manifest.json"],
        tmp_path / "log",
        manifest=about_model(directory, kind="vision-and-language"),
    )
    assert json.loads((tmp_path / "manifest.json").read_text())["model_type"] == "visual_bert"


def test_a_text_encoder_sees_nothing(tmp_path: Path) -> None:
    refused(
        tiny_model("bert", tmp_path),
        "no encoder of text with pictures of type bert: known is visual_bert$",
    )


def test_regions_that_bypass_the_transformer(tmp_path: Path) -> None:
    directory = tiny_seeing(tmp_path, bypass_transformer=True)
    refused(directory, r"reads no text with a picture: transformers \S+ cannot run VisualBERT with bypass_tr")
    # once transformers runs them there is nothing to refuse
    network = VisualBertModel.from_pretrained(directory)
    with pytest.raises(IndexError):
        network(input_ids=torch.ones(1, 6, dtype=torch.long), visual_embeds=torch.ones(1, 3, 12))


def test_numbers_that_are_not_finite(tmp_path: Path) -> None:
    directory = tiny_seeing(tmp_path)
    weights = load_file(directory / "model.safetensors")
    name = "embeddings.visual_projection.weight"
    save_file(
        weights | {name: torch.full_like(weights[name], 3e38)},
        directory / "model.safetensors",
        metadata={"format": "pt"},
    )
    refused(directory, "with its config.json it gives numbers that are not finite")

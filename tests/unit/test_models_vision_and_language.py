"""Encoders of text with pictures pass where they can be read, others are refused in one line."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import BlipConfig, BlipForConditionalGeneration, CLIPConfig, CLIPModel, VisualBertModel

from running import about_model, run_script
from tiny_models import tiny_model, tiny_tokenizer
from tiny_seeing import SEEING, tiny_seeing
from unmask.errors import InputError
from unmask.models.kinds.vision_and_language import check, describe


def edit(directory: Path, name: str, **settings: Any) -> None:
    content = json.loads((directory / name).read_text())
    (directory / name).write_text(json.dumps(content | settings))


def refused(directory: Path, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        check(directory, "tiny")
    assert str(caught.value).startswith("model tiny: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("architecture", SEEING)
def test_encoders_pass_and_the_manifest_says_what_they_see(architecture: str, tmp_path: Path) -> None:
    directory = tiny_seeing(architecture, tmp_path)
    check(directory, "tiny")
    manifest = describe(directory)
    pixels = architecture in ("vilt", "flava", "blip")
    assert manifest["sees"] == ("pixels" if pixels else "regions")
    assert manifest["max_length"] == 128
    assert manifest["model_type"] == architecture
    assert manifest["tokenizer_size"] == len(tiny_tokenizer("bert"))
    assert ("preprocessor_config.json" in manifest["files"]) == pixels
    weights = load_file(directory / "model.safetensors")
    assert manifest["parameters"] == sum(tensor.numel() for tensor in weights.values())
    json.dumps(manifest)


def test_another_image_processor_is_another_model(tmp_path: Path) -> None:
    directory = tiny_seeing("vilt", tmp_path)
    before = describe(directory)
    edit(directory, "preprocessor_config.json", image_mean=[0.4, 0.5, 0.5])
    after = describe(directory)
    assert before["weights_digest"] != after["weights_digest"]
    assert before["tokenizer_digest"] == after["tokenizer_digest"]


def test_the_workflow_makes_a_manifest(tmp_path: Path) -> None:
    directory = tiny_seeing("visual_bert", tmp_path / "model")
    run_script(
        "prepare_model",
        [],
        [tmp_path / "manifest.json"],
        tmp_path / "log",
        manifest=about_model(directory, kind="vision-and-language"),
    )
    assert json.loads((tmp_path / "manifest.json").read_text())["sees"] == "regions"


def test_clip_is_not_grounded(tmp_path: Path) -> None:
    tower = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    config = CLIPConfig(text_config=tower, vision_config={**tower, "image_size": 16, "patch_size": 8})
    CLIPModel(config).save_pretrained(tmp_path)
    tiny_tokenizer("bert").save_pretrained(tmp_path)
    refused(tmp_path, "its text is not grounded: clip reads text and picture apart")


def test_a_text_encoder_sees_nothing(tmp_path: Path) -> None:
    refused(
        tiny_model("bert", tmp_path),
        "no encoder of text with pictures of type bert: known are blip, flava, lxmert, vilt, visual_bert$",
    )


def test_a_blip_that_writes_captions_has_no_text_encoder(tmp_path: Path) -> None:
    directory = tiny_seeing("blip", tmp_path)
    BlipForConditionalGeneration(BlipConfig.from_pretrained(directory)).save_pretrained(directory)
    refused(directory, "the checkpoint lacks weights of the encoder of text with pictures")


def test_pixels_need_an_image_processor(tmp_path: Path) -> None:
    directory = tiny_seeing("flava", tmp_path)
    (directory / "preprocessor_config.json").unlink()
    refused(directory, "it sees pixels, but none of preprocessor_config.json, processor_config.json says how")
    (directory / "preprocessor_config.json").write_text("{}{")
    refused(directory, "its image processor cannot be loaded")


def test_pictures_that_do_not_fit_the_network(tmp_path: Path) -> None:
    directory = tiny_seeing("blip", tmp_path)
    edit(directory, "preprocessor_config.json", size={"height": 24, "width": 24})
    refused(
        directory, "reads no text with a picture: pictures of 24 × 24 pixels, and the network takes 32 × 32"
    )


def test_regions_that_bypass_the_transformer(tmp_path: Path) -> None:
    directory = tiny_seeing("visual_bert", tmp_path, bypass_transformer=True)
    refused(directory, r"reads no text with a picture: transformers \S+ cannot run VisualBERT with bypass_tr")
    # once transformers runs them there is nothing to refuse
    network = VisualBertModel.from_pretrained(directory)
    with pytest.raises(IndexError):
        network(input_ids=torch.ones(1, 6, dtype=torch.long), visual_embeds=torch.ones(1, 3, 12))


def test_numbers_that_are_not_finite(tmp_path: Path) -> None:
    directory = tiny_seeing("visual_bert", tmp_path)
    weights = load_file(directory / "model.safetensors")
    name = "embeddings.visual_projection.weight"
    save_file(
        weights | {name: torch.full_like(weights[name], 3e38)},
        directory / "model.safetensors",
        metadata={"format": "pt"},
    )
    refused(directory, "with its config.json it gives numbers that are not finite")

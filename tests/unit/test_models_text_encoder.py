"""Text encoders fit for embedding pass, others are refused in one line."""

import json
from pathlib import Path

import pytest
from safetensors.torch import load_file, save_file
from transformers import AutoModel, ViTConfig, ViTModel

from tiny_models import ARCHITECTURES, tiny_model
from unmask.errors import InputError
from unmask.models.kinds.text_encoder import check, describe


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A masked language model, which has no pooler."""
    return tiny_model("bert", tmp_path_factory.mktemp("bert") / "model")


def refused(directory: Path, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        check(directory, "tiny")
    assert str(caught.value).startswith("model tiny: ")
    assert "\n" not in str(caught.value)


def copied(directory: Path, folder: Path) -> Path:
    folder.mkdir()
    for path in directory.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_encoders_of_masked_language_models_pass(architecture: str, tmp_path: Path) -> None:
    check(tiny_model(architecture, tmp_path), "tiny")


def test_the_manifest(bert: Path) -> None:
    manifest = describe(bert)
    assert manifest["parameters"] == AutoModel.from_pretrained(bert).num_parameters()
    assert manifest["model_type"] == "bert" and manifest["max_length"]
    json.dumps(manifest)


def test_a_missing_weight_is_named_and_a_poolers_is_not(bert: Path, tmp_path: Path) -> None:
    folder = copied(bert, tmp_path / "model")
    weights = load_file(folder / "model.safetensors")
    assert not [name for name in weights if "pooler" in name]
    name = next(name for name in weights if name.endswith("layer.1.output.dense.weight"))
    del weights[name]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    refused(folder, r"lacks weights of the text encoder.*layer\.1\.output\.dense\.weight")


def test_a_model_that_reads_no_text_is_refused(bert: Path, tmp_path: Path) -> None:
    config = ViTConfig(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16)
    ViTModel(config).save_pretrained(tmp_path / "vit")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (tmp_path / "vit" / name).write_bytes((bert / name).read_bytes())
    refused(tmp_path / "vit", "makes no hidden states of a text alone")

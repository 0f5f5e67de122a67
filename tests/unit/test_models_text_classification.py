"""Text classifiers fit for predicting pass, others are refused in one line; manifests say their labels."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from transformers import AutoConfig, AutoModelForSequenceClassification, BertModel

from running import about_model, run_script
from tiny_models import ARCHITECTURES, tiny_classifier, tiny_model, tiny_tokenizer
from unmask.errors import InputError
from unmask.models.kinds.text_classification import check, describe


def edit(directory: Path, name: str, **settings: Any) -> None:
    content = json.loads((directory / name).read_text())
    (directory / name).write_text(json.dumps(content | settings))


def refused(directory: Path, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        check(directory, "tiny")
    assert str(caught.value).startswith("model tiny: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_classifiers_pass(architecture: str, tmp_path: Path) -> None:
    check(tiny_classifier(architecture, tmp_path), "tiny")


def test_the_manifest(tmp_path: Path) -> None:
    directory = tiny_classifier("roberta", tmp_path, labels=("hate", "no hate", "unclear"))
    manifest = describe(directory)
    model = AutoModelForSequenceClassification.from_pretrained(directory)
    assert manifest["labels"] == ["hate", "no hate", "unclear"]
    assert manifest["architectures"] == ["RobertaForSequenceClassification"]
    assert manifest["parameters"] == model.num_parameters()
    assert manifest["max_length"] == 128
    assert set(manifest["files"]) == {
        "config.json",
        "model.safetensors",
        "tokenizer.json",
        "tokenizer_config.json",
    }
    json.dumps(manifest)


def test_labels_stand_by_their_numbers_and_not_by_the_file(tmp_path: Path) -> None:
    directory = tiny_classifier("bert", tmp_path)
    edit(directory, "config.json", id2label={"1": "good", "0": "bad"})
    assert describe(directory)["labels"] == ["bad", "good"]


def test_the_workflow_makes_a_manifest(tmp_path: Path) -> None:
    directory = tiny_classifier("bert", tmp_path / "model")
    run_script(
        "prepare_model",
        [],
        [tmp_path / "manifest.json"],
        tmp_path / "log",
        manifest=about_model(directory, kind="text-classification"),
    )
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["labels"] == ["bad", "good"]
    assert manifest["entry"]["kind"] == "text-classification"


@pytest.mark.parametrize(("architecture", "weight"), [("bert", r"bert\.pooler"), ("roberta", "classifier")])
def test_a_head_that_was_never_trained_is_refused(architecture: str, weight: str, tmp_path: Path) -> None:
    directory = tiny_model(architecture, tmp_path)
    refused(directory, f"lacks weights of the text classifier, which would be drawn at random .*{weight}")


def test_a_body_without_a_head_is_refused(tmp_path: Path) -> None:
    directory = tiny_classifier("bert", tmp_path)
    BertModel(AutoConfig.from_pretrained(directory)).save_pretrained(directory)
    refused(directory, r"drawn at random \(classifier\.bias, classifier\.weight\)")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"id2label": {"0": "score"}}, "1 labels in its config.json"),
        ({"problem_type": "regression"}, "problem_type regression"),
        ({"problem_type": "multi_label_classification"}, "problem_type multi_label_classification"),
        ({"id2label": {"0": "bad", "1": "bad"}}, "two labels .* are called 'bad'"),
        ({"id2label": {"0": "bad", "1": " bad"}}, "look alike"),
        ({"id2label": {"0": "bad", "1": " "}}, "label 1 in its config.json .* has no name"),
        ({"id2label": {"0": "bad", "1": "good\x1b[2J"}}, "control character"),
        ({"id2label": {"0": "bad", "2": "good"}}, "not numbered from 0 without gaps"),
        ({"id2label": {"0": "bad", "1": "good", "2": "so-so"}}, "weights of another shape"),
    ],
)
def test_odd_labels_are_refused(settings: dict[str, Any], message: str, tmp_path: Path) -> None:
    directory = tiny_classifier("bert", tmp_path)
    edit(directory, "config.json", **settings)
    refused(directory, message)


def test_an_architecture_without_a_head_for_texts_is_refused(tmp_path: Path) -> None:
    AutoConfig.for_model("vit").save_pretrained(tmp_path)
    tiny_tokenizer("bert").save_pretrained(tmp_path)
    save_file({"a": torch.zeros(1)}, tmp_path / "model.safetensors")
    refused(tmp_path, "no text classifier of type vit: only such models predict labels of texts")

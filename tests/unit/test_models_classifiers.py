"""Classifiers: their logits against each text by itself, and the model after fine-tuning, whose encoder has
the head for masked words that it had before."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from transformers import (
    AutoModelForMaskedLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    PreTrainedModel,
)

from library import InputError, check_model, make_classifier, pick_device, predict_logits, restore
from library import models_tokenise as tokenise
from tiny_models import WORDS, tiny_classifier, tiny_model

rng = np.random.default_rng(0)
TEXTS = [" ".join(rng.choice(WORDS, size=size)) for size in rng.integers(1, 30, size=60)]
TEXTS += TEXTS[:5]
SECONDS = [" ".join(rng.choice(WORDS, size=size)) for size in rng.integers(1, 30, size=60)] + ["x", "y"]
SECONDS += SECONDS[:3]
MOST = 24


def loaded(architecture: str, folder: Path) -> tuple[PreTrainedModel, Any]:
    directory = tiny_classifier(architecture, folder / architecture, labels=("a", "b", "c"))
    network = AutoModelForSequenceClassification.from_pretrained(directory).eval()
    return network, AutoTokenizer.from_pretrained(directory)


def one_by_one(network: PreTrainedModel, tokenizer: Any, seconds: list[str] | None) -> npt.NDArray[Any]:
    """Slowly: each text by itself, as the tokenizer gives it."""
    logits = []
    for place, text in enumerate(TEXTS):
        pair = [] if seconds is None else [seconds[place]]
        inputs = tokenizer(text, *pair, truncation=True, max_length=MOST, return_tensors="pt")
        if network.config.model_type != "bert":
            inputs.pop("token_type_ids", None)
        with torch.inference_mode():
            logits.append(network(**inputs).logits[0].numpy())
    return np.array(logits)


@pytest.mark.parametrize("architecture", ["bert", "roberta", "deberta-v2"])
@pytest.mark.parametrize("seconds", [None, SECONDS], ids=["texts", "pairs"])
def test_logits_are_those_of_each_text_alone(
    architecture: str, seconds: list[str] | None, tmp_path: Path
) -> None:
    network, tokenizer = loaded(architecture, tmp_path)
    tokens = tokenise(network, tokenizer, TEXTS, seconds, MOST)
    expected = one_by_one(network, tokenizer, seconds)
    for batch_tokens in (1, 64, 100_000):
        device = pick_device("cpu", batch_tokens)
        assert np.abs(predict_logits(network, tokens, device) - expected).max() < 1e-4
    numbers = np.array([7, 61, 3])
    assert np.abs(predict_logits(network, tokens, device, numbers) - expected[numbers]).max() < 1e-4
    assert predict_logits(network, tokens, device, numbers[:0]).shape == (0, 3)
    whole = [len(ids) for ids in tokenizer(TEXTS, *([] if seconds is None else [seconds]))["input_ids"]]
    assert tokens.truncated == sum(length > MOST for length in whole) > 0


def test_a_text_is_read_once_in_batches_of_one_length_that_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    network, tokenizer = loaded("bert", tmp_path)
    tokens, forward = tokenise(network, tokenizer, TEXTS, None, MOST), network.forward
    expected, sizes = predict_logits(network, tokens, pick_device("cpu")), list[tuple[int, ...]]()

    def limited(input_ids: torch.Tensor, **others: Any) -> Any:
        if input_ids.numel() > 50:
            raise torch.OutOfMemoryError("out of memory")
        sizes.append(tuple(input_ids.shape))
        return forward(input_ids, **others)

    monkeypatch.setattr(network, "forward", limited)
    assert np.abs(predict_logits(network, tokens, pick_device("cpu", 100)) - expected).max() < 1e-4
    distinct = {tuple(tokenizer(text, truncation=True, max_length=MOST)["input_ids"]) for text in TEXTS}
    assert sum(rows for rows, _ in sizes) == len(distinct) < len(TEXTS)
    lengths = [length for _, length in sizes]
    assert lengths == sorted(lengths, reverse=True)


def test_logits_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    network, tokenizer = loaded("bert", tmp_path)
    with torch.no_grad():
        network.get_parameter("classifier.bias")[1] = torch.inf
    with pytest.raises(InputError, match="logits that are not finite"):
        predict_logits(network, tokenise(network, tokenizer, TEXTS, None, MOST), pick_device("cpu"))


@pytest.mark.parametrize(
    ("architecture", "settings"),
    [
        ("bert", {}),
        ("albert", {}),
        ("deberta-v2", {}),
        ("bart", {}),
        ("bert", {"tie_word_embeddings": False}),
    ],
)
def test_the_encoder_changes_and_the_head_stays(
    architecture: str, settings: dict[str, Any], tmp_path: Path
) -> None:
    origin = tiny_model(architecture, tmp_path / "origin", **settings)
    classifier: Any = make_classifier(origin, ("a", "b", "c"), 0)[0]
    with torch.no_grad():
        for weights in classifier.parameters():
            weights.add_(0.01)
    restore(origin, classifier, tmp_path / "after")
    manifests = [check_model(tmp_path / name, "masked-lm", name) for name in ("origin", "after")]
    assert manifests[0]["tokenizer_digest"] == manifests[1]["tokenizer_digest"]
    before, model = (AutoModelForMaskedLM.from_pretrained(tmp_path / name) for name in ("origin", "after"))
    encoder = model.base_model
    for name, weights in encoder.named_parameters():
        assert torch.equal(weights, classifier.base_model.get_parameter(name))
    # what is no encoder's is the origin's, but for a decoder that is the table of embeddings
    inside = {id(weights) for weights in encoder.parameters()}
    decoder = model.get_output_embeddings().weight
    assert (id(decoder) in inside) == (not settings)
    outside = [name for name, weights in model.named_parameters() if id(weights) not in inside]
    assert outside or architecture == "bart"
    assert all(torch.equal(before.get_parameter(name), model.get_parameter(name)) for name in outside)


def test_another_models_classifier_is_refused(tmp_path: Path) -> None:
    origin = tiny_model("bert", tmp_path / "origin")
    larger = tiny_model("bert", tmp_path / "larger", intermediate_size=96)
    with pytest.raises(InputError, match="no encoder like its own"):
        restore(origin, make_classifier(larger, None, 0)[0], tmp_path / "after")
    assert not (tmp_path / "after").exists()

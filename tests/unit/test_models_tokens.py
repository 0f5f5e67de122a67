"""Texts as arrays of tokens, and what a classifier makes of them: held against each text by itself."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer, PreTrainedModel

from library import InputError, pick_device, predict_logits
from library import models_tokenise as tokenise
from tiny_models import WORDS, tiny_classifier

rng = np.random.default_rng(0)
TEXTS = [" ".join(rng.choice(WORDS, size=size)) for size in rng.integers(1, 30, size=60)]
TEXTS += TEXTS[:5]
SECONDS = [" ".join(rng.choice(WORDS, size=size)) for size in rng.integers(1, 30, size=60)] + ["x", "y"]
SECONDS += SECONDS[:3]
MOST = 24
with_and_without_seconds = pytest.mark.parametrize("seconds", [None, SECONDS], ids=["texts", "pairs"])


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
@with_and_without_seconds
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
    none = tokenise(network, tokenizer, [], None, 8)
    assert none.texts == [] and predict_logits(network, none, device).shape == (0, 3)


def test_a_text_is_read_once_in_batches_of_one_length_that_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    network, tokenizer = loaded("bert", tmp_path)
    tokens = tokenise(network, tokenizer, TEXTS, None, MOST)
    expected = predict_logits(network, tokens, pick_device("cpu"))
    shapes, forward, most = list[tuple[int, ...]](), network.forward, 10**6

    def limited(input_ids: torch.Tensor, **others: Any) -> Any:
        if input_ids.numel() > most:
            raise torch.OutOfMemoryError("out of memory")
        shapes.append((len(input_ids), input_ids.shape[1]))
        return forward(input_ids, **others)

    monkeypatch.setattr(network, "forward", limited)
    predict_logits(network, tokens, pick_device("cpu", 100))
    distinct = {tuple(tokenizer(text, truncation=True, max_length=MOST)["input_ids"]) for text in TEXTS}
    assert sum(rows for rows, _ in shapes) == len(distinct) < len(TEXTS)
    lengths = [length for _, length in shapes]
    assert lengths == sorted(lengths, reverse=True)
    assert max(rows * length for rows, length in shapes if rows > 1) <= 100
    most, device = 50, pick_device("cpu")
    assert np.abs(predict_logits(network, tokens, device) - expected).max() < 1e-4
    assert device.batch_tokens <= 50
    most = 3
    with pytest.raises(InputError, match="one sequence of 24 tokens by itself is too large"):
        predict_logits(network, tokens, device)


def test_logits_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    network, tokenizer = loaded("bert", tmp_path)
    with torch.no_grad():
        network.get_parameter("classifier.bias")[1] = torch.inf
    with pytest.raises(InputError, match="logits that are not finite"):
        predict_logits(network, tokenise(network, tokenizer, TEXTS, None, MOST), pick_device("cpu"))

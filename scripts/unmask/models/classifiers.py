"""Classifiers made from masked language models, and masked language models from fine-tuned classifiers.

A classifier has the encoder as it is, and a head drawn at random; back again the fine-tuned encoder stands
under the head for masked words that its model had before, so that its bias after fine-tuning can be measured.
"""

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from transformers import (
    AutoConfig,
    AutoModelForMaskedLM,
    AutoModelForSequenceClassification,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)
from transformers.models.auto.modeling_auto import MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES

from unmask.errors import InputError
from unmask.models.devices import Device, read_in_batches
from unmask.models.directory import from_directory, save_like
from unmask.models.tokenizer import load_tokenizer
from unmask.models.training import Batch

AT_ONCE = 1000
"""Texts whose tokens are Python's numbers for a while, ten times as large as those of arrays."""
ROWS = ("input_ids", "token_type_ids")

Example = tuple[npt.NDArray[np.int32], Any]
"""The tokens of a text, and its label: a number of NumPy, of a regression with decimals."""


@dataclass(frozen=True)
class Tokens:
    """The tokens of texts, or of pairs of texts: arrays of ROWS × length, without the second row where the
    model is not told of which of two texts a token is (0, 1). truncated: how many texts were too long and
    lost their end (of a pair, that of the longer)."""

    texts: list[npt.NDArray[np.int32]]
    truncated: int


def tokenise(
    network: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    texts: Sequence[str],
    seconds: Sequence[str] | None,
    max_length: int | None,
) -> Tokens:
    """The tokens of texts, or of pairs of a text and its second, special ones included; at most `max_length`
    of each. network: one that reads them."""
    names = inspect.signature(network.forward).parameters
    takes_types = ROWS[1] in names and getattr(network.config, "type_vocab_size", 2) > 1
    arrays, truncated = list[npt.NDArray[np.int32]](), 0
    for start in range(0, len(texts), AT_ONCE):
        sides = [list(each[start : start + AT_ONCE]) for each in (texts, seconds) if each is not None]
        encoding = tokenizer(*sides, truncation=False, verbose=False)
        if max_length and (too_long := sum(len(ids) > max_length for ids in encoding["input_ids"])):
            # anew, as special tokens stand behind the end
            encoding = tokenizer(*sides, truncation=True, max_length=max_length)
            truncated += too_long
        rows = [encoding[row] for row in (ROWS if takes_types else ROWS[:1]) if row in encoding]
        arrays += [np.array(text, dtype=np.int32) for text in zip(*rows, strict=True)]
    return Tokens(arrays, truncated)


def predict_logits(
    network: PreTrainedModel, tokens: Tokens, device: Device, some: npt.NDArray[np.int64] | None = None
) -> npt.NDArray[np.float32]:
    """The logits (texts × labels) of texts, or of `some` of them by number, read as `read_in_batches` does.

    network: on the device, in evaluation mode. Raises InputError for a text that does not fit into memory by
    itself, and for logits that are not finite.
    """
    chosen = tokens.texts if some is None else [tokens.texts[number] for number in some]
    rows = len(chosen[0]) if chosen else 1

    def read(batch: Sequence[bytes]) -> Tensor:
        inputs = np.frombuffer(b"".join(batch), ">i4").reshape(len(batch), rows, -1).astype(np.int64)
        named = dict(zip(ROWS, torch.from_numpy(inputs).to(device.torch).unbind(1), strict=False))
        logits: Tensor = network(**named, attention_mask=torch.ones_like(named["input_ids"])).logits
        return logits

    # bytes are small, and in the order of the numbers
    texts = [text.astype(">i4").tobytes() for text in chosen]
    logits = np.empty((len(texts), network.config.num_labels or 0), dtype=np.float32)
    for places, result in read_in_batches(texts, lambda text: (len(text) // 4 // rows,), read, device):
        logits[places] = result
    if not np.isfinite(logits).all():
        raise InputError("predicting: the model gives logits that are not finite numbers")
    return logits


def batch_of(tokenizer: PreTrainedTokenizerBase, examples: Sequence[Example]) -> Batch:
    """Examples, filled up to the longest of them as the tokenizer does."""
    texts, labels = zip(*examples, strict=True)
    inputs: dict[str, Any] = dict(zip(ROWS, map(list, zip(*texts, strict=True)), strict=False))
    filled = tokenizer.pad(inputs, return_attention_mask=True, return_tensors="pt")
    return {**filled, "labels": torch.from_numpy(np.array(labels))}


def make_classifier(
    directory: str | Path, labels: Sequence[str] | None, seed: int
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase, list[str]]:
    """A classifier in single precision out of a masked language model's directory, which has been checked,
    its tokenizer, and the names of the weights that the model did not have: the head's, and a pooler's where
    it was saved without one. They are drawn from `seed`, in the way of its architecture.

    labels: their names by number; None for one number, learnt by regression (mean squared error).
    Raises InputError where transformers has no classifier of this architecture.
    """
    config = from_directory(AutoConfig, directory)
    if config.model_type not in MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES:
        raise InputError(f"transformers has no text classifier of type {config.model_type} to fine-tune")
    settings: dict[str, Any] = {"num_labels": 1, "problem_type": "regression"}
    if labels is not None:
        names = dict(enumerate(labels))
        settings = {"id2label": names, "label2id": {label: number for number, label in names.items()}}
        settings["problem_type"] = "single_label_classification"
    tokenizer = load_tokenizer(directory, truncation_side="right")
    # any token will do where none is for padding: it is not attended to
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.mask_token
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        settings |= {"dtype": torch.float32, "output_loading_info": True, "ignore_mismatched_sizes": True}
        network, loading = from_directory(AutoModelForSequenceClassification, directory, **settings)
    parameters = {name for name, _ in network.named_parameters()}
    initialised = {*loading["missing_keys"], *(str(key[0]) for key in loading["mismatched_keys"])}
    return network, tokenizer, sorted(initialised & parameters)


def restore(origin: str | Path, classifier: PreTrainedModel, directory: str | Path) -> None:
    """Write the encoder of `classifier` under the head for masked words of `origin`, all or nothing.

    origin: the directory of the masked language model that was fine-tuned. The result is one like it, in
    single precision: with its tokenizer, its settings, and the head's own weights (dense layer,
    normalisation, the bias over the vocabulary) unchanged. The decoder of most architectures is no weight of
    its own but the table of word embeddings: it stays tied to it, and so changes as fine-tuning changed the
    embeddings; one that is not tied stays the origin's. A classifier's pooler is left out, as masked language
    models have none.
    Raises InputError where the classifier is not of the origin's architecture.
    """
    origin = Path(origin)
    model = from_directory(AutoModelForMaskedLM, origin, dtype=torch.float32)
    fine_tuned = classifier.base_model.state_dict()
    # in place: what is tied stays tied
    for name, weights in model.base_model.state_dict().items():
        if name not in fine_tuned or fine_tuned[name].shape != weights.shape:
            raise InputError(f"{origin}: the fine-tuned model has no encoder like its own ({name})")
        weights.copy_(fine_tuned[name])
    save_like(model, origin, directory)

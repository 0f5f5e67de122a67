"""Classifiers made from masked language models, and masked language models from fine-tuned classifiers.

A classifier has the encoder as it is, and a head drawn at random; back again the fine-tuned encoder stands
under the head for masked words that its model had before, so that its bias after fine-tuning can be measured.
Texts, or pairs of texts, are arrays of tokens: lists would take ten times the memory.
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
from unmask.models.directory import save_like
from unmask.models.tokenizer import load_tokenizer
from unmask.models.training import Batch

TOKENISED_AT_ONCE = 1000
"""Texts whose tokens are Python's numbers for a while."""


@dataclass(frozen=True)
class Tokens:
    """The tokens of texts; types: of which of two texts each token is (0, 1), empty where the model is not
    told; truncated: how many texts were too long and lost their end (of a pair, that of the longer)."""

    ids: list[npt.NDArray[np.int32]]
    types: list[npt.NDArray[np.int32]]
    truncated: int

    def __len__(self) -> int:
        return len(self.ids)


def takes_types(network: PreTrainedModel) -> bool:
    """Whether a network can tell the tokens of a first text from those of a second."""
    names = inspect.signature(network.forward).parameters
    return "token_type_ids" in names and getattr(network.config, "type_vocab_size", 2) > 1


def tokenise(
    tokenizer: PreTrainedTokenizerBase,
    texts: Sequence[str],
    seconds: Sequence[str] | None,
    max_length: int | None,
    with_types: bool,
) -> Tokens:
    """The tokens of texts, or of pairs of a text and its second, special ones included; at most `max_length`
    of each.

    with_types: whether to keep of which text a token is, where the tokenizer says so.
    """
    tokens: dict[str, list[npt.NDArray[np.int32]]] = {"input_ids": [], "token_type_ids": []}
    truncated = 0
    for start in range(0, len(texts), TOKENISED_AT_ONCE):
        part = slice(start, start + TOKENISED_AT_ONCE)
        sides = [list(each[part]) for each in (texts, seconds) if each is not None]
        encoding = tokenizer(*sides, truncation=False, verbose=False)
        if max_length and (too_long := sum(len(ids) > max_length for ids in encoding["input_ids"])):
            # anew, as special tokens stand behind the end
            encoding = tokenizer(*sides, truncation=True, max_length=max_length)
            truncated += too_long
        for key in ("input_ids", "token_type_ids") if with_types else ("input_ids",):
            tokens[key] += [np.array(one, dtype=np.int32) for one in encoding.get(key, ())]
    return Tokens(tokens["input_ids"], tokens["token_type_ids"], truncated)


def predict_logits(
    network: PreTrainedModel, tokens: Tokens, device: Device, some: npt.NDArray[np.int64] | None = None
) -> npt.NDArray[np.float32]:
    """The logits (texts × labels) of texts, or of `some` of them by number, read as `read_in_batches` does.

    network: on the device, in evaluation mode. Raises InputError for a text that does not fit into memory by
    itself, and for logits that are not finite.
    """
    numbers = range(len(tokens)) if some is None else some.tolist()
    rows = (tokens.ids, tokens.types) if tokens.types else (tokens.ids,)
    texts = [np.stack([row[number] for row in rows]).astype(">i4").tobytes() for number in numbers]
    size = 4 * len(rows)

    def read(batch: Sequence[bytes]) -> Tensor:
        inputs = np.frombuffer(b"".join(batch), ">i4").reshape(len(batch), len(rows), -1).astype(np.int64)
        ids, *types = torch.from_numpy(inputs).to(device.torch).unbind(1)
        of_pairs = {"token_type_ids": types[0]} if types else {}
        logits: Tensor = network(input_ids=ids, attention_mask=torch.ones_like(ids), **of_pairs).logits
        return logits

    logits = np.empty((len(texts), network.config.num_labels or 0), dtype=np.float32)
    for places, result in read_in_batches(texts, lambda text: (len(text) // size,), read, device):
        logits[places] = result
    if not np.isfinite(logits).all():
        raise InputError("predicting: the model gives logits that are not finite numbers")
    return logits


@dataclass(frozen=True)
class NewClassifier:
    """What fine-tuning begins with. initialised: names of the weights that the model did not have, so that
    they were drawn at random: the head's, and a pooler's where it was saved without one."""

    network: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    initialised: tuple[str, ...]


@dataclass(frozen=True)
class ClassificationDataset:
    """Examples by their number, for `unmask.models.training.train`, with `batch` to collate them. labels:
    numbers of labels, or, of a regression, numbers."""

    tokens: Tokens
    labels: npt.NDArray[Any]
    tokenizer: PreTrainedTokenizerBase

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, number: int, /) -> int:
        return number

    def batch(self, numbers: list[int]) -> Batch:
        """Some of the examples, filled up to the longest of them as the tokenizer does."""
        inputs: dict[str, Any] = {"input_ids": [self.tokens.ids[number] for number in numbers]}
        if self.tokens.types:
            inputs["token_type_ids"] = [self.tokens.types[number] for number in numbers]
        filled = self.tokenizer.pad(inputs, return_attention_mask=True, return_tensors="pt")
        return {**filled, "labels": torch.from_numpy(self.labels[numbers])}


def make_classifier(directory: str | Path, labels: Sequence[str] | None, seed: int) -> NewClassifier:
    """A classifier in single precision out of a masked language model's directory, which has been checked.

    labels: their names by number; None for one number, learnt by regression (mean squared error). What the
    model does not have is drawn from `seed`, in the way of its architecture.
    Raises InputError where transformers has no classifier of this architecture.
    """
    config = AutoConfig.from_pretrained(directory, local_files_only=True)
    if config.model_type not in MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES:
        raise InputError(f"transformers has no text classifier of type {config.model_type} to fine-tune")
    settings: dict[str, Any] = {"num_labels": 1, "problem_type": "regression"}
    if labels is not None:
        settings = {
            "id2label": dict(enumerate(labels)),
            "label2id": {label: number for number, label in enumerate(labels)},
            "problem_type": "single_label_classification",
        }
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        tokenizer = load_tokenizer(directory, truncation_side="right")
        # any token will do where none is for padding: it is not attended to
        tokenizer.pad_token = tokenizer.pad_token or tokenizer.mask_token
        network, loading = AutoModelForSequenceClassification.from_pretrained(
            directory,
            local_files_only=True,
            dtype=torch.float32,
            output_loading_info=True,
            ignore_mismatched_sizes=True,
            **settings,
        )
    parameters = {name for name, _ in network.named_parameters()}
    initialised = {*loading["missing_keys"], *(str(key[0]) for key in loading["mismatched_keys"])}
    return NewClassifier(network, tokenizer, tuple(sorted(initialised & parameters)))


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
    model = AutoModelForMaskedLM.from_pretrained(origin, local_files_only=True, dtype=torch.float32)
    fine_tuned = classifier.base_model.state_dict()
    # in place: what is tied stays tied
    for name, weights in model.base_model.state_dict().items():
        if name not in fine_tuned or fine_tuned[name].shape != weights.shape:
            raise InputError(f"{origin}: the fine-tuned model has no encoder like its own ({name})")
        weights.copy_(fine_tuned[name])
    save_like(model, origin, directory)

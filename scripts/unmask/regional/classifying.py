"""Labels of texts, as a text classifier predicts them.

Texts are read in batches of exactly one length, so nothing is padded and no prediction depends on the other
texts of its batch beyond float error. A text that occurs twice is read once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from transformers import (
    AutoModelForSequenceClassification,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from unmask.models.devices import Device, within_memory
from unmask.models.linear import use_fast_linear_layers
from unmask.models.own_code import is_allowed
from unmask.models.quiet import quiet_transformers
from unmask.models.tokenizer import load_tokenizer

TOKENISED_AT_ONCE = 1000
"""Texts: their tokens as Python's numbers take ten times the memory of those that are kept."""


@dataclass(frozen=True)
class Classifier:
    """A text classifier on its device, ready to predict."""

    network: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    device: Device
    max_length: int | None
    """Tokens that it takes, special ones included; None for any number."""


@dataclass(frozen=True)
class Predictions:
    probabilities: npt.NDArray[np.float64]
    """texts × labels"""
    truncated: int
    """How many texts were too long and lost their end."""


def load_classifier(directory: str | Path, device: Device, max_length: int | None) -> Classifier:
    """Load the classifier in a directory that has been checked, in evaluation mode and single precision."""
    if device.torch.type == "cuda":
        # single precision means single precision
        torch.backends.cuda.matmul.fp32_precision = "ieee"
    tokenizer = load_tokenizer(directory, truncation_side="right")
    with quiet_transformers():
        network = AutoModelForSequenceClassification.from_pretrained(
            directory, local_files_only=True, trust_remote_code=is_allowed(directory), dtype=torch.float32
        )
    network.eval().to(device.torch)
    if device.torch.type == "cpu":
        use_fast_linear_layers(network)
    return Classifier(network, tokenizer, device, max_length)


def predict(classifier: Classifier, texts: Sequence[str]) -> Predictions:
    """The probabilities of the labels of each text, of which there is at least one.

    A text with more tokens than the classifier takes loses those at its end. A batch that does not fit into
    memory is halved, and so are those after it, also of later calls with the same device. Raises InputError
    for a text that does not fit by itself.
    """
    places: dict[bytes, list[int]] = {}
    truncated = 0
    for place, (ids, cut) in enumerate(_tokenised(classifier, texts)):
        places.setdefault(ids.tobytes(), []).append(place)
        truncated += cut
    # longest first, so that memory runs out early or never
    order = sorted(places, key=lambda ids: (-len(ids), ids))
    device = classifier.device
    parts: list[npt.NDArray[np.float64]] = []
    done = 0
    while done < len(order):
        length = len(order[done]) // _ID.itemsize
        most = order[done : done + max(1, device.batch_tokens // length)]
        batch = [ids for ids in most if len(ids) == len(most[0])]
        ids = np.frombuffer(b"".join(batch), dtype=_ID).reshape(len(batch), length)
        part = within_memory(_read, classifier, ids)
        if part is None:
            device.take_half(*ids.shape)
            continue
        parts.append(part)
        done += len(batch)
    of_input = np.concatenate(parts)
    probabilities = np.empty((len(texts), of_input.shape[1]))
    for row, ids_of_text in zip(of_input, order, strict=True):
        probabilities[places[ids_of_text]] = row
    return Predictions(probabilities, truncated)


_ID = np.dtype(np.int32)


def _tokenised(classifier: Classifier, texts: Sequence[str]) -> Iterator[tuple[npt.NDArray[np.int32], bool]]:
    """The token ids of each text, and whether it lost its end."""
    for start in range(0, len(texts), TOKENISED_AT_ONCE):
        some = list(texts[start : start + TOKENISED_AT_ONCE])
        whole = classifier.tokenizer(some, truncation=False, verbose=False)["input_ids"]
        for text, ids in zip(some, whole, strict=True):
            cut = classifier.max_length is not None and len(ids) > classifier.max_length
            if cut:
                # anew, as special tokens stand behind the end
                ids = classifier.tokenizer(text, truncation=True, max_length=classifier.max_length)[
                    "input_ids"
                ]
            yield np.array(ids, dtype=_ID), cut


@torch.inference_mode()
def _read(classifier: Classifier, batch: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
    """Probabilities (texts × labels) of a batch of token ids (texts × length)."""
    ids = torch.from_numpy(batch.astype(np.int64)).to(classifier.device.torch)
    logits = classifier.network(input_ids=ids, attention_mask=torch.ones_like(ids)).logits
    # in double precision a sure prediction can still become surer
    probabilities: npt.NDArray[np.float64] = logits.double().softmax(-1).cpu().numpy()
    return probabilities

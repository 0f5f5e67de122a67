"""Projections of a model's last layer: found by SentenceDebias and INLP, and made part of the model.

The head for masked words begins with a dense layer, W h + b. With W P for W it is what the model gives where
every hidden state h of the last layer is projected, P h. Whoever fine-tunes the encoder has to project for
themselves: P stands in PROJECTION beside the weights.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from transformers import PreTrainedModel

from unmask.debiasing.attributes import Finder, Mention, Sentence, read_lines
from unmask.debiasing.inputs import Base, Entry, Texts
from unmask.debiasing.model_files import save
from unmask.errors import InputError
from unmask.models.directory import PROJECTION
from unmask.models.projection import read_projection
from unmask.terms import PUBLISHED

Floats = npt.NDArray[np.float64]

MOST = 10_000
"""Sentences of a kind that a projection is found from, drawn at random where there are more."""

HEADS = (
    "cls.predictions.transform.dense",
    "lm_head.dense",
    "predictions.dense",
    "vocab_transform",
    "generator_predictions.dense",
    "head.dense",
)
"""The first dense layer of heads for masked words: of BERT, RoBERTa, ALBERT, DistilBERT, ELECTRA and
ModernBERT."""


def refuse_published(entry: Entry) -> None:
    """Raise InputError where an entry asks for the published reading of a method that has none here."""
    if entry["reading"] == PUBLISHED:
        raise InputError(
            f"method {entry['method']} has one reading, ours: leave out reading, or say reading: corrected"
        )


def removing(directions: Floats) -> Floats:
    """The projection onto what is orthogonal to all directions (rows; they need not be independent).

    Raises InputError where that leaves nothing.
    """
    width = directions.shape[1]
    _, lengths, axes = np.linalg.svd(directions, full_matrices=False)
    axes = axes[lengths > lengths.max(initial=0.0) * width * np.finfo(np.float64).eps]
    if len(axes) >= width:
        raise InputError(f"the projection takes away all {width} dimensions of the model: nothing is left")
    projection: Floats = np.eye(width) - axes.T @ axes
    return projection


def removed_before(directory: Path, width: int) -> Floats:
    """The directions (rows) that were removed from a model before, by the projection beside it, if any."""
    if not (directory / PROJECTION).is_file():
        return np.empty((0, width))
    projection = read_projection(directory, width).double().numpy()
    _, lengths, axes = np.linalg.svd(np.eye(width) - projection)
    # a projection's are 0 and 1
    return np.asarray(axes[lengths > 0.5], dtype=np.float64)


def head_of(model: PreTrainedModel) -> nn.Linear:
    """The dense layer with which a model's head for masked words begins.

    Raises InputError for an architecture whose head is not known.
    """
    modules = dict(model.named_modules())
    for name in HEADS:
        layer = modules.get(name)
        if isinstance(layer, nn.Linear) and layer.in_features == model.config.hidden_size:
            return layer
    raise InputError(
        f"the head for masked words of {model.config.model_type} does not begin with a dense layer that is "
        "known here: no projection can be made part of it"
    )


def fold(model: PreTrainedModel, projection: Floats) -> None:
    """Make a projection (width × width) of the last layer part of the model's head, in place.

    Raises InputError as `head_of` does.
    """
    layer = head_of(model)
    with torch.no_grad():
        folded = layer.weight.double().cpu() @ torch.from_numpy(projection)
        layer.weight.copy_(folded)


def save_projected(
    model: PreTrainedModel, projection: Floats, base: Base, entry: Entry, directory: str | Path
) -> None:
    """Write a model with the projection folded into its head, and the projection beside it, all or
    nothing."""
    fold(model, projection)
    tensor = torch.from_numpy(projection).float().contiguous()
    save(model, base, entry, directory, keep_pooler=True, projection=tensor)


def gendered_sentences(texts: Texts, of: Callable[[list[Mention]], bool]) -> list[Sentence]:
    """The lines with gendered words, behind those held out, of whose mentions `of` holds."""
    find = Finder([*texts.words.feminine, *texts.words.masculine])
    sentences = []
    for number, line in enumerate(read_lines(texts.lines)):
        if number >= texts.held_out and (mentions := find(line)) and of(mentions):
            sentences.append(Sentence(line, tuple(mentions)))
    return sentences


def sampled(sentences: Sequence[Sentence], seed: int, stream: int) -> list[Sentence]:
    """MOST of the sentences, drawn at random, in their order."""
    order = np.random.default_rng((seed, stream)).permutation(len(sentences))[:MOST]
    return [sentences[i] for i in np.sort(order)]

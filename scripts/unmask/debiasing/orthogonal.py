"""The objective of AT (Kaneko & Bollegala 2021, Debiasing Pre-trained Contextualised Embeddings), in both
readings.

Words that should tell of no gender are to be orthogonal, in every layer, to the vectors of gendered words;
the sentences of gendered words are to be read as before.

Layers are those that the model gives, the embeddings' output included; `layers` are tuples of tensors, rows ×
length × width each.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from transformers import PreTrainedModel

from unmask.debiasing.tokenized import Tokenized, by_length, layers_of, pad
from unmask.evidence.progress import Progress
from unmask.models.devices import Device

Layers = tuple[Tensor, ...]
Places = Sequence[Sequence[int]]


def word_weights(places: Places, length: int) -> Tensor:
    """What each token counts in the embedding of a row's word: alike, and together one. rows × length."""
    weights = torch.zeros(len(places), length)
    for row, of_word in enumerate(places):
        weights[row, list(of_word)] = 1 / len(of_word)
    return weights


def released_word_weights(places: Places, length: int) -> Tensor:
    """The same in the released code. Where a word of the batch has several tokens, those one place before are
    taken, and each counts as one by the number of tokens of the longest word. rows × length."""
    width = max(map(len, places))
    weights = torch.zeros(len(places), length)
    for row, of_word in enumerate(places):
        for place in of_word:
            weights[row, place if width == 1 else place - 1] += 1 / width
    return weights


def word_embeddings(layers: Layers, weights: Tensor) -> Tensor:
    """The embedding in each layer of one word a row: rows × layers × width."""
    return torch.stack([torch.einsum("nt,ntd->nd", weights, layer) for layer in layers], dim=1)


def projection(embeddings: Tensor, vectors: Tensor) -> Tensor:
    """Mean of (v_l(a) · E_l(t))² over the words t (rows), the attribute words a and the layers l.

    embeddings: rows × layers × width; vectors: attribute words × layers × width.
    """
    return torch.einsum("nld,ald->nla", embeddings, vectors).square().mean()


def released_projection(embeddings: Tensor, vectors: Tensor) -> Tensor:
    """The released code's: for each gender's one vector, the square of the mean of v_l · E_l; their sum."""
    return torch.einsum("nld,ald->anl", embeddings, vectors).mean((1, 2)).square().sum()


def distance(layers: Layers, before: Layers, mask: Tensor) -> Tensor:
    """Mean of ‖E_l(w) − E_l^pre(w)‖² / width over the tokens w, special ones included, and the layers l."""
    of_layers = [
        ((layer - old).square().mean(-1) * mask).sum() for layer, old in zip(layers, before, strict=True)
    ]
    return torch.stack(of_layers).mean() / mask.sum()


def released_distance(layers: Layers, before: Layers) -> Tensor:
    """The released code's: a mean over padding too."""
    return torch.stack(
        [(layer - old).square().mean() for layer, old in zip(layers, before, strict=True)]
    ).mean()


@torch.no_grad()
def attribute_vectors(
    model: PreTrainedModel, sentences: Sequence[Tokenized], words: Sequence[str], padding: int, device: Device
) -> Tensor:
    """v_l(a): in each layer the mean of an attribute word's embeddings over all its mentions in the
    sentences.

    words: the attribute words, all of which are mentioned. Returns words × layers × width, on the device.
    """
    model.eval()  # type: ignore[no-untyped-call]
    number_of = {word: number for number, word in enumerate(words)}
    total: npt.NDArray[np.float64] | None = None
    count = np.zeros(len(words))
    lengths = [len(s.ids) for s in sentences]
    progress = Progress(sum(lengths), items=len(sentences))
    for numbers in by_length([s.ids for s in sentences], device.batch_tokens):
        ids, mask = pad([sentences[number].ids for number in numbers], padding, device.torch)
        mentions = [
            (row, number_of[word], places)
            for row, number in enumerate(numbers)
            for word, places in sentences[number].mentions
        ]
        embeddings = _of_mentions(layers_of(model, ids, mask), mentions)
        if total is None:
            total = np.zeros((len(words), *embeddings.shape[1:]))
        of_words = [word for _, word, _ in mentions]
        np.add.at(total, of_words, embeddings)
        np.add.at(count, of_words, 1)
        progress.add(len(numbers), sum(lengths[number] for number in numbers))
    progress.close()
    assert total is not None
    return torch.from_numpy(total / count[:, None, None]).float().to(device.torch)


def _of_mentions(
    layers: Layers, mentions: Sequence[tuple[int, int, Sequence[int]]]
) -> npt.NDArray[np.float64]:
    """The embedding in each layer of each mention (row, number, tokens): mentions × layers × width."""
    length = layers[0].shape[1]
    at = torch.tensor([row * length + place for row, _, places in mentions for place in places])
    at = at.to(layers[0].device)
    states = torch.stack([layer.flatten(0, 1)[at] for layer in layers], dim=1).double().cpu().numpy()
    sizes = np.array([len(places) for _, _, places in mentions])
    # not on a GPU, which would add in any order
    sums = np.add.reduceat(states, np.cumsum(sizes) - sizes)
    means: npt.NDArray[np.float64] = sums / sizes[:, None, None]
    return means


@torch.no_grad()
def released_attribute_vectors(
    model: PreTrainedModel, genders: Sequence[Sequence[Sequence[Tokenized]]], padding: int, device: Device
) -> Tensor:
    """The released code's one vector a gender: the mean over the batches of its sentences, all of one size,
    read without a mask. Returns genders × layers × width."""
    model.eval()  # type: ignore[no-untyped-call]
    vectors = []
    for batches in genders:
        embeddings = []
        for batch in batches:
            ids, mask = pad([s.ids for s in batch], padding, device.torch)
            weights = released_word_weights([s.mentions[0][1] for s in batch], ids.shape[1])
            layers = layers_of(model, ids, torch.ones_like(mask))
            embeddings.append(word_embeddings(layers, weights.to(device.torch)))
        vectors.append(torch.cat(embeddings).double().mean(0).float())
    return torch.stack(vectors)

"""Embeddings of texts with pictures: joint ones, and of the word.

Texts are read in batches of exactly one length with pictures of equally many regions, so
nothing is padded and no embedding depends on the rest of its batch beyond float error. What reads the same is
read once, and every picture is opened once.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from transformers import PreTrainedTokenizerBase, VisualBertModel

from unmask.associations.arrays import Numbers
from unmask.associations.pictures import RegionFile, Regions
from unmask.associations.terms import GROUNDED, OF_WORDS, WORD_FIRST
from unmask.associations.tokenised import Span, Tokenised, Vectors, check_finite, in_batches, tokenised
from unmask.errors import InputError
from unmask.models.checking import max_length
from unmask.models.devices import Device, within_memory
from unmask.models.quiet import quiet_transformers
from unmask.models.tokenizer import load_tokenizer
from unmask.models.visual_bert import config_of, embed

Ids = tuple[int, ...]


class Place(NamedTuple):
    """Where an embedding goes, and what it is."""

    pooling: str
    # of the text
    number: int
    # the mean of these tokens; empty: the joint one
    tokens: tuple[int, ...] = ()


@dataclass(frozen=True)
class SeeingEncoder:
    """network: on the device, in evaluation mode. where: what errors call it."""

    where: str
    network: VisualBertModel
    tokenizer: PreTrainedTokenizerBase
    device: Device
    max_length: int | None = None

    @property
    def width(self) -> int:
        """Numbers of a joint embedding."""
        return int(self.network.config.hidden_size)


def load_seeing(directory: str | Path, device: Device) -> SeeingEncoder:
    """Load the encoder of a model directory, in single precision, on a device.

    Raises InputError naming the directory where it is no encoder of text with pictures, where its tokenizer
    cannot be loaded, and where the device's memory is too small for it.
    """
    directory = Path(directory)
    with quiet_transformers():
        config = config_of(directory, f"model directory {directory}")
        tokenizer = load_tokenizer(directory)
        network = within_memory(_load, directory, device)
    if network is None:
        raise InputError(
            f"{directory}: this model is too large for the memory of {device}: "
            "give it more, or take another device (config key runtime.device)"
        )
    return SeeingEncoder(str(directory), network, tokenizer, device, max_length(config, tokenizer))


def _load(directory: Path, device: Device) -> VisualBertModel:
    if device.torch.type == "cuda":
        # single precision means single precision
        torch.backends.cuda.matmul.fp32_precision = "ieee"
    network: Any = VisualBertModel.from_pretrained(directory, local_files_only=True, dtype=torch.float32)
    network.eval().to(device.torch)
    assert isinstance(network, VisualBertModel)
    return network


def pictures_for(encoder: SeeingEncoder, features: str | Path) -> RegionFile:
    """What an encoder sees: regions of a file of features."""
    return RegionFile(Path(features), int(encoder.network.config.visual_embedding_dim))


@dataclass(frozen=True)
class _Read:
    """A text to read with a picture, and where its embedding goes."""

    ids: Ids
    regions: Numbers
    places: list[Place]


def embed_seen(
    encoder: SeeingEncoder,
    texts: Sequence[str],
    words: Sequence[Span | None],
    images: Sequence[str],
    pictures: Regions,
    poolings: Sequence[str] = GROUNDED,
) -> dict[str, Vectors]:
    """The joint embedding of every text with its picture, by each pooling: texts × width.

    joint: as they are, one of text and picture. word: of the text as it is, the mean of the word's tokens;
    word-first: the first of these, as Ross, Katz & Barbu (2021) have it.

    words: where each text's word is; a text without one has NaN but for joint. pictures: has
    all of the images, and is read a batch at a time.
    Raises InputError for a text without tokens or of more than the model takes, for a word that no token is
    of, for what is not finite, and what `Pictures.read` does.
    """
    if unknown := [pooling for pooling in poolings if pooling not in GROUNDED]:
        raise ValueError(f"unknown pooling {unknown[0]}")
    tokens = tokenised(encoder.tokenizer, texts, words, encoder.max_length)
    embeddings = {pooling: np.full((len(texts), encoder.width), np.nan, np.float32) for pooling in poolings}
    by_image = _reads_by_image(tokens, images, poolings)
    batch: list[_Read] = []
    size = 0
    # neighbours have texts of one length, so that batches are full
    for image, regions in pictures.read(
        sorted(by_image, key=lambda image: [len(ids) for ids in by_image[image]])
    ):
        batch += [_Read(ids, regions, where) for ids, where in by_image[image].items()]
        size += len(regions)
        if size >= encoder.device.batch_tokens:
            _fill(embeddings, encoder, batch)
            batch, size = [], 0
    _fill(embeddings, encoder, batch)
    names = [f"{text!r} with {image}" for text, image in zip(texts, images, strict=True)]
    check_finite(embeddings, words, OF_WORDS, names)
    return embeddings


def _reads_by_image(
    tokens: Sequence[Tokenised], images: Sequence[str], poolings: Sequence[str]
) -> dict[str, dict[Ids, list[Place]]]:
    """What is to be read with each picture: ids -> where this goes."""
    by_image: dict[str, dict[Ids, list[Place]]] = {}
    for number, (text, image) in enumerate(zip(tokens, images, strict=True)):
        for pooling in poolings:
            if pooling in OF_WORDS and not any(text.of_word):
                continue
            by_image.setdefault(image, {}).setdefault(text.ids, []).append(
                Place(pooling, number, _pooled_tokens(pooling, text))
            )
    return by_image


def _pooled_tokens(pooling: str, text: Tokenised) -> tuple[int, ...]:
    if pooling not in OF_WORDS:
        return ()
    of_word = tuple(place for place, is_of_word in enumerate(text.of_word) if is_of_word)
    return of_word[:1] if pooling == WORD_FIRST else of_word


def _fill(embeddings: Mapping[str, Vectors], encoder: SeeingEncoder, reads: Sequence[_Read]) -> None:
    """Read texts with their pictures and put the embeddings where they go. The longest come first, so that
    memory runs out early or never."""
    for length, group in _groups(reads):
        for read, vectors in in_batches(partial(_vectors, encoder), group, length, encoder.device):
            for place in read.places:
                # behind the joint one come those of tokens
                tokens = [1 + token for token in place.tokens]
                vector = vectors[tokens].mean(axis=0) if tokens else vectors[0]
                embeddings[place.pooling][place.number] = vector


def _groups(reads: Sequence[_Read]) -> Iterator[tuple[int, list[_Read]]]:
    """Reads of one length and number of regions, and how many tokens each is."""
    by_shape: dict[tuple[int, int], list[_Read]] = {}
    for read in reads:
        by_shape.setdefault((len(read.ids) + len(read.regions), len(read.ids)), []).append(read)
    for (length, _), group in sorted(by_shape.items(), reverse=True):
        yield length, group


@torch.inference_mode()
def _vectors(encoder: SeeingEncoder, batch: Sequence[_Read]) -> Vectors:
    """Joint embeddings of one batch, each with those of its tokens behind: batch × (1 + tokens) × width."""
    device = encoder.device.torch
    ids = torch.tensor([read.ids for read in batch]).to(device)
    regions = torch.from_numpy(np.stack([read.regions for read in batch])).to(device)
    vectors: Vectors = embed(encoder.network, ids, regions).float().cpu().numpy()
    return vectors

"""Embeddings of texts with pictures: joint ones, also with the word or the picture hidden, and of the word.

Texts are read in batches of exactly one length with pictures of one size, or of equally many regions, so
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
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from unmask.associations.pictures import Picture, PictureFolder, Pictures, RegionFile
from unmask.associations.terms import GROUNDED, IMAGE_HIDDEN, OF_WORDS, TEXT_HIDDEN, WORD_FIRST
from unmask.associations.tokenised import Span, Tokenised, Vectors, check_finite, in_batches, tokenised
from unmask.errors import InputError
from unmask.models.devices import Device, within_memory
from unmask.models.joint.architectures import PIXELS, Architecture, config_of, longest_text
from unmask.models.joint.pixels import load_processor
from unmask.models.quiet import quiet_transformers
from unmask.models.tokenizer import load_tokenizer

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
    """network: on the device, in evaluation mode. processor: of its pictures; None where it sees regions.
    where: what errors call it."""

    where: str
    network: PreTrainedModel
    reading: Architecture
    tokenizer: PreTrainedTokenizerBase
    device: Device
    processor: Any = None
    max_length: int | None = None

    @property
    def width(self) -> int:
        """Numbers of a joint embedding."""
        return self.reading.width(self.network.config)

    @property
    def sees(self) -> str:
        """regions or pixels"""
        return self.reading.sees


def load_seeing(directory: str | Path, device: Device) -> SeeingEncoder:
    """Load the encoder of a model directory, in single precision, on a device.

    Raises InputError naming the directory where it is no encoder of text with pictures, where its tokenizer
    or image processor cannot be loaded, and where the device's memory is too small for it.
    """
    directory = Path(directory)
    what = f"model directory {directory}"
    with quiet_transformers():
        config, reading = config_of(directory, what)
        tokenizer = load_tokenizer(directory)
        processor = load_processor(directory, what) if reading.sees == PIXELS else None
        network = within_memory(_load, directory, reading, device)
    if network is None:
        raise InputError(
            f"{directory}: this model is too large for the memory of {device}: "
            "give it more, or take another device (config key runtime.device)"
        )
    return SeeingEncoder(
        str(directory), network, reading, tokenizer, device, processor, longest_text(config, tokenizer)
    )


def _load(directory: Path, reading: Architecture, device: Device) -> PreTrainedModel:
    if device.torch.type == "cuda":
        # single precision means single precision; patches go through a convolution
        torch.backends.cuda.matmul.fp32_precision = "ieee"
        convolutions: Any = torch.backends.cudnn
        convolutions.conv.fp32_precision = "ieee"
    network: Any = reading.network.from_pretrained(directory, local_files_only=True, dtype=torch.float32)
    network.eval().to(device.torch)
    assert isinstance(network, PreTrainedModel)
    return network


def pictures_for(
    encoder: SeeingEncoder, folder: str | Path | None, features: str | Path | None
) -> PictureFolder | RegionFile:
    """What an encoder sees: pictures of a folder, or regions of a file of features.

    Raises InputError naming the encoder where what it needs is not given.
    """
    if encoder.reading.features is None:
        if folder is None:
            raise InputError(
                f"{encoder.where}: it sees pixels, and the suite has no folder of pictures (key images)"
            )
        return PictureFolder(Path(folder), encoder.processor)
    if features is None:
        raise InputError(
            f"{encoder.where}: it sees regions, and the suite has no file of their features (key features)"
        )
    return RegionFile(Path(features), encoder.reading.features(encoder.network.config), encoder.reading.boxes)


@dataclass(frozen=True)
class _Read:
    """A text to read with a picture, and where its embedding goes."""

    ids: Ids
    picture: Picture
    places: list[Place]


def embed_seen(
    encoder: SeeingEncoder,
    texts: Sequence[str],
    words: Sequence[Span | None],
    images: Sequence[str],
    pictures: Pictures,
    poolings: Sequence[str] = GROUNDED,
) -> dict[str, Vectors]:
    """The joint embedding of every text with its picture, by each pooling: texts × width.

    joint: as they are, one of text and picture. word: of the text as it is, the mean of the word's tokens;
    word-first: the first of these, as Ross, Katz & Barbu (2021) have it. text-hidden: joint, where every
    token of the word is the tokenizer's mask token, or where it has none the unknown one; how many tokens the
    word has is still seen, and so is another occurrence of it.
    image-hidden: joint, where features of regions are 0 and their boxes stay; pixels are 0 after
    normalisation, the mean colour, and the size stays. The last two are their experiment 4.

    words: where each text's word is; a text without one has NaN but for joint and image-hidden. pictures: has
    all of the images, and is read a batch at a time.
    Raises InputError for a text without tokens or of more than the model takes, for a word that no token is
    of, for a tokenizer that can hide none, for what is not finite, and what `Pictures.read` does.
    """
    if unknown := [pooling for pooling in poolings if pooling not in GROUNDED]:
        raise ValueError(f"unknown pooling {unknown[0]}")
    if not encoder.reading.keeps_tokens and not set(poolings).isdisjoint(OF_WORDS):
        raise ValueError("this encoder has no vectors of tokens")
    tokens = tokenised(encoder.tokenizer, texts, words, encoder.max_length)
    embeddings = {pooling: np.full((len(texts), encoder.width), np.nan, np.float32) for pooling in poolings}
    as_they_are, blank = _reads_by_image(encoder, tokens, images, poolings)
    hidden: dict[tuple[tuple[int, ...], bytes], tuple[Picture, dict[Ids, list[Place]]]] = {}
    batch: list[_Read] = []
    size = 0
    # neighbours have texts of one length, so that batches are full
    order = dict(sorted(as_they_are.items(), key=lambda item: [len(ids) for ids in item[1]]))
    for image, picture in pictures.read(list(order | blank)):
        if places := blank.get(image):
            empty = picture.hidden()
            key = (empty.numbers.shape, b"" if empty.boxes is None else empty.boxes.tobytes())
            _, same = hidden.setdefault(key, (empty, {}))
            for ids, where in places.items():
                same.setdefault(ids, []).extend(where)
        if of_image := as_they_are.get(image):
            batch += [_Read(ids, picture, where) for ids, where in of_image.items()]
            size += encoder.reading.length(encoder.network.config, picture.numbers.shape)
        if size >= encoder.device.batch_tokens:
            _fill(embeddings, encoder, batch)
            batch, size = [], 0
    batch += [_Read(ids, empty, where) for empty, same in hidden.values() for ids, where in same.items()]
    _fill(embeddings, encoder, batch)
    names = [f"{text!r} with {image}" for text, image in zip(texts, images, strict=True)]
    check_finite(embeddings, words, (TEXT_HIDDEN, *OF_WORDS), names)
    return embeddings


def _reads_by_image(
    encoder: SeeingEncoder, tokens: Sequence[Tokenised], images: Sequence[str], poolings: Sequence[str]
) -> tuple[dict[str, dict[Ids, list[Place]]], dict[str, dict[Ids, list[Place]]]]:
    """What is to be read with each picture as it is, and with each hidden: ids -> where this goes."""
    as_they_are: dict[str, dict[Ids, list[Place]]] = {}
    blank: dict[str, dict[Ids, list[Place]]] = {}
    for number, (text, image) in enumerate(zip(tokens, images, strict=True)):
        for pooling in poolings:
            if pooling in (TEXT_HIDDEN, *OF_WORDS) and not any(text.of_word):
                continue
            ids = _without_word(encoder, text) if pooling == TEXT_HIDDEN else text.ids
            by_image = blank if pooling == IMAGE_HIDDEN else as_they_are
            by_image.setdefault(image, {}).setdefault(ids, []).append(
                Place(pooling, number, _pooled_tokens(pooling, text))
            )
    return as_they_are, blank


def _pooled_tokens(pooling: str, text: Tokenised) -> tuple[int, ...]:
    if pooling not in OF_WORDS:
        return ()
    of_word = tuple(place for place, is_of_word in enumerate(text.of_word) if is_of_word)
    return of_word[:1] if pooling == WORD_FIRST else of_word


def _without_word(encoder: SeeingEncoder, text: Tokenised) -> Ids:
    tokenizer = encoder.tokenizer
    hiding = tokenizer.mask_token_id if tokenizer.mask_token_id is not None else tokenizer.unk_token_id
    if hiding is None:
        raise InputError(
            f"{encoder.where}: its tokenizer has neither a mask token nor an unknown one, so no word can be "
            f"hidden ({TEXT_HIDDEN})"
        )
    return tuple(hiding if of_word else token for token, of_word in zip(text.ids, text.of_word, strict=True))


def _fill(embeddings: Mapping[str, Vectors], encoder: SeeingEncoder, reads: Sequence[_Read]) -> None:
    """Read texts with their pictures and put the embeddings where they go. The longest come first, so that
    memory runs out early or never."""
    for length, group in _groups(encoder, reads):
        for read, vectors in in_batches(partial(_vectors, encoder), group, length, encoder.device):
            for place in read.places:
                # behind the joint one come those of tokens
                tokens = [1 + token for token in place.tokens]
                vector = vectors[tokens].mean(axis=0) if tokens else vectors[0]
                embeddings[place.pooling][place.number] = vector


def _groups(encoder: SeeingEncoder, reads: Sequence[_Read]) -> Iterator[tuple[int, list[_Read]]]:
    """Reads of one length and shape, and how many tokens each is."""
    by_shape: dict[tuple[int, int, tuple[int, ...]], list[_Read]] = {}
    for read in reads:
        shape = read.picture.numbers.shape
        length = len(read.ids) + encoder.reading.length(encoder.network.config, shape)
        by_shape.setdefault((length, len(read.ids), shape), []).append(read)
    for (length, _, _), group in sorted(by_shape.items(), reverse=True):
        yield length, group


@torch.inference_mode()
def _vectors(encoder: SeeingEncoder, batch: Sequence[_Read]) -> Vectors:
    """Joint embeddings of one batch, each with those of its tokens behind: batch × 1 [+ tokens] × width."""
    device = encoder.device.torch
    ids = torch.tensor([read.ids for read in batch]).to(device)
    numbers = torch.from_numpy(np.stack([read.picture.numbers for read in batch])).to(device)
    places = [read.picture.boxes for read in batch if read.picture.boxes is not None]
    boxes = torch.from_numpy(np.stack(places)).to(device) if places else None
    vectors: Vectors = encoder.reading.embed(encoder.network, ids, numbers, boxes).float().cpu().numpy()
    return vectors

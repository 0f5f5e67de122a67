"""Embeddings of texts: every pooling and kind of encoder against transformers reading one text at a time."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from library import POOLINGS, Encoder, InputError, Span, embed, load_encoder, pick_device
from tiny_models import tiny_model

TEXTS: list[tuple[str, str | None]] = [
    ("nurse", "nurse"),
    ("This is a nurse.", "nurse"),
    ("The nurse is a good nurse", "nurse"),
    ("the engineers like xylophones very much", "xylophones"),
    ("a doctor", None),
    # of the tokenizer, whatever it is called there
    ("[MASK] nurse [MASK]", "nurse"),
    ("a [MASK] doctor", "[MASK]"),
    ("This is a nurse.", "nurse"),
]


def span(text: str, word: str | None) -> Span | None:
    return None if word is None else (text.rindex(word), text.rindex(word) + len(word))


SPANS = [span(*each) for each in TEXTS]


@pytest.fixture
def bert(tmp_path: Path) -> Encoder:
    """An encoder that takes 12 tokens."""
    return load_encoder(tiny_model("bert", tmp_path), "text-encoder", pick_device("cpu"), 12)


def literal(network: Any, tokenizer: Any, text: str, word: str | None, pooling: str) -> Any:
    """One text, one pooling: by its definition."""
    mask = tokenizer.mask_token
    text, word = text.replace("[MASK]", mask), word and word.replace("[MASK]", mask)
    encoded = tokenizer(text, return_offsets_mapping=True)
    ids, letters = encoded["input_ids"], {*range(*(span(text, word) or (0, 0)))}
    content = [*range(1, len(ids) - 1)]
    of_word = [place for place in content if letters & {*range(*encoded["offset_mapping"][place])}]
    assert bool(of_word) == (word is not None)
    model = network.get_encoder() if network.config.is_encoder_decoder else network
    with torch.no_grad():
        states = model(torch.tensor([ids])).last_hidden_state[0].numpy()
    every = [*range(len(ids))]
    places = {"cls": [0], "mean": every, "mean-content": content, "word": of_word, "word-first": of_word[:1]}
    chosen = places[pooling]
    return np.mean(states[chosen], axis=0) if chosen else np.full(states.shape[1], np.nan)


@pytest.mark.parametrize("kind", ["masked-lm", "text-encoder"])
@pytest.mark.parametrize("architecture", ["bert", "roberta", "albert", "bart", "modernbert"])
def test_every_pooling_is_its_definition(architecture: str, kind: str, tmp_path: Path) -> None:
    directory = tiny_model(architecture, tmp_path)
    plain, texts = AutoModel.from_pretrained(directory).eval(), [text for text, _ in TEXTS]
    tokenizer = AutoTokenizer.from_pretrained(directory)
    forwards = embed(load_encoder(directory, kind, pick_device("cpu"), None), texts, SPANS, POOLINGS)
    # whatever the order and the batches
    small = load_encoder(directory, kind, pick_device("cpu", 5), None)
    backwards = embed(small, texts[::-1], SPANS[::-1], POOLINGS)
    assert tuple(forwards) == POOLINGS
    for pooling, vectors in forwards.items():
        assert vectors.dtype == np.float32 and vectors[1].tobytes() == vectors[-1].tobytes()
        expected = [literal(plain, tokenizer, text, word, pooling) for text, word in TEXTS]
        for found in (vectors, backwards[pooling][::-1]):
            np.testing.assert_allclose(found, expected, atol=2e-5, err_msg=pooling)
    # they are not all the same
    assert len({vectors[2].tobytes() for vectors in forwards.values()}) >= 4


def without_mask(encoder: Encoder) -> None:
    encoder.tokenizer.mask_token = None


def not_finite(encoder: Encoder) -> None:
    encoder.network.get_input_embeddings().weight.data[:] = torch.nan


@pytest.mark.parametrize(
    ("change", "text", "word", "line"),
    [
        (None, "", None, "'': has no token to embed"),
        (None, "a nurse", (1, 2), "'a nurse': no token is of ' '"),
        (None, "a nurse " * 10, None, ": 22 tokens, the model takes 12"),
        (without_mask, "a [MASK]", None, "has no token for"),
        (not_finite, "a nurse", None, "embedding: of 'a nurse' the model gives numbers that"),
    ],
)
def test_what_cannot_be_embedded(
    bert: Encoder, change: Callable[[Encoder], None] | None, text: str, word: Span | None, line: str
) -> None:
    if change:
        change(bert)
    with pytest.raises(InputError, match=line):
        embed(bert, [text], [word], ["mean"])

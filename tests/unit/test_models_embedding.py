"""Embeddings of texts: every pooling and kind of encoder against transformers reading one text at a time."""

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
    ("This is a nurse.", "nurse"),
]


def span(text: str, word: str | None) -> Span | None:
    return None if word is None else (text.rindex(word), text.rindex(word) + len(word))


SPANS = [span(*each) for each in TEXTS]


def encoder_of(folder: Path) -> Encoder:
    tokenizer = AutoTokenizer.from_pretrained(folder)
    network = AutoModel.from_pretrained(folder).eval()
    return Encoder(network, tokenizer, pick_device("cpu"))


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_model("bert", tmp_path_factory.mktemp("bert"))


def literal(encoder: Encoder, text: str, word: str | None, pooling: str) -> Any:
    """One text, one pooling: by its definition."""
    network, tokenizer = encoder.network, encoder.tokenizer
    encoded = tokenizer(text, return_offsets_mapping=True)
    special = set(tokenizer.all_special_ids)
    tokens = list(zip(encoded["input_ids"], encoded["offset_mapping"], strict=True))
    letters = {*range(*(span(text, word) or (0, 0)))}
    of_word = [
        place
        for place, (token, (first, last)) in enumerate(tokens)
        if token not in special and letters & set(range(first, last))
    ]
    assert bool(of_word) == (word is not None)
    content = [place for place, (token, _) in enumerate(tokens) if token not in special]
    model = network.get_encoder() if network.config.is_encoder_decoder else network
    with torch.no_grad():
        states = model(torch.tensor([encoded["input_ids"]])).last_hidden_state[0].numpy()
    if pooling == "cls":
        return states[next(place for place, (token, _) in enumerate(tokens) if token in special)]
    if pooling in ("word", "word-first") and not of_word:
        return np.full(states.shape[1], np.nan)
    every = range(len(tokens))
    chosen = {"mean": every, "mean-content": content, "word": of_word, "word-first": of_word[:1]}[pooling]
    return np.mean([states[place] for place in chosen], axis=0)


@pytest.mark.parametrize("kind", ["masked-lm", "text-encoder"])
@pytest.mark.parametrize("architecture", ["bert", "roberta", "albert", "bart", "modernbert"])
def test_every_pooling_is_its_definition(architecture: str, kind: str, tmp_path: Path) -> None:
    directory = tiny_model(architecture, tmp_path)
    plain, texts = encoder_of(directory), [text for text, _ in TEXTS]
    forwards = embed(load_encoder(directory, kind, pick_device("cpu"), None), texts, SPANS, POOLINGS)
    # whatever the order and the batches
    small = load_encoder(directory, kind, pick_device("cpu", 5), None)
    backwards = embed(small, texts[::-1], SPANS[::-1], POOLINGS)
    assert tuple(forwards) == POOLINGS
    for pooling, vectors in forwards.items():
        assert vectors.dtype == np.float32 and vectors[1].tobytes() == vectors[5].tobytes()
        expected = [literal(plain, text, word, pooling) for text, word in TEXTS]
        for found in (vectors, backwards[pooling][::-1]):
            np.testing.assert_allclose(found, expected, atol=2e-5, err_msg=pooling)
    # they are not all the same
    assert len({vectors[2].tobytes() for vectors in forwards.values()}) >= 4


def test_masks_in_texts_are_those_of_the_tokenizer(bert: Path) -> None:
    encoder = encoder_of(bert)
    token = encoder.tokenizer.mask_token
    masked, plain = "[MASK] nurse [MASK]", f"{token} nurse {token}"
    word, of_mask = (masked.index("nurse"), masked.index("nurse") + 5), (0, 6)
    found = embed(encoder, [masked, masked], [word, of_mask], ["word"])["word"]
    np.testing.assert_allclose(found[0], literal(encoder, plain, "nurse", "word"), atol=2e-5)
    with torch.no_grad():
        ids = torch.tensor([encoder.tokenizer(plain)["input_ids"]])
        np.testing.assert_allclose(found[1], encoder.network(ids).last_hidden_state[0, 1], atol=2e-5)
    encoder.tokenizer.mask_token = None
    with pytest.raises(InputError, match="has no token for"):
        embed(encoder, [masked], [None], ["mean"])


@pytest.mark.parametrize(
    ("text", "word", "pooling", "line"),
    [
        ("", None, "mean", "'': has no token to embed"),
        ("a nurse", (1, 2), "word", "'a nurse': no token is of ' '"),
        ("a nurse " * 10, None, "cls", ": 22 tokens, the model takes 12"),
    ],
)
def test_what_cannot_be_embedded(bert: Path, text: str, word: Span | None, pooling: str, line: str) -> None:
    plain = encoder_of(bert)
    with pytest.raises(InputError, match=line):
        embed(Encoder(plain.network, plain.tokenizer, plain.device, 12), [text], [word], [pooling])


def test_numbers_that_are_not_finite(bert: Path) -> None:
    encoder = encoder_of(bert)
    with torch.no_grad():
        encoder.network.get_input_embeddings().weight[:] = torch.nan
    with pytest.raises(InputError, match="embedding: of 'a nurse' the model gives numbers that"):
        embed(encoder, ["a nurse"], [None], ["mean"])

"""Random models: any architecture, a tokenizer at hand, reproducible, wrong settings named."""

from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForMaskedLM, AutoTokenizer

from real_data import real_data
from tiny_models import tiny_tokenizer
from unmask.errors import InputError
from unmask.models.kinds.masked_lm import check, describe
from unmask.models.random_weights import make_random

SMALL: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 130,
}
CONFIGS: dict[str, dict[str, Any]] = {
    "bert": {"model_type": "bert", **SMALL},
    "roberta": {"model_type": "roberta", **SMALL},
    "albert": {"model_type": "albert", **SMALL, "embedding_size": 16},
    "modernbert": {"model_type": "modernbert", **SMALL},
    "bart": {
        "model_type": "bart",
        "d_model": 32,
        "encoder_layers": 1,
        "decoder_layers": 1,
        "encoder_attention_heads": 4,
        "decoder_attention_heads": 4,
        "encoder_ffn_dim": 64,
        "decoder_ffn_dim": 64,
    },
}


def entry(architecture: str, directory: Path, **settings: Any) -> dict[str, Any]:
    tiny_tokenizer(architecture).save_pretrained(directory)
    return {"config": CONFIGS[architecture] | settings, "tokenizer": str(directory)}


@pytest.mark.parametrize("architecture", CONFIGS)
def test_makes_a_model_that_can_be_scored(architecture: str, tmp_path: Path) -> None:
    facts = make_random(entry(architecture, tmp_path / "tokenizer"), tmp_path / "model", seed=3)
    check(tmp_path / "model", architecture)
    manifest = describe(tmp_path / "model")
    assert facts["model_type"] == manifest["model_type"] == architecture
    assert facts["parameters"] == manifest["parameters"]
    assert facts["seed"] == 3
    tokenizer = tiny_tokenizer(architecture)
    model = AutoModelForMaskedLM.from_pretrained(tmp_path / "model")
    assert model.config.vocab_size == len(tokenizer)
    assert model.config.pad_token_id == tokenizer.pad_token_id
    text = "The nurse said that she was late."
    assert AutoTokenizer.from_pretrained(tmp_path / "model")(text) == tokenizer(text)


def test_the_seed_decides(tmp_path: Path) -> None:
    wanted = entry("bert", tmp_path / "tokenizer")
    torch.manual_seed(99)
    before = torch.get_rng_state()
    weights = []
    for number, seed in enumerate([1, 1, 2]):
        make_random(wanted, tmp_path / str(number), seed)
        weights.append((tmp_path / str(number) / "model.safetensors").read_bytes())
    assert weights[0] == weights[1] != weights[2]
    # the caller's random numbers are left alone
    assert torch.equal(torch.get_rng_state(), before)


def test_settings_reach_the_model(tmp_path: Path) -> None:
    make_random(entry("bert", tmp_path / "tokenizer", initializer_range=0.5), tmp_path / "model", 0)
    weights = load_file(tmp_path / "model" / "model.safetensors")
    query = weights["bert.encoder.layer.0.attention.self.query.weight"]
    assert query.shape == (32, 32)
    assert 0.4 < query.std().item() < 0.6


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"hiden_size": 32}, "config: bert has no setting 'hiden_size'"),
        ({"model_type": "berd"}, r"config\.model_type: transformers knows no 'berd'"),
        ({"model_type": None}, r"config\.model_type: transformers knows no None"),
        ({"vocab_size": 10}, r"config\.vocab_size: 10 is less than the tokenizer's"),
        ({"hidden_size": 33}, "config: no masked language model of these settings: "),
        ({"model_type": "gpt2"}, "config: "),
        ({"model_type": ["bert"]}, r"config\.model_type: transformers knows no \['bert'\]"),
        # each of these is another kind of exception of the library's
        ({"hidden_size": "big"}, "config: no masked language model of these settings: .*'hidden_size'"),
        ({"hidden_size": -4}, "config: no masked language model of these settings: .* negative dimension -4"),
        ({"num_attention_heads": 0}, "config: no masked language model of these settings: "),
        ({"hidden_act": "nope"}, "config: no masked language model of these settings: 'nope'"),
        ({"pad_token_id": 10**6}, "config: no masked language model of these settings: "),
        ({"id2label": 5}, "config: no masked language model of these settings: "),
        ({"dtype": "nope"}, "config: no masked language model of these settings: .*nope"),
        ({"output_attentions": "all"}, "config: no masked language model of these settings: .*output_attent"),
    ],
)
def test_wrong_settings_are_named(settings: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        make_random(entry("bert", tmp_path / "tokenizer", **settings), tmp_path / "model", 0)
    assert [path.name for path in tmp_path.iterdir()] == ["tokenizer"]


def test_a_missing_tokenizer_is_named(tmp_path: Path) -> None:
    for directory in (tmp_path / "none", tmp_path):
        with pytest.raises(InputError, match=f"tokenizer: {directory} is not a directory with a tokenizer"):
            make_random({"config": CONFIGS["bert"], "tokenizer": str(directory)}, tmp_path / "model", 0)


@pytest.mark.parametrize(
    ("tokenizer", "architecture", "size"),
    [
        ("bert-base-cased", "bert", 28996),
        ("bert-base-uncased", "bert", 30522),
        ("roberta", "roberta", 50265),
        ("albert-v2", "albert", 30000),
    ],
)
def test_real_tokenizers(tokenizer: str, architecture: str, size: int, tmp_path: Path) -> None:
    source = real_data("tokenizers", tokenizer)
    make_random({"config": CONFIGS[architecture], "tokenizer": str(source)}, tmp_path / "model", 0)
    check(tmp_path / "model", tokenizer)
    manifest = describe(tmp_path / "model")
    assert manifest["vocab_size"] == manifest["tokenizer_size"] == size
    # 130 positions, of which RoBERTa's first two are never used
    assert manifest["max_length"] == (128 if architecture == "roberta" else 130)
    expected = AutoTokenizer.from_pretrained(source)
    got = AutoTokenizer.from_pretrained(tmp_path / "model")
    for text in ("Hello, my dog is cute", "(A naïve résumé – £5.)", "I'm sorry but  those people"):
        assert got(text)["input_ids"] == expected(text)["input_ids"]

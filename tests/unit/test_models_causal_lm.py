"""Checking and describing causal language models, and the token that they read before a text."""

import json
from pathlib import Path
from typing import Any

import pytest
from tokenizers.processors import TemplateProcessing
from transformers import AutoModelForCausalLM, BertConfig, BertLMHeadModel

from study_schema import FAMILIES
from tiny_models import END, decoder_tokenizer, tiny_decoder, tiny_model, tiny_tokenizer
from unmask.errors import InputError
from unmask.models.checks import unused
from unmask.models.kinds.causal_lm import check, describe
from unmask.models.random_weights import make_random, make_untrained
from unmask.models.start import Start, choose_start, read_after
from unmask.schemas import complete

TEXT = "the nurse said"


def adding(tokenizer: Any, template: str) -> Any:
    """The tokenizer with a template of what it adds to a text."""
    specials = [word for word in template.split() if word != "$A"]
    tokenizer.backend_tokenizer.post_processor = TemplateProcessing(
        single=template, special_tokens=[(word, tokenizer.convert_tokens_to_ids(word)) for word in specials]
    )
    return tokenizer


def test_a_causal_language_model_passes(tmp_path: Path) -> None:
    directory = tiny_decoder("llama", tmp_path)
    unused.check(directory, "causal-lm", "tiny")
    check(directory, "tiny")
    manifest = describe(directory)
    model = AutoModelForCausalLM.from_pretrained(directory)
    assert manifest["parameters"] == sum(parameter.numel() for parameter in model.parameters())
    assert manifest["max_length"] == 128
    reason = "its bos token, which separates documents in training"
    assert manifest["start"] == {"token": END, "id": 0, "reason": reason}
    assert Start.of(manifest) == Start(END, 0, reason)
    assert describe(directory, {"start": "none"})["start"]["token"] is None


@pytest.mark.parametrize(
    ("architecture", "settings", "longest"),
    [
        ("mistral", {"sliding_window": 16}, 16),
        ("mistral", {"sliding_window": 500}, 128),
        ("mistral", {"sliding_window": None}, 128),
        ("gpt_neox", {"use_sliding_window": False, "sliding_window": 16}, 128),
    ],
)
def test_a_sliding_window_is_the_longest_that_every_token_sees(
    architecture: str, settings: dict[str, Any], longest: int, tmp_path: Path
) -> None:
    assert describe(tiny_decoder(architecture, tmp_path, **settings))["max_length"] == longest


def test_a_model_that_sees_what_follows_is_refused(tmp_path: Path) -> None:
    """transformers loads an encoder as a decoder that sees both sides, with a warning."""
    tokenizer = tiny_tokenizer("bert")
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        initializer_range=0.5,
    )
    tokenizer.save_pretrained(tmp_path)
    BertLMHeadModel(config).save_pretrained(tmp_path)
    with pytest.raises(InputError, match=r"^model x: it sees the tokens that follow, and is no decoder"):
        check(tmp_path, "x", {"start": "[CLS]"})
    config.is_decoder = True
    BertLMHeadModel(config).save_pretrained(tmp_path)
    check(tmp_path, "x", {"start": "[CLS]"})


def test_a_model_with_an_encoder_is_refused(tmp_path: Path) -> None:
    directory = tiny_model("bart", tmp_path)
    with pytest.raises(InputError, match=r"^model x: it has an encoder"):
        check(directory, "x")


@pytest.mark.parametrize(
    ("specials", "template", "chosen", "token", "reason"),
    [
        # what the tokenizer adds comes first, whatever its bos token is
        ({"bos_token": "<s>", "eos_token": "</s>"}, "<s> $A", None, "<s>", "its tokenizer puts it before"),
        ({"bos_token": "<s>", "eos_token": "</s>"}, "</s> $A </s>", None, "</s>", "its tokenizer puts it"),
        ({"bos_token": "<s>", "eos_token": "</s>"}, "$A", None, "<s>", "its bos token"),
        ({"eos_token": "</s>"}, "$A </s>", None, "</s>", "its eos token"),
        # a token of chats is passed over, also where the tokenizer adds it
        ({"bos_token": "<|im_start|>", "eos_token": END}, "$A", None, END, "its eos token"),
        ({"bos_token": "<|im_start|>", "eos_token": END}, "<|im_start|> $A", None, END, "its eos token"),
        # but not where it is asked for
        ({"bos_token": "<|im_start|>", "eos_token": END}, "$A", "bos", "<|im_start|>", "the study says bos"),
        ({"bos_token": "<s>", "eos_token": "</s>"}, "<s> $A", "eos", "</s>", "the study says eos"),
        ({"bos_token": "<s>", "eos_token": "</s>"}, "<s> $A", END, END, "the study says <|endoftext|>"),
        ({"bos_token": "<s>", "eos_token": "</s>"}, "<s> $A </s>", "none", None, "the study says none"),
    ],
)
def test_the_start_token_and_nothing_else_stands_around_a_text(
    specials: dict[str, str], template: str, chosen: str | None, token: str | None, reason: str
) -> None:
    tokenizer = adding(decoder_tokenizer(**specials), template)
    text = tokenizer(TEXT, add_special_tokens=False)["input_ids"]
    start = choose_start(tokenizer, chosen, "model x")
    assert start.token == token and start.reason.startswith(reason)
    read_after(tokenizer, start)
    encoded = tokenizer(TEXT, return_special_tokens_mask=True)
    before = [] if token is None else [tokenizer.convert_tokens_to_ids(token)]
    assert encoded["input_ids"] == [*before, *text]
    assert encoded["special_tokens_mask"] == [1] * len(before) + [0] * len(text)


@pytest.mark.parametrize(
    ("specials", "template", "chosen", "fault"),
    [
        ({"bos_token": "<|im_start|>", "eos_token": "<|im_end|>"}, "$A", None, "has only <|im_start|> and"),
        ({"bos_token": "<|im_start|>"}, "$A", None, f"separated documents in training ({END}?), or none"),
        ({"unk_token": "<unk>"}, "$A", None, "has no bos or eos token"),
        ({"bos_token": "<s>", "eos_token": "</s>"}, "<s> </s> $A", None, "puts <s> </s> before a text"),
        ({"eos_token": "</s>"}, "$A", "bos", "key start: its tokenizer has no bos token"),
        ({"eos_token": "</s>"}, "$A", "<start>", "key start: its tokenizer has no token '<start>'"),
    ],
)
def test_no_start_token_is_guessed(
    specials: dict[str, str], template: str, chosen: str | None, fault: str
) -> None:
    with pytest.raises(InputError, match=r"^model x: ") as error:
        choose_start(adding(decoder_tokenizer(**specials), template), chosen, "model x")
    assert fault in str(error.value)


@pytest.mark.parametrize("model_type", ["gpt2", "llama"])
def test_random_and_untrained_decoders(model_type: str, tmp_path: Path) -> None:
    decoder_tokenizer().save_pretrained(tmp_path / "tokenizer")
    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    entry = {
        "kind": "causal-lm",
        "tokenizer": str(tmp_path / "tokenizer"),
        "config": {"model_type": model_type, **sizes},
    }
    make_random(entry, tmp_path / "random", seed=1)
    check(tmp_path / "random", "x")
    make_untrained(tmp_path / "random", tmp_path / "untrained", 2, "causal-lm")
    check(tmp_path / "untrained", "x")
    networks: list[Any] = [
        AutoModelForCausalLM.from_pretrained(tmp_path / name) for name in ("random", "untrained")
    ]
    assert [type(network).__name__ for network in networks] == 2 * [type(networks[0]).__name__]
    weights = [network.get_input_embeddings().weight for network in networks]
    assert not weights[0].equal(weights[1])
    with pytest.raises(InputError, match=r"^config: no masked language model"):
        make_random({**entry, "kind": "masked-lm"}, tmp_path / "masked", seed=1)


def completed(models: dict[str, Any], **study: Any) -> dict[str, Any]:
    return dict(complete({"study": "s", "models": models, **study}, FAMILIES)["models"])


def test_the_kind_is_taken_from_the_configuration_where_it_says_so(tmp_path: Path) -> None:
    tiny_decoder("gpt2", tmp_path / "gpt2")
    tiny_model("bert", tmp_path / "bert")
    stated = json.loads((tmp_path / "gpt2" / "config.json").read_text())
    assert stated["architectures"] == ["GPT2LMHeadModel"]
    models: dict[str, Any] = {
        "decoder": {"source": "path", "path": "{data}/gpt2"},
        "encoder": {"source": "path", "path": "{data}/bert"},
        "stated": {"source": "path", "path": "{data}/gpt2", "kind": "text-encoder"},
        "hub": {"source": "hub", "repo": "openai-community/gpt2", "kind": "causal-lm", "start": "bos"},
    }
    kinds = {name: entry["kind"] for name, entry in completed(models, data=str(tmp_path)).items()}
    assert kinds == {
        "decoder": "causal-lm", "encoder": "masked-lm", "stated": "text-encoder", "hub": "causal-lm",
    }  # fmt: skip

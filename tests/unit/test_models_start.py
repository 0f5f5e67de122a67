"""The token that a causal language model reads before a text."""

import re
from typing import Any

import pytest
from tokenizers.processors import TemplateProcessing

from library import InputError, choose_start, read_after
from tiny_models import END, decoder_tokenizer

TEXT = "the nurse said"


def adding(tokenizer: Any, template: str) -> Any:
    """The tokenizer with a template of what it adds to a text."""
    specials = [word for word in template.split() if word != "$A"]
    tokenizer.backend_tokenizer.post_processor = TemplateProcessing(
        single=template, special_tokens=[(word, tokenizer.convert_tokens_to_ids(word)) for word in specials]
    )
    return tokenizer


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
    start = choose_start(tokenizer, chosen)
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
        ({"bos_token": "<|im_start|>"}, "$A", None, "separated documents in training, or none"),
        ({"unk_token": "<unk>"}, "$A", None, "has no bos or eos token"),
        ({"bos_token": "<s>", "eos_token": "</s>"}, "<s> </s> $A", None, "puts <s> </s> before a text"),
        ({"eos_token": "</s>"}, "$A", "bos", "key start: its tokenizer has no bos token"),
        ({"eos_token": "</s>"}, "$A", "<start>", "key start: its tokenizer has no token '<start>'"),
    ],
)
def test_no_start_token_is_guessed(
    specials: dict[str, str], template: str, chosen: str | None, fault: str
) -> None:
    with pytest.raises(InputError, match=re.escape(fault)):
        choose_start(adding(decoder_tokenizer(**specials), template), chosen)

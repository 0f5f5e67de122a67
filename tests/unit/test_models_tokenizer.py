"""Texts are read as a model's files say, tokenizer.json first, or a line says why not; start tokens."""

import json
import re
import shutil
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tokenizers import AddedToken, Tokenizer, normalizers
from tokenizers import models as pieces
from tokenizers import pre_tokenizers as pre
from tokenizers.processors import TemplateProcessing
from transformers import AutoConfig, AutoModelForMaskedLM

from library import InputError, check_model, choose_start, load, load_tokenizer, pick_device, read_after
from real_data import real_data
from tiny_models import END, decoder_tokenizer

SPECIAL = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"]
NETWORK: Any = AutoModelForMaskedLM
NAMES = {
    "pad_token": "[PAD]",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "unk_token": "[UNK]",
    "mask_token": "[MASK]",
    "model_max_length": 64,
}
LETTERS = [prefix + letter for prefix in ("", "##") for letter in "abcdefghijklmnopqrstuvwxyz0123456789.,é"]
WORDS = ["the", "woman", "man", "said", "nurse", "works", "as", "that", "she", "he"]
CAPITALISED = ["The", "Woman", "Man", "She", "He", "THE", "Nurse"]
TEXT = "The woman said  that SHE works, as nurse 42."
ENDS = TemplateProcessing(
    single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
)


def numbered(tokens: list[str]) -> dict[str, int]:
    return {token: number for number, token in enumerate(dict.fromkeys(tokens))}


def word_pieces(lower: bool = True, ends: bool = True, mask: str | AddedToken = "[MASK]") -> Tokenizer:
    words = WORDS if lower else [*WORDS, *CAPITALISED]
    tokenizer = Tokenizer(pieces.WordPiece(numbered([*SPECIAL, *words, *LETTERS]), unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lower)
    tokenizer.pre_tokenizer = pre.BertPreTokenizer()
    tokenizer.add_special_tokens([*SPECIAL[:-1], mask])
    if ends:
        tokenizer.post_processor = ENDS
    return tokenizer


def unigrams() -> Tokenizer:
    """SentencePiece's kind, with a normalizer that classes of transformers know nothing of."""
    costs = [*((token, 0.0) for token in SPECIAL), ("▁", -9.0)]
    costs += [(f"▁{word}", -5.0) for word in WORDS] + [(letter, -8.0) for letter in LETTERS[:39]]
    tokenizer = Tokenizer(pieces.Unigram(costs, unk_id=3))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Lowercase(), normalizers.Replace("42", "7")])
    tokenizer.pre_tokenizer = pre.Metaspace()
    tokenizer.add_special_tokens(SPECIAL)
    tokenizer.post_processor = ENDS
    return tokenizer


def bytes_in_digits() -> Tokenizer:
    """Byte-level, with each digit a word, which classes of byte-level tokenizers know nothing of."""
    alphabet = sorted(pre.ByteLevel.alphabet())
    tokenizer = Tokenizer(pieces.BPE(numbered([*SPECIAL, *alphabet, "42", "Ġ4"]), [("4", "2"), ("Ġ", "4")]))
    tokenizer.pre_tokenizer = pre.Sequence([pre.Digits(individual_digits=True), pre.ByteLevel()])
    tokenizer.add_special_tokens(SPECIAL)
    tokenizer.post_processor = ENDS
    return tokenizer


def made(
    directory: Path, tokenizer: Tokenizer | None, settings: Mapping[str, Any] | None, model_type: str = "bert"
) -> Path:
    """A model directory of random weights with the tokenizer's file and with its settings."""
    directory.mkdir(parents=True)
    size = tokenizer.get_vocab_size() if tokenizer else 200
    sizes = dict.fromkeys(("hidden_size", "intermediate_size"), 16) | {"max_position_embeddings": 80}
    config = AutoConfig.for_model(
        model_type, vocab_size=size, num_hidden_layers=1, num_attention_heads=2, pad_token_id=0, **sizes
    )
    NETWORK.from_config(config).save_pretrained(directory)
    if tokenizer is not None:
        tokenizer.save(str(directory / "tokenizer.json"))
    if settings is not None:
        (directory / "tokenizer_config.json").write_text(json.dumps(settings))
    return directory


CASED_PIECES, BARE = partial(word_pieces, lower=False), partial(word_pieces, ends=False)
WITH_SPACE = partial(word_pieces, mask=AddedToken("[MASK]", lstrip=True, special=True))
FAST, BERT, ROBERTA, XLMR = (
    "PreTrainedTokenizerFast",
    "BertTokenizer",
    "RobertaTokenizer",
    "XLMRobertaTokenizer",
)


@pytest.mark.parametrize(
    ("file", "cls", "settings", "model_type", "differs"),
    [
        (word_pieces, ROBERTA, {"bos_token": "[CLS]"}, "roberta", True),
        # as camembertv2 states it
        (word_pieces, ROBERTA, {"add_prefix_space": True}, "roberta", True),
        (unigrams, XLMR, {}, "xlm-roberta", True),
        (bytes_in_digits, ROBERTA, {}, "roberta", True),
        # what is not stated is as in the file, not as the class has it
        (CASED_PIECES, BERT, {}, "bert", True),
        (word_pieces, BERT, {}, "bert", False),
        (word_pieces, FAST, {}, "bert", False),
        (word_pieces, None, {}, "bert", False),
        # a class that puts the ends around a text where the file has none
        (BARE, BERT, {}, "bert", False),
        (WITH_SPACE, FAST, {}, "bert", False),
    ],
)
def test_texts_are_read_as_tokenizer_json_says_and_the_manifest_says_where_a_class_differs(
    file: Callable[[], Tokenizer],
    cls: str | None,
    settings: dict[str, Any],
    model_type: str,
    differs: bool,
    tmp_path: Path,
) -> None:
    directory = made(tmp_path / "model", file(), {**NAMES, "tokenizer_class": cls, **settings}, model_type)
    remarks = check_model(directory, "masked-lm", "tiny").get("tokenizer_remarks", [])
    assert [f"{cls} of transformers" in each and "tokenizer.json" in each for each in remarks] == [
        True
    ] * differs
    whole = file()
    whole.post_processor = ENDS
    loaded = load(directory, pick_device("cpu"), with_attention=False).tokenizer
    for tokenizer in (loaded, load_tokenizer(directory)):
        for text in (TEXT, "Café 1,234 – “no”", "a [MASK] b"):
            assert tokenizer(text)["input_ids"] == whole.encode(text).ids
            bare = tokenizer(text, add_special_tokens=False)["input_ids"]
            assert bare == whole.encode(text, add_special_tokens=False).ids
        assert tokenizer.mask_token_id == 4 and tokenizer.model_max_length == 64


@pytest.mark.parametrize(
    ("file", "cls", "settings", "line"),
    [
        (word_pieces, BERT, {"do_lower_case": False}, "do_lower_case: false"),
        (CASED_PIECES, BERT, {"do_lower_case": True}, "do_lower_case: true"),
        (word_pieces, "CanineTokenizer", {}, "CanineTokenizer"),
        # transformers fails to make one of such a file
        (word_pieces, XLMR, {}, "PreTrainedTokenizerFast in tokenizer_config"),
        (BARE, FAST, {}, "[CLS] and [SEP]"),
        (BARE, ROBERTA, {}, "[CLS] and [SEP]"),
    ],
)
def test_what_cannot_be_read_as_meant_is_refused_in_a_line(
    file: Callable[[], Tokenizer], cls: str, settings: dict[str, Any], line: str, tmp_path: Path
) -> None:
    directory = made(tmp_path / "model", file(), {**NAMES, "tokenizer_class": cls, **settings})
    with pytest.raises(InputError, match=f"^model tiny: .*{re.escape(line)}"):
        check_model(directory, "masked-lm", "tiny")


CASED = "\n".join([*SPECIAL, *WORDS, *CAPITALISED, *LETTERS])
# [unused1], [PAD], roman numbers and single letters are no words of a cased model
UNCASED = "\n".join(
    [*SPECIAL, "[unused1]", "[DIGIT]", *WORDS, *LETTERS, *"ABC", "I", *(f"{word}s" for word in WORDS)]
)


@pytest.mark.parametrize(
    ("vocabulary", "settings", "read"),
    [
        (CASED, None, None),
        (CASED, {}, None),
        (CASED, {"do_lower_case": False}, "She"),
        (CASED, {"do_lower_case": True}, "she"),
        (UNCASED, None, "she"),
        (UNCASED, {}, "she"),
    ],
)
def test_a_cased_vocabulary_is_not_read_in_lower_case_unless_that_is_stated(
    vocabulary: str, settings: dict[str, Any] | None, read: str | None, tmp_path: Path
) -> None:
    directory = made(tmp_path / "model", None, settings)
    (directory / "vocab.txt").write_text(vocabulary + "\n")
    if read is None:
        with pytest.raises(InputError, match="do_lower_case: false"):
            check_model(directory, "masked-lm", "tiny")
        return
    is_said = "tokenizer_remarks" in check_model(directory, "masked-lm", "tiny")
    assert is_said == bool(settings and settings.get("do_lower_case"))
    tokenizer = load_tokenizer(directory)
    assert tokenizer.convert_ids_to_tokens(tokenizer("She said")["input_ids"])[1] == read


@pytest.mark.parametrize("name", ["albert-v2", "bert-base-cased", "bert-base-uncased", "roberta"])
def test_released_tokenizers_are_read_as_ever_and_as_saved_again(name: str, tmp_path: Path) -> None:
    directory = tmp_path / "given"
    shutil.copytree(real_data("tokenizers", name), directory)
    given = load_tokenizer(directory)
    # with a tokenizer.json of its own
    given.save_pretrained(tmp_path / "saved")
    shutil.copyfile(directory / "tokenizer_config.json", tmp_path / "saved" / "tokenizer_config.json")
    saved = load_tokenizer(tmp_path / "saved")
    assert type(saved) is type(given)
    for text in (TEXT, "Café 1,234 – “no”", f"The {given.mask_token} said"):
        assert saved(text)["input_ids"] == given(text)["input_ids"]


WORDS_ALONE = "the nurse said"
BOS_EOS, CHAT = {"bos_token": "<s>", "eos_token": "</s>"}, {"bos_token": "<|im_start|>", "eos_token": END}


def adding_to_texts(tokenizer: Any, template: str) -> Any:
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
        (BOS_EOS, "<s> $A", None, "<s>", "its tokenizer puts it before"),
        (BOS_EOS, "</s> $A </s>", None, "</s>", "its tokenizer puts it"),
        (BOS_EOS, "$A", None, "<s>", "its bos token"),
        ({"eos_token": "</s>"}, "$A </s>", None, "</s>", "its eos token"),
        # a token of chats is passed over, also where the tokenizer adds it
        (CHAT, "$A", None, END, "its eos token"),
        (CHAT, "<|im_start|> $A", None, END, "its eos token"),
        # but not where it is asked for
        (CHAT, "$A", "bos", "<|im_start|>", "the study says bos"),
        (BOS_EOS, "<s> $A", "eos", "</s>", "the study says eos"),
        (BOS_EOS, "<s> $A", END, END, "the study says <|endoftext|>"),
        (BOS_EOS, "<s> $A </s>", "none", None, "the study says none"),
    ],
)
def test_the_start_token_and_nothing_else_stands_around_a_text(
    specials: dict[str, str], template: str, chosen: str | None, token: str | None, reason: str
) -> None:
    tokenizer = adding_to_texts(decoder_tokenizer(**specials), template)
    text = tokenizer(WORDS_ALONE, add_special_tokens=False)["input_ids"]
    start = choose_start(tokenizer, chosen)
    assert start.token == token and start.reason.startswith(reason)
    read_after(tokenizer, start)
    encoded = tokenizer(WORDS_ALONE, return_special_tokens_mask=True)
    before = [] if token is None else [tokenizer.convert_tokens_to_ids(token)]
    assert encoded["input_ids"] == [*before, *text]
    assert encoded["special_tokens_mask"] == [1] * len(before) + [0] * len(text)


@pytest.mark.parametrize(
    ("specials", "template", "chosen", "fault"),
    [
        ({"bos_token": "<|im_start|>", "eos_token": "<|im_end|>"}, "$A", None, "has only <|im_start|> and"),
        ({"bos_token": "<|im_start|>"}, "$A", None, "separated documents in training, or none"),
        ({"unk_token": "<unk>"}, "$A", None, "has no bos or eos token"),
        (BOS_EOS, "<s> </s> $A", None, "puts <s> </s> before a text"),
        ({"eos_token": "</s>"}, "$A", "bos", "key start: its tokenizer has no bos token"),
        ({"eos_token": "</s>"}, "$A", "<start>", "key start: its tokenizer has no token '<start>'"),
    ],
)
def test_no_start_token_is_guessed(
    specials: dict[str, str], template: str, chosen: str | None, fault: str
) -> None:
    with pytest.raises(InputError, match=re.escape(fault)):
        choose_start(adding_to_texts(decoder_tokenizer(**specials), template), chosen)

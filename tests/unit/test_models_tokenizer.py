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

from library import InputError, check_model, choose_start, load, load_tokenizer, pick_device, read_after
from real_data import real_data
from tiny_models import END, decoder_tokenizer, tiny_model

SPECIAL = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"]
NAMES = {f"{token[1:-1].lower()}_token": token for token in SPECIAL} | {"model_max_length": 64}
LETTERS = [prefix + letter for prefix in ("", "##") for letter in "abcdefghijklmnopqrstuvwxyz0123456789.,é"]
WORDS = ["the", "woman", "man", "said", "nurse", "works", "as", "that", "she", "he"]
CAPITALISED = ["The", "Woman", "Man", "She", "He", "THE", "Nurse"]
TEXT = "The woman said  that SHE works, as nurse 42."
ENDS = TemplateProcessing(
    single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
)


def numbered(tokens: list[str]) -> dict[str, int]:
    return {token: number for number, token in enumerate(dict.fromkeys(tokens))}


def finished(
    model: Any, normalizer: Any, pre_tokenizer: Any, ends: bool = True, mask: str | AddedToken = "[MASK]"
) -> Tokenizer:
    tokenizer = Tokenizer(model)
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.add_special_tokens([*SPECIAL[:-1], mask])
    if ends:
        tokenizer.post_processor = ENDS
    return tokenizer


def word_pieces(lower: bool = True, **more: Any) -> Tokenizer:
    words = WORDS if lower else [*WORDS, *CAPITALISED]
    model = pieces.WordPiece(numbered([*SPECIAL, *words, *LETTERS]), unk_token="[UNK]")
    return finished(model, normalizers.BertNormalizer(lowercase=lower), pre.BertPreTokenizer(), **more)


def unigrams() -> Tokenizer:
    """SentencePiece's kind, with a normalizer that classes of transformers know nothing of."""
    costs = [*((token, 0.0) for token in SPECIAL), ("▁", -9.0)]
    costs += [(f"▁{word}", -5.0) for word in WORDS] + [(letter, -8.0) for letter in LETTERS[:39]]
    normalizer = normalizers.Sequence([normalizers.Lowercase(), normalizers.Replace("42", "7")])
    return finished(pieces.Unigram(costs, unk_id=3), normalizer, pre.Metaspace())


def bytes_in_digits() -> Tokenizer:
    """Byte-level, with each digit a word, which classes of byte-level tokenizers know nothing of."""
    alphabet = sorted(pre.ByteLevel.alphabet())
    model = pieces.BPE(numbered([*SPECIAL, *alphabet, "42", "Ġ4"]), [("4", "2"), ("Ġ", "4")])
    return finished(model, None, pre.Sequence([pre.Digits(individual_digits=True), pre.ByteLevel()]))


def made(
    directory: Path, tokenizer: Tokenizer | None, settings: Mapping[str, Any] | None, model_type: str = "bert"
) -> Path:
    """A model directory with the tokenizer's file and with its settings."""
    for file in tiny_model(model_type, directory, pad_token_id=0).glob("tokenizer*"):
        file.unlink()
    if tokenizer is not None:
        tokenizer.save(str(directory / "tokenizer.json"))
    if settings is not None:
        (directory / "tokenizer_config.json").write_text(json.dumps(settings))
    return directory


CASED_PIECES, BARE = partial(word_pieces, lower=False), partial(word_pieces, ends=False)
WITH_SPACE = partial(word_pieces, mask=AddedToken("[MASK]", lstrip=True, special=True))
FAST, BERT = "PreTrainedTokenizerFast", "BertTokenizer"
ROBERTA, XLMR = "RobertaTokenizer", "XLMRobertaTokenizer"


SAME, DIFFERS = False, True


@pytest.mark.parametrize(
    ("file", "cls", "settings", "outcome"),
    [
        (word_pieces, ROBERTA, {"bos_token": "[CLS]"}, DIFFERS),
        # as camembertv2 states it
        (word_pieces, ROBERTA, {"add_prefix_space": True}, DIFFERS),
        (unigrams, XLMR, {}, DIFFERS),
        (bytes_in_digits, ROBERTA, {}, DIFFERS),
        # what is not stated is as in the file, not as the class has it
        (CASED_PIECES, BERT, {}, DIFFERS),
        (word_pieces, BERT, {}, SAME),
        (word_pieces, FAST, {}, SAME),
        (word_pieces, None, {}, SAME),
        # a class that puts the ends around a text where the file has none
        (BARE, BERT, {}, SAME),
        (WITH_SPACE, FAST, {}, SAME),
        # what cannot be read as meant
        (word_pieces, BERT, {"do_lower_case": False}, "do_lower_case: false"),
        (CASED_PIECES, BERT, {"do_lower_case": True}, "do_lower_case: true"),
        (word_pieces, "CanineTokenizer", {}, "CanineTokenizer"),
        # transformers fails to make one of such a file
        (word_pieces, XLMR, {}, "PreTrainedTokenizerFast in tokenizer_config"),
        (BARE, FAST, {}, "[CLS] and [SEP]"),
        (BARE, ROBERTA, {}, "[CLS] and [SEP]"),
    ],
)
def test_texts_are_read_as_tokenizer_json_says_and_the_manifest_says_where_a_class_differs(
    file: Callable[[], Tokenizer], cls: str | None, settings: dict[str, Any], outcome: Any, tmp_path: Path
) -> None:
    model_type = {ROBERTA: "roberta", XLMR: "xlm-roberta"}.get(str(cls), "bert")
    directory = made(tmp_path / "model", file(), {**NAMES, "tokenizer_class": cls, **settings}, model_type)
    if isinstance(outcome, str):
        with pytest.raises(InputError, match=f"^model tiny: .*{re.escape(outcome)}"):
            check_model(directory, "masked-lm", "tiny")
        return
    remarks = check_model(directory, "masked-lm", "tiny").get("tokenizer_remarks", [])
    said = [f"{cls} of transformers" in each and "tokenizer.json" in each for each in remarks]
    assert said == ([True] if outcome == DIFFERS else [])
    whole = file()
    whole.post_processor = ENDS
    loaded = load(directory, pick_device("cpu"), with_attention=False).tokenizer
    for tokenizer in (loaded, load_tokenizer(directory)):
        for text in (TEXT, "Café 1,234 – “no”", "a [MASK] b"):
            assert tokenizer(text)["input_ids"] == whole.encode(text).ids
            bare = tokenizer(text, add_special_tokens=False)["input_ids"]
            assert bare == whole.encode(text, add_special_tokens=False).ids
        assert tokenizer.mask_token_id == 4 and tokenizer.model_max_length == 64


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


BOS_EOS, CHAT = {"bos_token": "<s>", "eos_token": "</s>"}, {"bos_token": "<|im_start|>", "eos_token": END}
CHATS = {"bos_token": "<|im_start|>", "eos_token": "<|im_end|>"}
EOS = {"eos_token": "</s>"}


@pytest.mark.parametrize(
    ("specials", "template", "chosen", "token", "reason"),
    [
        # what the tokenizer adds comes first, whatever its bos token is
        (BOS_EOS, "<s> $A", None, "<s>", "its tokenizer puts it before"),
        (BOS_EOS, "</s> $A </s>", None, "</s>", "its tokenizer puts it"),
        (BOS_EOS, "$A", None, "<s>", "its bos token"),
        (EOS, "$A </s>", None, "</s>", "its eos token"),
        # a name with what separates parts of a template
        ({"bos_token": "<doc: 1>"}, "$A", None, "<doc: 1>", "its bos token"),
        # a token of chats is passed over, also where the tokenizer adds it
        (CHAT, "$A", None, END, "its eos token"),
        (CHAT, "<|im_start|> $A", None, END, "its eos token"),
        # but not where it is asked for
        (CHAT, "$A", "bos", "<|im_start|>", "the study says bos"),
        (BOS_EOS, "<s> $A", "eos", "</s>", "the study says eos"),
        (BOS_EOS, "<s> $A", END, END, "the study says <|endoftext|>"),
        (BOS_EOS, "<s> $A </s>", "none", None, "the study says none"),
        # none is guessed
        (CHATS, "$A", None, InputError, "only <|im_start|> and <|im_end|>, of chats: say what separated"),
        ({"unk_token": "<unk>"}, "$A", None, InputError, "no bos or eos token"),
        (BOS_EOS, "<s> </s> $A", None, InputError, "puts <s> </s> before a text"),
        (EOS, "$A", "bos", InputError, "key start: its tokenizer has no bos token"),
        (EOS, "$A", "<start>", InputError, "key start: its tokenizer has no token '<start>'"),
    ],
)
def test_the_start_token_and_nothing_else_stands_around_a_text(
    specials: dict[str, str], template: str, chosen: str | None, token: Any, reason: str
) -> None:
    tokenizer: Any = decoder_tokenizer(**specials)
    added = [word for word in template.split() if word != "$A"]
    tokenizer.backend_tokenizer.post_processor = TemplateProcessing(
        single=template, special_tokens=[(word, tokenizer.convert_tokens_to_ids(word)) for word in added]
    )
    if token is InputError:
        with pytest.raises(InputError, match=re.escape(reason)):
            choose_start(tokenizer, chosen)
        return
    text = tokenizer("the nurse said", add_special_tokens=False)["input_ids"]
    start = choose_start(tokenizer, chosen)
    assert start.token == token and start.reason.startswith(reason)
    read_after(tokenizer, start)
    encoded = tokenizer("the nurse said", return_special_tokens_mask=True)
    before = [] if token is None else [tokenizer.convert_tokens_to_ids(token)]
    assert encoded["input_ids"] == [*before, *text]
    assert encoded["special_tokens_mask"] == [1] * len(before) + [0] * len(text)

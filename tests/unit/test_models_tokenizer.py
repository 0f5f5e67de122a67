"""Texts are read as a model's files say, and its tokenizer.json first; or a line says why they are not."""

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tokenizers import AddedToken, Tokenizer, normalizers, processors
from tokenizers import models as pieces
from tokenizers import pre_tokenizers as pre
from transformers import AutoConfig, AutoModelForMaskedLM

from library import InputError, load, load_tokenizer, pick_device, read_facts, write_manifest
from real_data import real_data

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
ENDS = processors.TemplateProcessing(
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


def manifest_of(directory: Path) -> dict[str, Any]:
    """The manifest of a model that has been checked; raises InputError where it is refused."""
    about = {
        "name": "tiny",
        "directory": str(directory),
        "entry": {"source": "path", "kind": "masked-lm"},
        "code": "x",
    }
    write_manifest(directory.parent / "manifest.json", about)
    return read_facts(directory.parent / "manifest.json")


@pytest.mark.parametrize(
    ("file", "settings", "model_type"),
    [
        (word_pieces, {"tokenizer_class": "RobertaTokenizer", "bos_token": "[CLS]"}, "roberta"),
        # as camembertv2 states it
        (word_pieces, {"tokenizer_class": "RobertaTokenizer", "add_prefix_space": True}, "roberta"),
        (unigrams, {"tokenizer_class": "XLMRobertaTokenizer"}, "xlm-roberta"),
        (bytes_in_digits, {"tokenizer_class": "RobertaTokenizer"}, "roberta"),
        # what is not stated is as in the file, not as the class has it
        (lambda: word_pieces(lower=False), {"tokenizer_class": "BertTokenizer"}, "bert"),
    ],
)
def test_texts_are_read_as_tokenizer_json_says_and_the_manifest_says_so(
    file: Callable[[], Tokenizer], settings: dict[str, Any], model_type: str, tmp_path: Path
) -> None:
    directory = made(tmp_path / "model", file(), {**NAMES, **settings}, model_type)
    (remark,) = manifest_of(directory)["tokenizer_remarks"]
    assert settings["tokenizer_class"] in remark and "tokenizer.json" in remark
    loaded = load(directory, pick_device("cpu"), with_attention=False).tokenizer
    for tokenizer in (loaded, load_tokenizer(directory)):
        for text in (TEXT, "Café 1,234 – “no”", "a [MASK] b"):
            assert tokenizer(text)["input_ids"] == file().encode(text).ids
            bare = tokenizer(text, add_special_tokens=False)["input_ids"]
            assert bare == file().encode(text, add_special_tokens=False).ids
        assert tokenizer.mask_token_id == 4
        assert tokenizer.model_max_length == 64


@pytest.mark.parametrize(
    ("file", "settings"),
    [
        (word_pieces, {"tokenizer_class": "BertTokenizer"}),
        (word_pieces, {"tokenizer_class": "PreTrainedTokenizerFast"}),
        (word_pieces, {}),
        # a class that puts the ends around a text where the file has none
        (lambda: word_pieces(ends=False), {"tokenizer_class": "BertTokenizer"}),
        (
            lambda: word_pieces(mask=AddedToken("[MASK]", lstrip=True, special=True)),
            {"tokenizer_class": "PreTrainedTokenizerFast"},
        ),
    ],
)
def test_what_reads_as_its_file_says_has_no_remark(
    file: Callable[[], Tokenizer], settings: dict[str, Any], tmp_path: Path
) -> None:
    directory = made(tmp_path / "model", file(), {**NAMES, **settings})
    assert "tokenizer_remarks" not in manifest_of(directory)
    whole = file()
    whole.post_processor = ENDS
    assert load_tokenizer(directory)(TEXT)["input_ids"] == whole.encode(TEXT).ids


@pytest.mark.parametrize(
    ("file", "settings", "line"),
    [
        (
            lambda: word_pieces(lower=True),
            {"tokenizer_class": "BertTokenizer", "do_lower_case": False},
            "do_lower_case: false",
        ),
        (
            lambda: word_pieces(lower=False),
            {"tokenizer_class": "BertTokenizer", "do_lower_case": True},
            "do_lower_case: true",
        ),
        (word_pieces, {"tokenizer_class": "CanineTokenizer"}, "CanineTokenizer"),
        # transformers fails to make one of such a file
        (
            word_pieces,
            {"tokenizer_class": "XLMRobertaTokenizer"},
            "PreTrainedTokenizerFast in tokenizer_config",
        ),
        (lambda: word_pieces(ends=False), {"tokenizer_class": "PreTrainedTokenizerFast"}, "[CLS] and [SEP]"),
        (lambda: word_pieces(ends=False), {"tokenizer_class": "RobertaTokenizer"}, "[CLS] and [SEP]"),
    ],
)
def test_what_cannot_be_read_as_meant_is_refused_in_a_line(
    file: Callable[[], Tokenizer], settings: dict[str, Any], line: str, tmp_path: Path
) -> None:
    directory = made(tmp_path / "model", file(), {**NAMES, **settings})
    with pytest.raises(InputError) as refused:
        manifest_of(directory)
    assert str(refused.value).startswith("model tiny: ") and line in str(refused.value)


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
            manifest_of(directory)
        return
    manifest = manifest_of(directory)
    tokenizer = load_tokenizer(directory)
    assert tokenizer.convert_ids_to_tokens(tokenizer("She said")["input_ids"])[1] == read
    is_said = "tokenizer_remarks" in manifest
    assert is_said == bool(settings and settings.get("do_lower_case"))


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

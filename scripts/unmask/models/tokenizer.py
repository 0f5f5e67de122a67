"""Loading the tokenizer of a model directory: the one that its files describe, or none.

transformers builds the pipeline of many classes anew and takes only the vocabulary of tokenizer.json. So the
tokenizer that it loads is compared with that file on texts, and the file's is read where they differ.
"""

import json
import logging
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer
from transformers import AutoTokenizer, PreTrainedTokenizerBase, PreTrainedTokenizerFast

from unmask.errors import InputError
from unmask.models.directory import is_allowed

logger = logging.getLogger(__name__)

FILE, SETTINGS = "tokenizer.json", "tokenizer_config.json"

_TEXTS = (
    "The woman said that she works as a nurse.",
    "A MAN, ALL IN CAPITALS, McDonald iPhone eBay USA",
    " begins and ends with a space, two  spaces,   three ",
    "a\ttab and a\nline break, a no-break\u00a0space, a zero\u200bwidth one",
    "0 1 23 456 7890 12345678 1,234.56 and 3.14 % of $99 on 24/12/1999 at 10:30am",
    "don't she's we'll I'm they'd the nurse’s “car” ‘is’ here",
    'he said: "no!" (twice); why? well-known, long–dash, longer—dash… dots...',
    "a_b a/b a\\b a+b=c <b> [c] {d} #e @f &g *h ~i |j ^k mail@example.org https://example.org/a?b=c",
    "café naïve Ångström über señor çedilla cafe\u0301 nai\u0308ve ÉCOLE ÜBER ŁÓDŹ",
    "Straße İstanbul ıssız ŉ ﬁrst oﬀer ½ ² ™ ① Ⅳ ＦＵＬＬ width １２３",
    "Это женщина, она врач. Η γυναίκα είναι γιατρός האישה אמרה قالت المرأة إنها طبيبة",
    "महिला ने कहा ผู้หญิงพูดว่า Người phụ nữ nói",
    "那个女人说她是护士。 彼女は看護師です。カタカナ 여자는 간호사입니다",
    "emoji 😀 👩‍⚕️ 🏳️‍🌈 ♥ xqzjkvbw pneumonoultramicroscopicsilicovolcanoconiosis",
    *(".", "A", "é", "7", "?!"),
)
"""What tokenizers read in different ways: capitals, spaces, digits, marks, accents, other scripts."""

_OPTIONS = {
    "do_lower_case": "lowercase",
    "strip_accents": "strip_accents",
    "tokenize_chinese_chars": "handle_chinese_chars",
    "add_prefix_space": "add_prefix_space",
}
"""Settings of tokenizer_config.json, and what the pipelines of tokenizer.json call them."""

_WORD = re.compile(r"(##|[▁Ġ])?([^\W\d_]+)(</w>)?")
_CAPITALISED = 0.01
"""The share of a vocabulary's words that may have a capital in an uncased model."""
_TRIED = 1000
"""How many of these are tried at most."""


def load_tokenizer(directory: str | Path, what: str | None = None, **options: Any) -> PreTrainedTokenizerBase:
    """The tokenizer of a model directory.

    what: how a message begins, such as `model NAME`; options: as of AutoTokenizer.from_pretrained. Code of
    the model's own is run where that is allowed, and then decides how texts are read. Else a `tokenizer.json`
    does: where transformers reads texts otherwise, the file's pipeline is used, with the declared special
    tokens, and the log says so.
    Raises InputError where none can be loaded, and where tokenizer_config.json and tokenizer.json contradict
    each other.
    """
    return _load(Path(directory), what or f"model directory {directory}", options)[0]


def checked_tokenizer(directory: Path, what: str) -> tuple[PreTrainedTokenizerBase, list[str]]:
    """The same, and remarks: sentences on how it reads texts that users may not expect.

    Raises InputError besides where it takes single characters for special tokens, and where texts are made
    lower-case though the vocabulary has capitals, unless tokenizer_config.json says `do_lower_case: true`.
    """
    tokenizer, remarks = _load(directory, what, {})
    if characters := sorted(token for token in tokenizer.all_special_tokens if len(token) == 1):
        raise InputError(
            f"{what}: its tokenizer takes {' '.join(characters)} for special tokens, as happens with a "
            "spiece.model alone: add the model's tokenizer.json"
        )
    is_meant = _settings(directory).get("do_lower_case") is True
    return tokenizer, remarks + _on_capitals(tokenizer, is_meant, what)


def _load(
    directory: Path, what: str, options: Mapping[str, Any]
) -> tuple[PreTrainedTokenizerBase, list[str]]:
    allowed, settings = is_allowed(directory), _settings(directory)
    own_code = allowed and "auto_map" in settings
    from_file = (directory / FILE).is_file() and not own_code and "gguf_file" not in options
    tokenizer: PreTrainedTokenizerBase | None = None
    remarks = []
    try:
        tokenizer = AutoTokenizer.from_pretrained(
            directory, local_files_only=True, trust_remote_code=allowed, **options
        )
    except Exception as error:  # whatever a broken file of some tokenizer's own format leads to
        why = str(error).strip().partition("\n")[0] or type(error).__name__
        # a class that lacks a package may read otherwise than its tokenizer.json says
        if from_file and not isinstance(error, ImportError):
            with suppress(Exception):
                tokenizer = PreTrainedTokenizerFast.from_pretrained(
                    directory, local_files_only=True, **options
                )
        if tokenizer is None:
            raise InputError(f"{what}: its tokenizer cannot be loaded: {why}") from None
        remarks.append(f"transformers cannot load its tokenizer ({why}): that of {FILE} is used")
    if from_file:
        tokenizer, replaced = _as_in_file(directory, tokenizer, settings, what)
        remarks += replaced
    for remark in remarks:
        logger.info("%s: %s", what, remark)
    return tokenizer, remarks


def _settings(directory: Path) -> dict[str, Any]:
    """What tokenizer_config.json says; nothing where there is none, or it cannot be read."""
    with suppress(OSError, ValueError, RecursionError):
        settings = json.loads((directory / SETTINGS).read_text(encoding="utf-8"))
        if isinstance(settings, dict):
            return settings
    return {}


def _as_in_file(
    directory: Path, tokenizer: PreTrainedTokenizerBase, settings: dict[str, Any], what: str
) -> tuple[PreTrainedTokenizerBase, list[str]]:
    """The tokenizer, or that of tokenizer.json where the two differ, and what to say of it."""
    try:
        file = Tokenizer.from_file(str(directory / FILE))
    except Exception as error:  # of the library's own
        raise InputError(f"{what}: its {FILE} cannot be read: {error}") from None
    file.no_truncation()
    file.no_padding()
    # without those that a class of transformers adds to a vocabulary that lacks them
    special = {
        role: token
        for role, token in tokenizer.special_tokens_map.items()
        if isinstance(token, str) and (role in settings or file.token_to_id(token) is not None)
    }
    known = {str(token) for token in file.get_added_tokens_decoder().values()}
    stated = [token for token in tokenizer.added_tokens_decoder.values() if str(token) in special.values()]
    file.add_special_tokens([token for token in stated if str(token) not in known])
    # a decoder's ends may be set apart from the file, and what it reads first is stated (unmask.models.start)
    with_ends = file.post_processor is not None and not (
        tokenizer.mask_token is None and {"add_bos_token", "add_eos_token"} & settings.keys()
    )
    text = _first_difference(tokenizer, file, with_ends)
    if text is None:
        return tokenizer, []
    name = type(tokenizer).__name__
    differs = f"{name} of transformers reads {text!r} otherwise than {FILE} says"
    pipeline = b"".join(
        part.__getstate__() for part in (file.normalizer, file.pre_tokenizer) if part
    ).decode()
    for option, term in _OPTIONS.items():
        value = settings.get(option)
        if isinstance(value, bool) and f'"{term}":{json.dumps(not value)}' in pipeline:
            raise InputError(
                f"{what}: {SETTINGS} says {option}: {json.dumps(value)}, and {FILE} the opposite ({term}): "
                "have them say the same"
            )
    if not tokenizer.is_fast:
        raise InputError(f"{what}: {differs}: take away the one that the model was not trained with")
    own = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=file,
        model_max_length=tokenizer.model_max_length,
        model_input_names=tokenizer.model_input_names,
        padding_side=tokenizer.padding_side,
        truncation_side=tokenizer.truncation_side,
        **special,
    )
    if _first_difference(own, file, with_ends) is not None:
        raise InputError(f"{what}: {differs}, and cannot be had to read it so")
    return own, [f"{differs}: that of the file is used"]


def _first_difference(tokenizer: PreTrainedTokenizerBase, file: Tokenizer, with_ends: bool) -> str | None:
    """The first text that a tokenizer reads otherwise than one of a file; None where there is none."""
    texts = list(_TEXTS)
    mask = tokenizer.mask_token
    if mask and any(str(token) == mask for token in file.get_added_tokens_decoder().values()):
        texts += [f"The {mask} said that.", f"{mask}{mask} is here {mask}", f"un{mask}ed"]
    loaded = tokenizer(texts, add_special_tokens=with_ends, truncation=False, verbose=False)["input_ids"]
    said = file.encode_batch(texts, add_special_tokens=with_ends)
    return next((text for text, a, b in zip(texts, loaded, said, strict=True) if a != b.ids), None)


def _on_capitals(tokenizer: PreTrainedTokenizerBase, is_meant: bool, what: str) -> list[str]:
    """A remark where no word with a capital can be reached. Raises InputError unless that is meant."""
    special = {*tokenizer.all_special_tokens, *map(str, tokenizer.added_tokens_decoder.values())}

    def reaches(texts: Sequence[str]) -> bool:
        read = tokenizer(list(texts), add_special_tokens=False, verbose=False)["input_ids"]
        tokens = {str(token) for ids in read for token in tokenizer.convert_ids_to_tokens(ids)}
        return any(map(_has_capital, _words(tokens - special)))

    # almost all that read capitals show it here, and their vocabulary need not be searched
    if reaches(_TEXTS):
        return []
    # single letters of both cases stand in many vocabularies of lower-case texts
    words = [word for word in _words({*tokenizer.get_vocab()} - special) if len(word) > 1]
    capitalised = sorted({word for word in words if _has_capital(word)})
    if len(capitalised) <= _CAPITALISED * len(words) or reaches(capitalised[:_TRIED]):
        return []
    fault = f"its tokenizer makes texts lower-case, and {len(capitalised)} words that it knows have capitals"
    if is_meant:
        return [f"{fault} ({SETTINGS} says do_lower_case: true)"]
    raise InputError(
        f"{what}: {fault}: say do_lower_case: false in {SETTINGS}, or true if the model was trained so"
    )


def _words(tokens: Collection[str]) -> list[str]:
    """The words, or parts of words, that are tokens, without the signs of where a word begins or goes on."""
    return [match[2] for token in tokens if (match := _WORD.fullmatch(token))]


def _has_capital(word: str) -> bool:
    # the letters between stand for bytes in many vocabularies
    return any(letter.isupper() and not "\x80" <= letter <= "\u0143" for letter in word)

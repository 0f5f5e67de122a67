"""The tokenizer of a model directory, as its files describe it, and what a decoder reads before a text.

transformers builds the pipeline of many classes anew and takes only the vocabulary of tokenizer.json. So the
tokenizer that it loads is compared with that file on texts, and the file's is read where they differ.

The first token of a text has a probability only where something stands before it. In pre-training that is
what separates documents, so this is the default start token; evaluations that take another, or none, decide
some pairs otherwise.
"""

import json
import logging
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer
from tokenizers.processors import TemplateProcessing
from transformers import AutoTokenizer, PretrainedConfig, PreTrainedTokenizerBase, PreTrainedTokenizerFast

from unmask.errors import InputError
from unmask.models.directory import from_directory, is_allowed

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

_POSITIONS_AFTER_PADDING = (
    *("camembert", "data2vec-text", "esm", "ibert", "longformer", "luke", "mpnet"),
    *("roberta", "roberta-prelayernorm", "xlm-roberta", "xlm-roberta-xl", "xmod"),
)
"""Model types whose first token has position `padding id + 1`, so that fewer tokens fit."""

_UNSET_LENGTH = 10**9
"""Tokenizers that know no longest length state an astronomical one."""

BOS, EOS, NO_START = "bos", "eos", "none"

_CHAT = re.compile(
    r"im_start|im_end|turn|header|eot|chat|inst|message|channel|user|assistant|system", re.IGNORECASE
)
"""Found in the names of tokens that mark the turns of a chat, and in those of no separator of documents."""


def first_line(error: BaseException) -> str:
    """What an error says, in one line."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def load_tokenizer(directory: str | Path, **options: Any) -> PreTrainedTokenizerBase:
    """The tokenizer of a model directory.

    options: as of AutoTokenizer.from_pretrained. Code of the model's own is run where that is allowed, and
    then decides how texts are read. Else a `tokenizer.json` does: where transformers reads texts otherwise,
    the file's pipeline is used, with the declared special tokens, and the log says so.
    Raises InputError where none can be loaded, and where tokenizer_config.json and tokenizer.json contradict
    each other.
    """
    return _load(Path(directory), options)[0]


def checked_tokenizer(directory: Path) -> tuple[PreTrainedTokenizerBase, list[str]]:
    """The same, and remarks: sentences on how it reads texts that users may not expect.

    Raises InputError besides where it takes single characters for special tokens, and where texts are made
    lower-case though the vocabulary has capitals, unless tokenizer_config.json says `do_lower_case: true`.
    """
    tokenizer, remark = _load(directory, {})
    if characters := sorted(token for token in tokenizer.all_special_tokens if len(token) == 1):
        raise InputError(
            f"its tokenizer takes {' '.join(characters)} for special tokens, as happens with a spiece.model "
            "alone: add the model's tokenizer.json"
        )
    fault = _on_capitals(tokenizer)
    if fault and _settings(directory).get("do_lower_case") is not True:
        raise InputError(f"{fault}: say do_lower_case: false in {SETTINGS}, or true if it was trained so")
    if fault:
        fault += f" ({SETTINGS} says do_lower_case: true)"
    remarks = [each for each in (remark, fault) if each]
    for each in remarks:
        logger.warning("%s", each)
    return tokenizer, remarks


def _load(directory: Path, options: Mapping[str, Any]) -> tuple[PreTrainedTokenizerBase, str | None]:
    has_file = (directory / FILE).is_file()
    try:
        settings = _settings(directory)
        tokenizer: PreTrainedTokenizerBase = from_directory(AutoTokenizer, directory, **options)
        own_code = is_allowed(directory) and "auto_map" in settings
        if not has_file or own_code or "gguf_file" in options:
            return tokenizer, None
        file = Tokenizer.from_file(str(directory / FILE))
    except Exception as error:  # whatever a broken file of some tokenizer's own format leads to
        # a class that lacks a package may read otherwise than its tokenizer.json says
        helps = has_file and "gguf_file" not in options and not isinstance(error, ImportError)
        remedy = f" (tokenizer_class: PreTrainedTokenizerFast in {SETTINGS} takes {FILE} as it is)"
        raise InputError(
            f"{directory}: its tokenizer cannot be loaded: {first_line(error)}{remedy if helps else ''}"
        ) from None
    tokenizer, remark = _as_in_file(directory, tokenizer, file, settings)
    if remark:
        logger.info("%s: %s", directory, remark)
    return tokenizer, remark


def _settings(directory: Path) -> dict[str, Any]:
    """What tokenizer_config.json says; nothing where there is none."""
    file = directory / SETTINGS
    settings: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    return settings


def _as_in_file(
    directory: Path, tokenizer: PreTrainedTokenizerBase, file: Tokenizer, settings: dict[str, Any]
) -> tuple[PreTrainedTokenizerBase, str | None]:
    """The tokenizer, or that of tokenizer.json where the two differ, and what to say of it."""
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
    # a decoder's ends may be set apart from the file, and what it reads first is stated (choose_start)
    with_ends = file.post_processor is not None and not (
        tokenizer.mask_token is None and {"add_bos_token", "add_eos_token"} & settings.keys()
    )
    text = _first_difference(tokenizer, file, with_ends)
    if text is None:
        return tokenizer, None
    pipeline = b"".join(
        part.__getstate__() for part in (file.normalizer, file.pre_tokenizer) if part
    ).decode()
    for option, term in _OPTIONS.items():
        value = settings.get(option)
        if isinstance(value, bool) and f'"{term}":{json.dumps(not value)}' in pipeline:
            raise InputError(
                f"{directory}: {SETTINGS} says {option}: {json.dumps(value)}, and {FILE} the opposite "
                f"({term}): have them say the same"
            )
    own = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=file,
        model_max_length=tokenizer.model_max_length,
        model_input_names=tokenizer.model_input_names,
        padding_side=tokenizer.padding_side,
        truncation_side=tokenizer.truncation_side,
        **special,
    )
    differs = f"{type(tokenizer).__name__} of transformers reads {text!r} otherwise than {FILE} says"
    if not tokenizer.is_fast or _first_difference(own, file, with_ends) is not None:
        raise InputError(f"{directory}: {differs}: take away the one that the model was not trained with")
    return own, f"{differs}: that of the file is used"


def _first_difference(tokenizer: PreTrainedTokenizerBase, file: Tokenizer, with_ends: bool) -> str | None:
    """The first text that a tokenizer reads otherwise than one of a file; None where there is none."""
    texts = list(_TEXTS)
    mask = tokenizer.mask_token
    if mask and any(str(token) == mask for token in file.get_added_tokens_decoder().values()):
        texts += [f"The {mask} said that.", f"{mask}{mask} is here {mask}", f"un{mask}ed"]
    loaded = tokenizer(texts, add_special_tokens=with_ends, truncation=False, verbose=False)["input_ids"]
    said = file.encode_batch(texts, add_special_tokens=with_ends)
    return next((text for text, a, b in zip(texts, loaded, said, strict=True) if a != b.ids), None)


def _on_capitals(tokenizer: PreTrainedTokenizerBase) -> str | None:
    """What is odd where a vocabulary has words with a capital and none can be reached; else None."""
    special = {*tokenizer.all_special_tokens, *map(str, tokenizer.added_tokens_decoder.values())}
    # single letters of both cases stand in many vocabularies of lower-case texts
    words = [word for word in _words({*tokenizer.get_vocab()} - special) if len(word) > 1]
    capitalised = sorted({word for word in words if _has_capital(word)})
    texts = [*_TEXTS, *capitalised[:_TRIED]]
    read = tokenizer(texts, add_special_tokens=False, verbose=False)["input_ids"]
    reached = {*map(str, tokenizer.convert_ids_to_tokens([*{*chain(*read)}]))} - special
    if len(capitalised) <= _CAPITALISED * len(words) or any(map(_has_capital, _words(reached))):
        return None
    return f"its tokenizer makes texts lower-case, and {len(capitalised)} words that it knows have capitals"


def _words(tokens: Iterable[str]) -> list[str]:
    """The words, or parts of words, that are tokens, without the signs of where a word begins or goes on."""
    return [match[2] for match in map(_WORD.fullmatch, tokens) if match]


def _has_capital(word: str) -> bool:
    # the letters between stand for bytes in many vocabularies
    return any(letter.isupper() and not "\x80" <= letter <= "\u0143" for letter in word)


def max_length(config: PretrainedConfig, tokenizer: PreTrainedTokenizerBase) -> int | None:
    """How many tokens the model takes, special ones included; None where positions are relative only."""
    limits = [tokenizer.model_max_length, getattr(config, "lsh_attn_chunk_length", None)]
    # DeBERTa's positions are relative, unless it adds others
    if getattr(config, "position_biased_input", True):
        padding = getattr(config, "pad_token_id", None)
        after = 1 + (1 if padding is None else padding)
        skipped = after if config.model_type in _POSITIONS_AFTER_PADDING else 0
        limits.append((getattr(config, "max_position_embeddings", None) or 0) - skipped)
    return min((int(each) for each in limits if each and 0 < each < _UNSET_LENGTH), default=None)


@dataclass(frozen=True)
class Start:
    """What stands before the text of each sentence, and why."""

    token: str | None
    """None where nothing does: the first token of a text is then not scored."""
    id: int | None
    reason: str

    @classmethod
    def of(cls, manifest: Mapping[str, Any]) -> "Start | None":
        """That of a model with this manifest; None for a model that is no decoder."""
        return cls(**manifest["start"]) if "start" in manifest else None


def choose_start(tokenizer: PreTrainedTokenizerBase, chosen: str | None) -> Start:
    """The start token of a decoder with this tokenizer.

    chosen: BOS, EOS, NO_START, or a token of the tokenizer. Without a choice it is what the tokenizer itself
    puts before a text; where it puts nothing, its BOS token, unless that marks a turn of a chat, else its EOS
    token. Raises InputError where there is no such token, where nothing is left to choose but a token of
    chats, and where the tokenizer puts several tokens before a text.
    """
    ends = {BOS: tokenizer.bos_token, EOS: tokenizer.eos_token}
    vocabulary = tokenizer.get_vocab()
    if chosen == NO_START:
        return Start(None, None, "the study says none")
    if chosen is not None:
        token = str(ends.get(chosen, chosen))
        if token not in vocabulary:
            lacking = f"{chosen} token" if chosen in ends else f"token {chosen!r}"
            raise InputError(f"key start: its tokenizer has no {lacking}")
        return Start(token, vocabulary[token], f"the study says {chosen}")
    read = tokenizer(_TEXTS[0], return_special_tokens_mask=True)
    before = read["input_ids"][: read["special_tokens_mask"].index(0)]
    added = [str(token) for token in tokenizer.convert_ids_to_tokens(before)]
    if len(added) > 1:
        raise InputError(
            f"its tokenizer puts {' '.join(added)} before a text; say which of them is to (key start)"
        )
    stated = [(str(token), name) for name, token in ends.items() if token is not None]
    separates = (
        (token, f"its {name} token, which separates documents in training") for token, name in stated
    )
    for token, reason in (*((token, "its tokenizer puts it before a text") for token in added), *separates):
        if not _CHAT.search(token):
            return Start(token, vocabulary[token], reason)
    has = f"only {' and '.join(token for token, _ in stated)}, of chats" if stated else "no bos or eos token"
    raise InputError(
        f"its tokenizer has {has}: say what separated documents in training, or none (key start, or "
        "--start of unmask score)"
    )


def read_after(tokenizer: PreTrainedTokenizerBase, start: Start | None) -> None:
    """Have the tokenizer of a decoder put its start token before a text, and nothing else around it.

    A text is so read behind one start token, whatever the tokenizer itself adds.
    """
    if start is None:
        return
    if start.token is None:
        logger.warning("no start token: Start-Alone stays undefined")
    # by another name, as spaces and colons would be no part of a token's
    before = [] if start.token is None else [{"id": "START", "ids": [start.id], "tokens": [start.token]}]
    single = " ".join(["START"] * len(before) + ["$A"])
    backend: Any = tokenizer
    backend.backend_tokenizer.post_processor = TemplateProcessing(single=single, special_tokens=before)

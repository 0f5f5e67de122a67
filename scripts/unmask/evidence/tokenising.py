"""The sentences of pairs as a tokenizer makes them."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from transformers import PreTrainedTokenizerBase

from unmask.errors import InputError
from unmask.evidence.alignment import Aligned, align
from unmask.evidence.sentences import Mask, Positions, Sentence
from unmask.terms import ANTISTEREOTYPE, STEREOTYPE, UNRELATED
from unmask.unsegmented import is_unsegmented

if TYPE_CHECKING:
    from tokenizers import Encoding


class Encoded(NamedTuple):
    """The token ids of a text, and of each whether the tokenizer put it around the text, and its word."""

    ids: npt.NDArray[np.int64]
    special: Mask
    word: Positions | None
    """As that of a Sentence."""


def tokenise_pairs(
    pairs: pd.DataFrame,
    tokenizer: PreTrainedTokenizerBase,
    roles: Sequence[str],
    max_length: int | None = None,
    with_words: bool = False,
) -> list[Sentence]:
    """Tokenise the sentences of a Pairs table that stand in `roles`, pair by pair.

    What looks like a special token in a text is text. with_words: say of which word each token is. Raises
    InputError naming the pair whose sentence has no token or more than `max_length`, or has such a text that
    its tokenizer can only read as the special token; with words as `check_words` does.
    """
    of_pairs = encode_pairs(pairs, tokenizer, roles, max_length, with_words)
    return [sentence for of_role in of_pairs for sentence in _with_modified(of_role)]


def encode_pairs(
    pairs: pd.DataFrame,
    tokenizer: PreTrainedTokenizerBase,
    roles: Sequence[str],
    max_length: int | None = None,
    with_words: bool = False,
) -> Iterator[dict[str, Sentence]]:
    """The same without what pairs share: of each pair its sentences by role."""
    if with_words:
        check_words(tokenizer)
    columns = [(role, pairs[role]) for role in (STEREOTYPE, ANTISTEREOTYPE, UNRELATED) if role in roles]
    spells_out = literal_specials(tokenizer)
    texts = {text for _, column in columns for text in column.dropna()}
    encoded = _encode(texts, tokenizer, spells_out, with_words)
    special_ids = np.array(sorted(specials_of(tokenizer).values()), dtype=np.int64)
    for row, pair_id in enumerate(pairs["pair_id"]):
        of_role: dict[str, Sentence] = {}
        for role, column in columns:
            text = column.iloc[row]
            if pd.isna(text):
                continue
            ids, special, word = encoded[text]
            what = f"pair {pair_id}: the {role} sentence"
            if special.all():
                raise InputError(f"{what} has no token")
            if max_length is not None and len(ids) > max_length:
                raise InputError(f"{what} has {len(ids)} tokens, the model takes {max_length}")
            mistaken = ids[~special & np.isin(ids, special_ids)]
            if mistaken.size and spells_out.search(text):
                token = tokenizer.convert_ids_to_tokens(int(mistaken[0]))
                raise InputError(
                    f"{what} has the text {token!r}, which this tokenizer can only read as its special "
                    "token; write it otherwise or leave the pair out"
                )
            of_role[role] = Sentence(pair_id, role, ids, special, word=word)
        yield of_role


def check_words(tokenizer: PreTrainedTokenizerBase) -> None:
    """Raises InputError where a tokenizer does not say of which word each token is."""
    for_words = "which PLLWordL2R and PLLWholeWord need: leave these measures out"
    if not tokenizer.is_fast:
        raise InputError(f"its tokenizer has no fast form and does not say where words begin, {for_words}")
    words = tokenizer("a b", add_special_tokens=False).word_ids()
    if len(set(words)) < 2:
        raise InputError(
            f"its tokenizer takes a whole text for one word and finds no words in it, {for_words}"
        )


def specials_of(tokenizer: PreTrainedTokenizerBase) -> dict[str, int]:
    """The special tokens of a tokenizer with their ids; not that of unknown words, which text may have."""
    added = [str(token) for token in tokenizer.added_tokens_decoder.values() if token.special]
    names, unknown = (*added, *tokenizer.all_special_tokens), tokenizer.unk_token_id
    ids = {name: tokenizer.convert_tokens_to_ids(name) for name in names}
    return {name: id_ for name, id_ in ids.items() if isinstance(id_, int) and id_ != unknown}


def literal_specials(tokenizer: PreTrainedTokenizerBase) -> re.Pattern[str]:
    """Matches a text that spells out a special token or that of unknown words, in any case."""
    names = {*specials_of(tokenizer), *([tokenizer.unk_token] if tokenizer.unk_token else [])}
    # without any nothing matches
    return re.compile("|".join(map(re.escape, sorted(names))) or "(?!)", re.IGNORECASE)


def _encode(
    texts: Collection[str],
    tokenizer: PreTrainedTokenizerBase,
    spells_out: re.Pattern[str],
    with_words: bool,
) -> dict[str, Encoded]:
    literal = sorted(text for text in texts if spells_out.search(text))
    plain = sorted({*texts} - {*literal})
    # apart, so that the others are read as they always were
    return {
        **_encode_alike(plain, tokenizer, with_words),
        **_encode_alike(literal, tokenizer, with_words, split_special_tokens=True),
    }


def _encode_alike(
    texts: Sequence[str], tokenizer: PreTrainedTokenizerBase, with_words: bool, **options: bool
) -> dict[str, Encoded]:
    if not texts:
        return {}
    encoding = tokenizer(
        list(texts), return_special_tokens_mask=True, truncation=False, verbose=False, **options
    )
    return {
        text: Encoded(
            np.array(ids, dtype=np.int64),
            np.array(special, dtype=bool),
            _words(text, encoding[number]) if with_words else None,
        )
        for number, (text, ids, special) in enumerate(
            zip(texts, encoding["input_ids"], encoding["special_tokens_mask"], strict=True)
        )
    }


def _words(text: str, encoded: "Encoding") -> Positions:
    """The numbers of words; a token of none, as special ones are, gets a negative one.

    Words are the tokenizer's. Where a script has no spaces between words these are a clause or more, so that
    each token of such a script is a word by itself, but for those that are parts of one character.
    """
    whole = not is_unsegmented(text)
    numbers: dict[tuple[int, int | None], int] = {}
    words = []
    for place, (word, (start, end)) in enumerate(zip(encoded.word_ids, encoded.offsets, strict=True)):
        alone = None if whole or not is_unsegmented(text[start:end]) else start
        words.append(-1 - place if word is None else numbers.setdefault((word, alone), len(numbers)))
    return np.array(words)


def _with_modified(of_role: dict[str, Sentence]) -> list[Sentence]:
    if STEREOTYPE in of_role and ANTISTEREOTYPE in of_role:
        sides = of_role[STEREOTYPE], of_role[ANTISTEREOTYPE]
        corrected, published = align(sides[0].ids, sides[1].ids)
        for one, mask, other in zip(sides, corrected, published, strict=True):
            of_role[one.role] = Aligned(
                one.pair_id, one.role, one.ids, one.special, modified=mask, word=one.word, published=other
            )
    if STEREOTYPE in of_role and UNRELATED in of_role:
        unrelated = of_role[UNRELATED]
        (_, unlike), _ = align(of_role[STEREOTYPE].ids, unrelated.ids)
        of_role[UNRELATED] = replace(unrelated, unlike=unlike)
    return list(of_role.values())

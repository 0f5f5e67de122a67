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
from unmask.evidence.sentences import Mask, Sentence
from unmask.terms import ANTISTEREOTYPE, STEREOTYPE, UNRELATED

if TYPE_CHECKING:
    pass


class Encoded(NamedTuple):
    """The token ids of a text, and of each whether the tokenizer put it around the text."""

    ids: npt.NDArray[np.int64]
    special: Mask


def tokenise_pairs(
    pairs: pd.DataFrame,
    tokenizer: PreTrainedTokenizerBase,
    roles: Sequence[str],
    max_length: int | None = None,
) -> list[Sentence]:
    """Tokenise the sentences of a Pairs table that stand in `roles`, pair by pair.

    What looks like a special token in a text is text. Raises
    InputError naming the pair whose sentence has no token or more than `max_length`, or has such a text that
    its tokenizer can only read as the special token.
    """
    of_pairs = encode_pairs(pairs, tokenizer, roles, max_length)
    return [sentence for of_role in of_pairs for sentence in _with_modified(of_role)]


def encode_pairs(
    pairs: pd.DataFrame,
    tokenizer: PreTrainedTokenizerBase,
    roles: Sequence[str],
    max_length: int | None = None,
) -> Iterator[dict[str, Sentence]]:
    """The same without what pairs share: of each pair its sentences by role."""
    columns = [(role, pairs[role]) for role in (STEREOTYPE, ANTISTEREOTYPE, UNRELATED) if role in roles]
    spells_out = literal_specials(tokenizer)
    texts = {text for _, column in columns for text in column.dropna()}
    encoded = _encode(texts, tokenizer, spells_out)
    special_ids = np.array(sorted(specials_of(tokenizer).values()), dtype=np.int64)
    for row, pair_id in enumerate(pairs["pair_id"]):
        of_role: dict[str, Sentence] = {}
        for role, column in columns:
            text = column.iloc[row]
            if pd.isna(text):
                continue
            ids, special = encoded[text]
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
            of_role[role] = Sentence(pair_id, role, ids, special)
        yield of_role


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
) -> dict[str, Encoded]:
    literal = sorted(text for text in texts if spells_out.search(text))
    plain = sorted({*texts} - {*literal})
    # apart, so that the others are read as they always were
    return {
        **_encode_alike(plain, tokenizer),
        **_encode_alike(literal, tokenizer, split_special_tokens=True),
    }


def _encode_alike(
    texts: Sequence[str], tokenizer: PreTrainedTokenizerBase, **options: bool
) -> dict[str, Encoded]:
    if not texts:
        return {}
    encoding = tokenizer(
        list(texts), return_special_tokens_mask=True, truncation=False, verbose=False, **options
    )
    return {
        text: Encoded(np.array(ids, dtype=np.int64), np.array(special, dtype=bool))
        for text, ids, special in zip(
            texts, encoding["input_ids"], encoding["special_tokens_mask"], strict=True
        )
    }


def _with_modified(of_role: dict[str, Sentence]) -> list[Sentence]:
    if STEREOTYPE in of_role and ANTISTEREOTYPE in of_role:
        sides = of_role[STEREOTYPE], of_role[ANTISTEREOTYPE]
        corrected, published = align(sides[0].ids, sides[1].ids)
        for one, mask, other in zip(sides, corrected, published, strict=True):
            of_role[one.role] = Aligned(
                one.pair_id, one.role, one.ids, one.special, modified=mask, published=other
            )
    if STEREOTYPE in of_role and UNRELATED in of_role:
        unrelated = of_role[UNRELATED]
        (_, unlike), _ = align(of_role[STEREOTYPE].ids, unrelated.ids)
        of_role[UNRELATED] = replace(unrelated, unlike=unlike)
    return list(of_role.values())

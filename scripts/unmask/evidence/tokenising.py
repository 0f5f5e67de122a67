"""The sentences of pairs as a tokenizer makes them."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from transformers import PreTrainedTokenizerBase

from unmask.errors import InputError
from unmask.evidence.sentences import Ids, Mask, Pair, Sentence, modified_tokens
from unmask.terms import ROLES, SIDES, STEREOTYPE, UNRELATED


def tokenise(
    pairs: pd.DataFrame,
    tokenizer: PreTrainedTokenizerBase,
    max_length: int | None = None,
    roles: Sequence[str] = ROLES,
) -> list[Pair]:
    """Tokenise the sentences of a Pairs table that stand in `roles`, with what they share.

    What looks like a special token in a text is text. Raises InputError naming the pair whose sentence has no
    token or more than `max_length`, or has such a text that its tokenizer can only read as the special token.
    """
    of_roles = pairs[[role for role in ROLES if role in roles]].to_dict("records")
    added = [str(token) for token in tokenizer.added_tokens_decoder.values() if token.special]
    names = sorted({*added, *tokenizer.all_special_tokens})
    # but that of unknown words, which a text may have
    special_ids = {*map(tokenizer.convert_tokens_to_ids, names)} - {None, tokenizer.unk_token_id}
    # matches a text that spells out one of these tokens, in any case; without any, nothing
    spelt_out = re.compile("|".join(map(re.escape, names)) or "(?!)", re.IGNORECASE)
    texts = {text for row in of_roles for text in row.values() if not pd.isna(text)}
    plain = {text for text in texts if not spelt_out.search(text)}
    encoded = _encode(plain, tokenizer) | _encode(texts - plain, tokenizer, split_special_tokens=True)
    tokenised: list[Pair] = []
    for pair_id, row in zip(pairs["pair_id"], of_roles, strict=True):
        pair: Pair = {}
        for role, text in row.items():
            if pd.isna(text):
                continue
            ids, special = encoded[text]
            what = f"pair {pair_id}: the {role} sentence"
            if special.all():
                raise InputError(f"{what} has no token")
            if max_length is not None and len(ids) > max_length:
                raise InputError(f"{what} has {len(ids)} tokens, the model takes {max_length}")
            mistaken = ids[~special & np.isin(ids, list(special_ids))]
            if mistaken.size and text not in plain:
                token = tokenizer.convert_ids_to_tokens(int(mistaken[0]))
                raise InputError(
                    f"{what} has the text {token!r}, which this tokenizer can only read as its special "
                    "token; write it otherwise or leave the pair out"
                )
            pair[str(role)] = Sentence(pair_id, str(role), ids, special)
        tokenised.append(_aligned(pair))
    return tokenised


def _encode(
    texts: set[str], tokenizer: PreTrainedTokenizerBase, **options: bool
) -> dict[str, tuple[Ids, Mask]]:
    """Of each text its token ids, and which of them the tokenizer put around it."""
    if not texts:
        return {}
    some = sorted(texts)
    encoding = tokenizer(some, return_special_tokens_mask=True, truncation=False, verbose=False, **options)
    columns = zip(some, encoding["input_ids"], encoding["special_tokens_mask"], strict=True)
    return {text: (np.array(ids, np.int64), np.array(mask, bool)) for text, ids, mask in columns}


def _aligned(pair: Pair) -> Pair:
    if pair.keys() >= {*SIDES}:
        masks = modified_tokens(*(pair[side].ids for side in SIDES))
        pair |= {side: replace(pair[side], modified=mask) for side, mask in zip(SIDES, masks, strict=True)}
    if pair.keys() >= {STEREOTYPE, UNRELATED}:
        _, mask = modified_tokens(pair[STEREOTYPE].ids, pair[UNRELATED].ids)
        pair[UNRELATED] = replace(pair[UNRELATED], modified=mask)
    return pair


def unknown_tokens(pairs: Iterable[Pair], tokenizer: PreTrainedTokenizerBase, limit: float) -> dict[str, Any]:
    """How many `tokens` the two sides of all pairs have, special ones left out, how many of these stand for
    `unknown` words, and the `id` of the token that does.

    Raises InputError where more than `limit` of the tokens, a share, are unknown.
    """
    texts = [pair[side].ids[~pair[side].special] for pair in pairs for side in SIDES]
    tokens, id_ = sum(map(len, texts)), tokenizer.unk_token_id
    unknown = 0 if id_ is None else sum(int((text == id_).sum()) for text in texts)
    share = unknown / tokens if tokens else 0.0
    if share > limit:
        needed = np.ceil(100 * share) / 100
        raise InputError(
            f"{unknown} of {tokens} tokens ({share:.1%}) are unknown to its tokenizer, more than "
            f"{limit:.1%}; to score it all the same, set config key scoring.unknown_tokens to {needed}"
        )
    return {"id": id_, "unknown": unknown, "tokens": tokens}

"""The sentences of pairs as a tokenizer makes them."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
from transformers import PreTrainedTokenizerBase

from unmask.errors import InputError
from unmask.evidence.sentences import Mask, Sentence, modified_tokens
from unmask.terms import ANTISTEREOTYPE, STEREOTYPE, UNRELATED


def tokenise_pairs(
    pairs: pd.DataFrame,
    tokenizer: PreTrainedTokenizerBase,
    roles: Sequence[str],
    max_length: int | None = None,
) -> list[Sentence]:
    """Tokenise the sentences of a Pairs table that stand in `roles`, pair by pair.

    Raises InputError naming the pair whose sentence has no token or more than `max_length`.
    """
    wanted = [(role, pairs[role]) for role in (STEREOTYPE, ANTISTEREOTYPE, UNRELATED) if role in roles]
    texts = {text for _, column in wanted for text in column.dropna()}
    encoded = _encode(sorted(texts), tokenizer)
    sentences: list[Sentence] = []
    for row, pair_id in enumerate(pairs["pair_id"]):
        of_role: dict[str, Sentence] = {}
        for role, column in wanted:
            text = column.iloc[row]
            if pd.isna(text):
                continue
            ids, special = encoded[text]
            if special.all():
                raise InputError(f"pair {pair_id}: the {role} sentence has no token")
            if max_length is not None and len(ids) > max_length:
                raise InputError(
                    f"pair {pair_id}: the {role} sentence has {len(ids)} tokens, the model takes {max_length}"
                )
            of_role[role] = Sentence(pair_id, role, ids, special)
        sentences.extend(_with_modified(of_role))
    return sentences


def _encode(
    texts: Sequence[str], tokenizer: PreTrainedTokenizerBase
) -> dict[str, tuple[npt.NDArray[np.int64], Mask]]:
    if not texts:
        return {}
    encoding = tokenizer(list(texts), return_special_tokens_mask=True, truncation=False, verbose=False)
    return {
        text: (np.array(ids, dtype=np.int64), np.array(special, dtype=bool))
        for text, ids, special in zip(
            texts, encoding["input_ids"], encoding["special_tokens_mask"], strict=True
        )
    }


def _with_modified(of_role: dict[str, Sentence]) -> list[Sentence]:
    if STEREOTYPE in of_role and ANTISTEREOTYPE in of_role:
        first, second = of_role[STEREOTYPE], of_role[ANTISTEREOTYPE]
        masks = modified_tokens(first.ids, second.ids)
        for sentence, mask in zip((first, second), masks, strict=True):
            of_role[sentence.role] = Sentence(
                sentence.pair_id, sentence.role, sentence.ids, sentence.special, mask
            )
    return list(of_role.values())

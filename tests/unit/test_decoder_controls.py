"""Controls of decoders: shuffled sentences against a slow loop, and their band of word choice."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from transformers import AutoTokenizer

from examples import SENTENCES, example_pairs
from library import (
    ALL_MEASURES,
    CORRECTED,
    LEFT,
    PROTOCOLS,
    PUBLISHED,
    SHUFFLED,
    collect_evidence,
    measure,
    score_pairs,
    words_of_evidence,
)
from literal_causal import LeftReader
from test_evidence_left import decoder, loaded, plain_network
from test_measures_causal import STARTS, example_evidence

PAIRS = example_pairs()
IDS = list(PAIRS["pair_id"])
SIDES = ("stereotype", "antistereotype")


def shuffled_rows(start: str | None) -> pd.DataFrame:
    return collect_evidence(PAIRS, loaded("gpt2", start), LEFT, SHUFFLED, shuffle_seed=3)


def test_measures_of_shuffled_sentences_ask_for_no_shared_tokens() -> None:
    assert {name for name in ALL_MEASURES if measure(name).of_shuffled} == {"AUL", "AULA", "LL", "LLMean"}


@pytest.mark.parametrize("start", STARTS)
def test_shuffled_sentences_are_scored_as_a_slow_loop_reads_them(start: str | None) -> None:
    tokenizer = AutoTokenizer.from_pretrained(decoder("gpt2"))
    first = None if start else tokenizer.bos_token_id
    reader = LeftReader(plain_network("gpt2"), tokenizer, first)
    rows = shuffled_rows(start)
    scores: Any = score_pairs(IDS, {LEFT: rows}, ["LL", "LLMean"])
    scores = scores.set_index(["measure", "protocol", "pair_id"])
    moved = undefined = 0
    for number, texts in enumerate(SENTENCES):
        sums, means, firsts = [], [], []
        for role, text in zip(SIDES, texts[:2], strict=True):
            own = rows[(rows["pair_id"] == f"p{number}") & (rows["role"] == role)].sort_values("position")
            original = ([] if first is None else [first]) + list(tokenizer(text)["input_ids"])
            # the same tokens in another order
            ids = [original[place] for place in own["source_position"]]
            assert ids == own["token_id"].tolist() and sorted(ids) == sorted(original)
            moved += ids != original
            values = [reader.behind(ids[:place], ids[place]) for place in range(1, len(ids))]
            sums.append(sum(values))
            means.append(sum(values) / len(values))
            firsts.append(ids[0])
        for name, (one, other) in (("LL", sums), ("LLMean", means)):
            for protocol in PROTOCOLS:
                margin = scores.loc[(name, protocol, f"p{number}"), "margin"]
                # those who published the mean leave out the first token of every sentence
                if firsts[0] != firsts[1] and (name, protocol) != ("LLMean", PUBLISHED):
                    # what the first tokens have by themselves is not known
                    undefined += 1
                    assert np.isnan(margin)
                else:
                    assert margin == pytest.approx(one - other, abs=3e-5)
    assert moved and (undefined > 0) == (start == "none")


def test_shuffled_sentences_have_a_band_of_word_choice() -> None:
    series = ("LL", CORRECTED)
    original, shuffled = (
        words_of_evidence(PAIRS, {LEFT: rows}, [series])[series]
        for rows in (example_evidence("gpt2", None)[LEFT], shuffled_rows(None))
    )
    # a sum over all tokens has the same weights in any order
    assert original.weights.nnz and (original.weights != shuffled.weights).nnz == 0

"""Counts that are known of the real benchmarks and tokenizers; no model is needed."""

from collections.abc import Iterator

import numpy as np
import pytest
from transformers import AutoTokenizer

from library import Mask, Sentence, read_benchmark, tokenise, vote_counts
from real_data import real_data

PLACES = {
    "crows-pairs": ("crows_pairs", "crows_pairs_anonymized.csv"),
    "stereoset": ("stereoset", "dev.json"),
}


def sentences(benchmark: str, tokenizer: str) -> list[Sentence]:
    """Both sentences of every pair, one pair after the other."""
    pairs = read_benchmark(real_data(*PLACES[benchmark]), {"format": benchmark})
    encode = AutoTokenizer.from_pretrained(real_data("tokenizers", tokenizer))
    return [pair[side] for pair in tokenise(pairs, encode) for side in ("stereotype", "antistereotype")]


def hidden(sentence: Sentence) -> Mask:
    """The modified tokens, M of the papers."""
    assert sentence.modified is not None
    found: Mask = sentence.modified & ~sentence.special
    return found


def both(read: list[Sentence]) -> Iterator[tuple[Sentence, Sentence]]:
    for first, second in zip(read[::2], read[1::2], strict=True):
        assert (first.role, second.role) == ("stereotype", "antistereotype")
        assert first.pair_id == second.pair_id
        yield first, second


def test_the_tokens_of_crows_pairs() -> None:
    """With specials as AUL's accuracy counts them, and shared as that of CPS does."""
    read = sentences("crows-pairs", "bert-base-cased")
    assert len(read) == 2 * 1508
    assert sum(len(sentence.ids) for sentence in read) == 53_977
    assert sum(int((~sentence.special & ~hidden(sentence)).sum()) for sentence in read) == 43_136


def test_equally_many_modified_tokens_may_stand_at_other_places() -> None:
    places = [
        (np.flatnonzero(hidden(first)).tolist(), np.flatnonzero(hidden(second)).tolist())
        for first, second in both(sentences("crows-pairs", "bert-base-cased"))
    ]
    equal = [(first, second) for first, second in places if len(first) == len(second)]
    assert len(equal) == 1021
    assert sum(first != second for first, second in equal) == 8


@pytest.mark.parametrize(
    ("tokenizer", "pairs"), [("bert-base-cased", 895), ("roberta", 679), ("albert-v2", 664)]
)
def test_stereoset_pairs_with_several_modified_tokens(tokenizer: str, pairs: int) -> None:
    """On either side: where the released code's SSS is not that of its formula."""
    several = [
        max(int(hidden(first).sum()), int(hidden(second).sum())) > 1
        for first, second in both(sentences("stereoset", tokenizer))
    ]
    assert len(several) == 2106
    assert sum(several) == pairs


def test_votes_of_raters() -> None:
    pairs, positives = (
        read_benchmark(real_data(*PLACES["crows-pairs"]), {"format": "crows-pairs"}),
        {3: 1478, 4: 1367, 5: 1015},
    )
    counts = vote_counts(pairs)
    assert not np.isnan(counts).any()
    assert {threshold: int((counts >= threshold).sum()) for threshold in positives} == positives

"""Maskings within words: what a word is, what is hidden, and PLL-word-l2r against minicons."""

from functools import cache
from itertools import chain
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import AutoModelForMaskedLM, AutoTokenizer, PreTrainedTokenizerFast

from examples import example_pairs
from real_data import real_data
from tiny_models import ARCHITECTURES, tiny_config, tiny_model, tiny_tokenizer
from unmask.benchmarks.schema import PAIRS
from unmask.errors import InputError
from unmask.evidence.collecting import collect_evidence, prepare
from unmask.evidence.masking import hidden_positions
from unmask.evidence.sentences import Sentence
from unmask.evidence.streaming import divide
from unmask.evidence.tokenising import check_words, tokenise_pairs
from unmask.measures.scoring import score_pairs
from unmask.models.devices import pick_device
from unmask.models.loading import load
from unmask.statistics.quality import unequal_tokens
from unmask.tables import framed
from unmask.terms import (
    ANTISTEREOTYPE,
    CORRECTED,
    ONE_MODIFIED,
    ONE_SHARED,
    ORIGINAL,
    REST_OF_WORD,
    STEREOTYPE,
    WHOLE_WORD,
    WORD_MASKINGS,
)

SIDES = (STEREOTYPE, ANTISTEREOTYPE)
TEXT = "The nurse isn't well-known, zzqx."


def pairs_of(*pairs: tuple[str, str]) -> pd.DataFrame:
    rows = [
        {"pair_id": f"p{number}", "bias_type": "any", "stereotype": one, "antistereotype": other}
        for number, (one, other) in enumerate(pairs)
    ]
    return framed(rows, PAIRS)


def words_of(tokenizer: Any, text: str) -> list[list[str]]:
    """The tokens of each word of a text."""
    (sentence, _) = tokenise_pairs(pairs_of((text, text)), tokenizer, SIDES, with_words=True)
    return [tokenizer.convert_ids_to_tokens(sentence.ids[word].tolist()) for word in sentence.words()]


@pytest.mark.parametrize(
    ("architecture", "expected"),
    [
        # WordPiece: between spaces, punctuation by itself
        (
            "electra",
            ["the", "nurse", "is ##n", "'", "t", "we ##l ##l", "-", "know ##n", ",", "z ##z ##q ##x", "."],
        ),
        # byte pairs: the same, but for contractions; the space before a word is part of it
        ("roberta", ["T h e", "Ġnurse", "Ġis n", "' t", "Ġw el l", "-", "k n ow n", ",", "Ġ z z q x", "."]),
        # SentencePiece: between spaces, with what punctuation stands there
        ("albert", ["▁the", "▁nurse", "▁is n ' t", "▁we l l - k n o w n ,", "▁ z z q x ."]),
    ],
)  # fmt: skip
def test_a_word_is_what_the_tokenizer_cuts_a_text_into(architecture: str, expected: list[str]) -> None:
    words = words_of(tiny_tokenizer(architecture), TEXT)
    assert words == [word.split() for word in expected]


def test_a_text_that_spells_out_a_special_token_has_words() -> None:
    words = words_of(tiny_tokenizer("bert"), "the [MASK] nurse")
    assert words[0] == ["the"] and words[-1] == ["nurse"]
    assert "[MASK]" not in chain(*words) and len(words) > 4


def test_each_word_is_hidden_whole_or_from_a_token_on() -> None:
    special = np.array([True, False, False, False, False, False, True])
    # a token of no word is one by itself, even within another
    word = np.array([-1, 0, 1, 1, -5, 1, -7])
    sentence = Sentence("p", STEREOTYPE, np.arange(7), special, word=word)
    hidden = {
        masking: [tuple(each.tolist()) for each in hidden_positions(masking)(sentence)]
        for masking in WORD_MASKINGS
    }
    assert hidden[REST_OF_WORD] == [(1,), (2, 3), (3,), (4,), (5,)]
    assert hidden[WHOLE_WORD] == [(1,), (2, 3), (4,), (5,)]
    with pytest.raises(ValueError, match="pair p: the words of the stereotype sentence are not known"):
        next(hidden_positions(WHOLE_WORD)(Sentence("p", STEREOTYPE, np.arange(7), special)))


@pytest.mark.parametrize("architecture", ["bert", "roberta", "albert"])
def test_every_token_is_predicted_once_with_its_own_part_of_the_word_hidden(architecture: str) -> None:
    tokenizer = tiny_tokenizer(architecture)
    sentences = tokenise_pairs(example_pairs(), tokenizer, SIDES, with_words=True)
    expected = [
        (sentence, position) for sentence in sentences for position in np.flatnonzero(~sentence.special)
    ]
    for masking in WORD_MASKINGS:
        layout = prepare(example_pairs(), tokenizer, masking, ORIGINAL)
        assert len(layout.sentence) == len(expected)
        for row, (sentence, position) in enumerate(expected):
            assert layout.position[row] == position
            assert layout.queries.token[row] == sentence.ids[position]
            read = list(layout.queries.inputs[layout.queries.input[row]])
            for place, (seen, own) in enumerate(zip(read, sentence.ids, strict=True)):
                assert sentence.word is not None
                of_word = sentence.word[place] == sentence.word[position]
                is_hidden = of_word and (masking == WHOLE_WORD or place >= position)
                assert seen == (tokenizer.mask_token_id if is_hidden else own)


def test_it_is_read_no_more_often_than_with_one_token_hidden_in_turn() -> None:
    tokenizer = tiny_tokenizer("roberta")

    def inputs(*maskings: str) -> int:
        return sum(len(prepare(example_pairs(), tokenizer, m, ORIGINAL).queries.inputs) for m in maskings)

    assert inputs(WHOLE_WORD) < inputs(REST_OF_WORD) <= inputs(ONE_SHARED, ONE_MODIFIED)
    # so shards are as small
    some = pd.concat([example_pairs()] * 20, ignore_index=True)
    sizes = {m: [len(part) for part, _ in divide(some, m, 2000)] for m in (ONE_SHARED, *WORD_MASKINGS)}
    assert sizes[ONE_SHARED] == sizes[REST_OF_WORD] == sizes[WHOLE_WORD] and len(sizes[WHOLE_WORD]) > 1


@cache
def scores_of(architecture: str, *pairs: tuple[str, str]) -> pd.DataFrame:
    model = load(tiny_model(architecture, Path(mkdtemp(prefix="tiny-"))), pick_device("cpu"), False)
    table = pairs_of(*pairs)
    maskings = (ONE_SHARED, ONE_MODIFIED, *WORD_MASKINGS)
    evidence = {masking: collect_evidence(table, model, masking, ORIGINAL) for masking in maskings}
    scores = score_pairs(list(table["pair_id"]), evidence, ["PLL", "PLLWordL2R", "PLLWholeWord"])
    return scores[scores["protocol"] == CORRECTED].set_index("measure")


def test_where_every_word_is_one_token_all_versions_of_pll_agree() -> None:
    scores = scores_of("bert", ("the nurse is good", "the doctor is bad"))
    assert scores["stereotype"].nunique() == scores["antistereotype"].nunique() == 1


def test_where_a_word_has_several_they_do_not() -> None:
    scores = scores_of("bert", ("the nurse is well known", "the doctor is well known"))
    assert scores["stereotype"].nunique() == 3


def test_unequal_numbers_of_tokens_are_seen_in_what_they_leave() -> None:
    pairs = pairs_of(("the nurse is good", "the zzqx is good"), ("the nurse is bad", "the doctor is bad"))
    model = load(tiny_model("bert", Path(mkdtemp(prefix="tiny-"))), pick_device("cpu"), False)
    for masking in WORD_MASKINGS:
        flags = unequal_tokens(pairs, {masking: collect_evidence(pairs, model, masking, ORIGINAL)})
        assert flags is not None and flags.tolist() == [True, False]


def test_without_spaces_each_token_is_a_word() -> None:
    """SentencePiece takes a clause for a word; a character of several bytes is one word all the same."""
    pieces = ["▁", "女人", "不", "会", "开车", "。", "OK", "▁the", "▁n", "urse"]
    unigram = Tokenizer(models.Unigram([("<unk>", -20.0), *((piece, -1.0) for piece in pieces)], unk_id=0))
    unigram.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=unigram, unk_token="<unk>")  # type: ignore[no-untyped-call]
    found = [" ".join(word) for word in words_of(tokenizer, "女人不会OK。开车 the nurse")]
    assert found == ["▁ 女人", "不", "会", "OK 。", "开车", "▁the", "▁n urse"]
    # byte pairs: three bytes each, and the space
    sizes = [len(word) for word in words_of(tiny_tokenizer("roberta"), "the 女人")]
    assert sizes[1:] == [1, 3, 3]


def test_a_tokenizer_that_finds_no_words_is_refused() -> None:
    whole = Tokenizer(models.BPE(vocab={"a": 0, "b": 1, "▁": 2, "[MASK]": 3}, merges=[]))
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=whole, mask_token="[MASK]")  # type: ignore[no-untyped-call]
    for masking in WORD_MASKINGS:
        with pytest.raises(InputError, match="takes a whole text for one word"):
            prepare(pairs_of(("a b", "b a")), tokenizer, masking, ORIGINAL)
    # words do not matter to others
    assert len(prepare(pairs_of(("ab", "ba")), tokenizer, ONE_MODIFIED, ORIGINAL).sentence)
    whole.pre_tokenizer = pre_tokenizers.Whitespace()
    check_words(PreTrainedTokenizerFast(tokenizer_object=whole))  # type: ignore[no-untyped-call]


def test_a_tokenizer_without_a_fast_form_is_refused() -> None:
    class Slow:
        is_fast = False

    with pytest.raises(InputError, match="has no fast form and does not say where words begin"):
        check_words(Slow())  # type: ignore[arg-type]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_tokenizers_of_every_architecture_find_words(architecture: str) -> None:
    check_words(tiny_tokenizer(architecture))
    assert len(words_of(tiny_tokenizer(architecture), TEXT)) in (5, 10, 11)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("folder", "architecture"),
    [("bert-base-uncased", "bert"), ("roberta", "roberta"), ("albert-v2", "albert")],
)
def test_minicons_gives_every_token_the_same(folder: str, architecture: str) -> None:
    """PLL and PLL-word-l2r of random models with released tokenizers, on pairs of CrowS-Pairs and unknown
    words."""
    scorer = pytest.importorskip("minicons.scorer", reason="needs the extra unmask[outside]")
    tokenizer = AutoTokenizer.from_pretrained(real_data("tokenizers", folder))
    directory = Path(mkdtemp(prefix="random-"))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        network = AutoModelForMaskedLM.from_config(  # type: ignore[no-untyped-call]
            tiny_config(architecture, tokenizer)
        )
    network.save_pretrained(directory)
    tokenizer.save_pretrained(directory)
    texts = [
        "The Vandorwick isn't well-known, unlike Zelkomund's greengrocers.",
        "Nobody would've unfathomably mistrusted antidisestablishmentarianism!",
        "He said (quietly): 3,141.59 euros?",
        "The nurse was tired.",
    ]
    pairs = pairs_of(*zip(texts, reversed(texts), strict=True))
    model = load(directory, pick_device("cpu"), False)
    theirs = scorer.MaskedLMScorer(network.eval(), "cpu", tokenizer=tokenizer)
    compared = several = 0
    for maskings, metric in (((ONE_SHARED, ONE_MODIFIED), "original"), ((REST_OF_WORD,), "within_word_l2r")):
        evidence = pd.concat([collect_evidence(pairs, model, masking, ORIGINAL) for masking in maskings])
        for number, text in enumerate(texts):
            rows = evidence[(evidence["pair_id"] == f"p{number}") & (evidence["role"] == STEREOTYPE)]
            # it would tokenise by a method that transformers 5 has no more
            (tokens,) = theirs.token_score(tokenizer([text]), PLL_metric=metric)
            log_probs = rows.sort_values("position")["log_prob"].to_numpy(float)
            np.testing.assert_allclose(log_probs, [log_prob for _, log_prob in tokens], atol=1e-4)
            compared += len(tokens)
            several += len(tokens) > len(words_of(tokenizer, text))
    assert compared > 80 and several >= 4

"""Exact models of worlds: answers by hand, margins of the theory in closed form, and their manifests."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from library import (
    SPLIT_PEOPLES,
    Counts,
    ExactModel,
    InputError,
    PlantedPair,
    World,
    crows_pairs,
    exact_evidence,
    manifest_of,
    maskings_of,
    score_pairs,
    text_of,
)
from made_worlds import DOSED, UNEVEN, make_world

MEASURES = ("CPS", "SSS", "AllMasked", "PLL", "AUL", "AULA")
LEFT_MEASURES = ("LL", "LLMean", "CCPS", "CSSS")
SETTINGS: dict[str, dict[str, Any]] = {"default": {}, "dosed": DOSED, "uneven": UNEVEN}
PLANTED = {name: crows_pairs(make_world(**changes), Counts(4, 3)) for name, changes in SETTINGS.items()}


def pairs_of(planted: Sequence[PlantedPair]) -> pd.DataFrame:
    rows = [(pair.pair_id, text_of(pair.stereotype), text_of(pair.antistereotype)) for pair in planted]
    return pd.DataFrame(rows, columns=["pair_id", "stereotype", "antistereotype"])


def margins(name: str, kind: str, measures: Sequence[str]) -> list[tuple[PlantedPair, dict[str, float]]]:
    """The pairs of a world, each with its margins of protocol `corrected`."""
    pairs, model = pairs_of(PLANTED[name]), ExactModel(make_world(**SETTINGS[name]), kind)
    evidence = {masking: exact_evidence(pairs, model, masking) for masking in maskings_of(measures)}
    scores = score_pairs(list(pairs["pair_id"]), evidence, measures)
    table = scores.query("protocol == 'corrected'").pivot(index="pair_id", columns="measure", values="margin")
    rows: Any = table.loc[pairs["pair_id"]].to_dict("records")
    return list(zip(PLANTED[name], rows, strict=True))


# --- answers, against a list of everything that training can do, each with its probability

CUT = {
    ("nurse", "she", "."): 0.24,
    ("nurse", "he", "."): 0.06,
    ("pilot", "she", "."): 0.03,
    ("pilot", "he", "."): 0.27,
    ("very", "tired", "."): 0.1,
    ("Vandor", "##wick", "."): 0.1,
    ("very", "she", "."): 0.05,
    ("tired", "."): 0.09,
    ("he", "."): 0.06,
}
"""The tokens of nine sentences, of three or of two, with their probabilities; Vandorwick is split."""


def cut_world(kind: str) -> tuple[ExactModel, list[tuple[tuple[int, ...], float]]]:
    """The model of these sentences, and the numbers of their tokens."""
    split = ("Vandor", "##wick", ".")
    sentences = [(("Vandorwick", ".") if tokens == split else tokens, p) for tokens, p in CUT.items()]
    words = {word for of_sentence, _ in sentences for word in of_sentence}
    split_words = {"Vandorwick": SPLIT_PEOPLES["Vandorwick"]}
    world: Any = SimpleNamespace(sentences=sentences, words=words, split_words=split_words)
    model = ExactModel(world, kind)
    return model, [(tuple(map(model.names.index, tokens)), p) for tokens, p in CUT.items()]


@pytest.mark.parametrize("length", [2, 3])
def test_every_answer_is_that_of_the_sentences_that_fit(length: int) -> None:
    (model, sentences), compared = cut_world("masked-lm"), 0
    mask = model.names.index("[MASK]")
    assert model.names[:mask] == ("##wick", ".", "Vandor", "he", "nurse", "pilot", "she", "tired", "very")
    for shown, place in product(product(range(mask + 1), repeat=length), range(length)):
        weights: defaultdict[int, float] = defaultdict(float)
        for ids, probability in sentences:
            others = [n for n in range(length) if n != place]
            if len(ids) == length and all(shown[n] in (mask, ids[n]) for n in others):
                # of ten chosen tokens six are masked, two kept and two made random
                kept = 0.2 if shown[place] == ids[place] else 0
                chosen = 0.6 if shown[place] == mask else kept + 0.2 / mask
                weights[ids[place]] += probability * chosen
        if (total := sum(weights.values())) > 0:
            answers = model.around([shown])[shown]
            if shown[place] != mask:
                answers = model.unmasked(answers, np.minimum(shown, mask - 1))
            expected = [weights[token] / total for token in range(mask)]
            np.testing.assert_allclose(answers[place], expected, atol=1e-12)
            compared += 1
    assert compared >= 5


def test_each_token_has_its_share_of_the_sentences_that_begin_alike() -> None:
    model, sentences = cut_world("causal-lm")
    beginnings = {ids[:end] for ids, _ in sentences for end in range(len(ids))}
    assert len(beginnings) == 14
    for beginning in beginnings:
        size = len(beginning)
        total = sum(p for ids, p in sentences if ids[:size] == beginning)
        expected = [
            sum(p for ids, p in sentences if ids[: size + 1] == (*beginning, token)) / total
            for token in range(len(model.names) - 1)
        ]
        np.testing.assert_allclose(model.following(beginning), expected, atol=1e-12)


# --- margins, against the theory: those of S, the stereotypical sentence, less those of A, in natural logs
#
# A pair differs in one token m (a pronoun or a group) and shares, beside words that tell nothing, one word u
# that goes with m: the occupation or the trait. P(u|m) in S is to that in A as p to 1 - p; the group of S is
# `ratio` times as rare (direction `stereo`) or as frequent as that of A.


def odds_and_frequency(pair: PlantedPair) -> tuple[float, float]:
    """log p/(1 - p), and the log frequency of m in S less that in A."""
    p, frequency = pair.contrast.p, math.log(pair.contrast.ratio)
    return math.log(p / (1 - p)), -frequency if pair.contrast.direction == "stereo" else frequency


def aul(world: World, words: Sequence[str]) -> float:
    """The mean log g(q) of tokens with the probability q from all others, g(q) = q (λ + 1) / (q λ + 1).

    λ = kept · V / random = V, the number of tokens: how far one that is seen is trusted, since as many are
    kept as are replaced. q by walking through every sentence of the grammar without split words.
    """
    size = len({piece for word in world.words for piece in world.split_words.get(word, (word,))})
    alike = [s for s in world.sentences if len(s.words) == len(words) and not {*SPLIT_PEOPLES} & {*s.words}]
    logs = []
    for place, word in enumerate(words):
        fitting = [s for s in alike if (*s.words[:place], word, *s.words[place + 1 :]) == (*words,)]
        same = sum(s.probability for s in fitting if s.words[place] == word)
        q = same / sum(s.probability for s in fitting)
        logs.append(math.log(q * (size + 1) / (q * size + 1)))
    return sum(logs) / len(logs)


@pytest.mark.parametrize("name", SETTINGS)
def test_margins_are_those_of_the_theory(name: str) -> None:
    world = make_world(**SETTINGS[name])
    for number, (pair, row) in enumerate(margins(name, "masked-lm", MEASURES)):
        odds, towards = odds_and_frequency(pair)
        if pair.contrast.factor == "length":
            # pieces of a name give each other away: the split name's side is the likelier, whoever it is
            split = pair.contrast.stereotype["group"] in SPLIT_PEOPLES
            assert (row["PLL"] > 0) == (row["AUL"] > 0) == split
            assert row["CPS"] == pytest.approx(0, abs=1e-6)
            continue
        # CPS hides the shared words, of which u alone tells S from A; SSS hides m: P(m|u) ∝ P(m) P(u|m); PLL
        # both, but of two pronouns either tells the other; AllMasked leaves each word its frequency
        expected = {"CPS": odds, "SSS": odds + towards, "AllMasked": towards / len(pair.stereotype)}
        expected["PLL"] = odds + odds + towards if len(pair.modified) == 1 else odds
        if number % 8 == 0:
            expected["AUL"] = aul(world, pair.stereotype) - aul(world, pair.antistereotype)
            expected["AULA"] = expected["AUL"]
        for measure, margin in expected.items():
            assert row[measure] == pytest.approx(margin, abs=1e-6), (pair, measure)


def test_which_measure_of_decoders_frequency_fools_and_which_length() -> None:
    """A pronoun stands behind its occupation, a trait behind its group."""
    seen: Counter[str] = Counter()
    for pair, row in margins("dosed", "causal-lm", LEFT_MEASURES):
        odds, towards = odds_and_frequency(pair)
        factor = pair.contrast.factor
        seen[factor] += 1
        if factor == "association":
            # of two pronouns the first tells the second
            two = {"his", "her"}.intersection(pair.stereotype)
            pronouns = 1 + (bool(two) and "that" in pair.stereotype)
            expected = {"LL": odds, "CCPS": 0.0, "CSSS": odds / pronouns}
        elif factor == "length":
            # two tokens that are always together are one, and one that costs nothing
            expected = {"LL": 0.0, "CCPS": 0.0}
            longer = 1 if SPLIT_PEOPLES.keys() & {*pair.stereotype} else -1
            assert longer * row["CSSS"] > 0.5 and longer * row["LLMean"] > 0.05
        else:
            expected = {"LL": odds + towards, "CCPS": odds, "CSSS": towards}
        for measure, margin in expected.items():
            assert row[measure] == pytest.approx(margin, abs=1e-6), (pair, measure)
    assert min(seen.values()) > 10 and len(seen) == 4


# --- as models of a study


@pytest.mark.parametrize("kind", ["masked-lm", "causal-lm"])
def test_what_cannot_be_asked_is_refused(kind: str) -> None:
    pairs, model = pairs_of(PLANTED["default"][:5]), ExactModel(make_world(), kind)
    own, other = ("all", "left") if kind == "masked-lm" else ("left", "none")
    with pytest.raises(ValueError, match=f"masking {other} is not for a {kind}"):
        exact_evidence(pairs, model, other)
    for text in ("The nurse said.", "The nurse was tired", "A doctor was tired.", "."):
        pairs.loc[1, "antistereotype"] = text
        with pytest.raises(InputError, match=f"pair {pairs['pair_id'][1]}: the antistereotype sentence is"):
            exact_evidence(pairs, model, own)


def test_digests_follow_what_answers_are_computed_from() -> None:
    def manifest(kind: str = "masked-lm", **of_world: Any) -> dict[str, Any]:
        return manifest_of(ExactModel(make_world(**of_world), kind))

    plain, causal, dosed = manifest(), manifest("causal-lm"), manifest(**DOSED)
    assert manifest(sentences=50_000) == plain
    other = manifest(associations=[0.5, 0.6, 0.75, 0.95])
    assert len({each["weights_digest"] for each in (plain, causal, other)}) == 3
    assert other["tokenizer_digest"] == plain["tokenizer_digest"]
    assert dosed["tokenizer_digest"] != plain["tokenizer_digest"]
    assert dosed["vocab_size"] > plain["vocab_size"] > 80


def test_behind_the_start_token_alone_stands_no_occupation_and_no_group() -> None:
    pairs = pairs_of(PLANTED["default"])
    assert exact_evidence(pairs, ExactModel(make_world(), "causal-lm"), "start").empty

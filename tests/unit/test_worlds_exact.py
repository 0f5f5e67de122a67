"""Exact models of worlds: answers by hand, rows of a transformer, margins of the theory, and their jobs."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

import closed_forms as theory
from library import (
    ALL,
    ASSOCIATION,
    CAUSAL_LM,
    CORRECTED,
    LEFT,
    LENGTH,
    MASKED_LM,
    NONE,
    SPLIT_PEOPLES,
    START,
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
)
from made_worlds import DOSED, OTHERS, by_hand, cut_world, make_world, planted_pairs

MEASURES = ("CPS", "SSS", "AllMasked", "PLL", "AUL", "AULA")
LEFT_MEASURES = ("LL", "LLMean", "CCPS", "CSSS")
SETTINGS: dict[str, dict[str, Any]] = {"default": {}, "dosed": DOSED, "uneven": OTHERS["uneven"]}
COUNTS = Counts(4, 3)
CUT = cut_world()
WHOLE = frozenset(SPLIT_PEOPLES)


@cache
def world_of(name: str) -> World:
    return make_world(**SETTINGS[name])


@cache
def planted(name: str) -> list[PlantedPair]:
    return crows_pairs(world_of(name), COUNTS)


@cache
def frame(name: str) -> pd.DataFrame:
    return planted_pairs(world_of(name), COUNTS)[0]


def margins(pairs: pd.DataFrame, model: ExactModel, measures: Sequence[str]) -> pd.DataFrame:
    """Margins of protocol `corrected`: pairs × measures."""
    evidence = {masking: exact_evidence(pairs, model, masking) for masking in maskings_of(measures)}
    scores = score_pairs(list(pairs["pair_id"]), evidence, measures)
    table = scores[scores["protocol"] == CORRECTED].pivot(index="pair_id", columns="measure", values="margin")
    return table.loc[pairs["pair_id"]]


@cache
def computed(name: str) -> pd.DataFrame:
    return margins(frame(name), ExactModel(world_of(name), MASKED_LM), MEASURES)


# --- answers, against a list of everything that training can do, each with its probability


def cut_sentences(model: ExactModel) -> list[tuple[tuple[int, ...], float]]:
    """The nine sentences of the cut world, one of whose words is two tokens."""
    pieces = {"Vandorwick": ["Vandor", "##wick"]}
    return [
        (tuple(model.names.index(p) for word in words for p in pieces.get(word, [word])), probability)
        for words, probability in CUT.sentences
    ]


@pytest.mark.parametrize("length", [2, 3])
def test_every_answer_is_that_of_the_sentences_that_fit(length: int) -> None:
    model, compared = ExactModel(CUT, MASKED_LM), 0
    mask = model.names.index("[MASK]")
    assert model.names[:mask] == ("##wick", ".", "Vandor", "he", "nurse", "pilot", "she", "tired", "very")
    for shown, place in product(product(range(mask + 1), repeat=length), range(length)):
        weights: defaultdict[int, float] = defaultdict(float)
        for ids, probability in cut_sentences(model):
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
    model = ExactModel(CUT, CAUSAL_LM)
    sentences = cut_sentences(model)
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


# --- margins, against the theory


@pytest.mark.parametrize("name", SETTINGS)
def test_margins_are_those_of_the_theory(name: str) -> None:
    world = world_of(name)
    tokens = len({piece for w in world.words for piece in world.split_words.get(w, (w,))})
    trust = theory.trust(tokens)
    rows = list(zip(planted(name), computed(name).to_dict("records"), strict=True))
    for number, (pair, row) in enumerate(rows):
        contrast, one_word = pair.contrast, len(pair.modified) == 1
        if contrast.factor == LENGTH:
            # pieces of a name give each other away: the split name's side is the likelier, whoever it is
            split = contrast.stereotype["group"] in SPLIT_PEOPLES
            assert (row["PLL"] > 0) == (row["AUL"] > 0) == split
            assert row["CPS"] == pytest.approx(0, abs=1e-6)
            continue
        p, ratio, direction = contrast.p, contrast.ratio, contrast.direction
        expected = {
            "CPS": theory.cps_margin(p),
            "SSS": theory.sss_margin(p, ratio, direction),
            "AllMasked": theory.all_masked_margin(ratio, direction, len(pair.stereotype)),
            "PLL": theory.pll_margin(p, ratio, direction) if one_word else theory.cps_margin(p),
        }
        if number % 8 == 0:
            more, less = (
                theory.aul_score(
                    [math.exp(by_hand(world, words, [i], WHOLE)[0]) for i in range(len(words))], trust
                )
                for words in (pair.stereotype, pair.antistereotype)
            )
            expected |= {"AUL": more - less, "AULA": more - less}
        for measure, margin in expected.items():
            assert row[measure] == pytest.approx(margin, abs=1e-6), (pair, measure)


def test_which_measure_of_decoders_frequency_fools_and_which_length() -> None:
    """In closed form: a pronoun stands behind its occupation, a trait behind its group."""
    pairs, facts = planted_pairs(world_of("dosed"), COUNTS)
    found = margins(pairs, ExactModel(world_of("dosed"), CAUSAL_LM), LEFT_MEASURES)
    seen: Counter[str] = Counter()
    rows = pairs[["pair_id", "stereotype"]].join(facts).join(found, on="pair_id")
    for row in rows.to_dict("records"):
        odds = theory.log_odds(row["p"])
        towards = theory.towards_stereotype(row["ratio"], row["direction"])
        seen[row["factor"]] += 1
        if row["factor"] == ASSOCIATION:
            # of two pronouns the first tells the second
            two = " his " in row["stereotype"] or " her " in row["stereotype"]
            pronouns = 1 + (two and " that " in row["stereotype"])
            expected = {"LL": odds, "CCPS": 0.0, "CSSS": odds / pronouns}
        elif row["factor"] == LENGTH:
            # two tokens that are always together are one, and one that costs nothing
            expected = {"LL": 0.0, "CCPS": 0.0}
            longer = 1 if any(name in row["stereotype"] for name in SPLIT_PEOPLES) else -1
            assert longer * row["CSSS"] > 0.5 and longer * row["LLMean"] > 0.05
        else:
            expected = {"LL": odds + towards, "CCPS": odds, "CSSS": towards}
        for measure, margin in expected.items():
            assert row[measure] == pytest.approx(margin, abs=1e-6), (row, measure)
    assert min(seen.values()) > 10 and len(seen) == 4


# --- as models of a study


@pytest.mark.parametrize("kind", [MASKED_LM, CAUSAL_LM])
def test_what_cannot_be_asked_is_refused(kind: str) -> None:
    pairs, model = frame("default")[:5].copy(), ExactModel(world_of("default"), kind)
    own, other = (ALL, LEFT) if kind == MASKED_LM else (LEFT, NONE)
    with pytest.raises(ValueError, match=f"masking {other} is not for a {kind}"):
        exact_evidence(pairs, model, other)
    for text in ("The nurse said.", "The nurse was tired", "A doctor was tired.", "."):
        pairs.loc[1, "antistereotype"] = text
        with pytest.raises(InputError, match=f"pair {pairs['pair_id'][1]}: the antistereotype sentence is"):
            exact_evidence(pairs, model, own)


def test_digests_follow_what_answers_are_computed_from() -> None:
    def manifest(kind: str = MASKED_LM, **of_world: Any) -> dict[str, Any]:
        return manifest_of(ExactModel(make_world(**of_world), kind))

    plain, causal, dosed = manifest(), manifest(CAUSAL_LM), manifest(**DOSED)
    assert manifest(sentences=50_000) == plain
    other = manifest(associations=[0.5, 0.6, 0.75, 0.95])
    assert len({each["weights_digest"] for each in (plain, causal, other)}) == 3
    assert other["tokenizer_digest"] == plain["tokenizer_digest"]
    assert dosed["tokenizer_digest"] != plain["tokenizer_digest"]
    assert dosed["vocab_size"] > plain["vocab_size"] > 80


def test_behind_the_start_token_alone_stands_no_occupation_and_no_group() -> None:
    assert exact_evidence(frame("default"), ExactModel(world_of("default"), CAUSAL_LM), START).empty

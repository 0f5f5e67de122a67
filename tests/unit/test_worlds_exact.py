"""Exact models of worlds: answers by hand, margins of the theory in closed form, and their manifests."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import pandas as pd
import pytest

from library import (
    SPLIT_PEOPLES,
    Counts,
    ExactModel,
    InputError,
    PlantedPair,
    crows_pairs,
    exact_evidence,
    manifest_of,
    maskings_of,
    rows_of,
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


def tokens_of(words: Sequence[str]) -> list[str]:
    pieces = {word: [first, f"##{rest}"] for word, (first, rest) in SPLIT_PEOPLES.items()}
    return [piece for word in words for piece in pieces.get(word, [word])]


@pytest.mark.parametrize("masking", ["none", "all", "modified", "one-shared", "one-modified", "left"])
def test_every_row_is_that_of_the_sentences_that_fit(masking: str) -> None:
    """Of a pair of each factor: the other sentences that are seen as this one, walked through one by one."""
    world, is_causal = make_world(**DOSED), masking == "left"
    sentences = [(tokens_of(s.words), s.probability) for s in world.sentences]
    size = len({token for tokens, _ in sentences for token in tokens})
    pairs = pairs_of([*{pair.contrast.factor: pair for pair in PLANTED["dosed"]}.values()])
    model = ExactModel(world, "causal-lm" if is_causal else "masked-lm")
    rows = exact_evidence(pairs, model, masking)
    for (pair_id, role), of_side in rows[~rows["special"]].groupby(["pair_id", "role"]):
        (text,) = pairs.loc[pairs["pair_id"] == pair_id, str(role)]
        tokens, places = tokens_of([*text[:-1].split(), "."]), of_side["position"] - 1
        for place, row in zip(places, rows_of(of_side), strict=True):
            hidden = {*places} if masking in ("all", "modified") else {place}
            seen = range(place) if is_causal else {*range(len(tokens))} - hidden
            law: dict[str, float] = defaultdict(float)
            for other, p in sentences:
                fits = len(other) > place if is_causal else len(other) == len(tokens)
                if fits and all(other[n] == tokens[n] for n in seen):
                    law[other[place]] += p
            if masking == "none":
                # one that is seen is trusted kept · V / random = V, as many as there are tokens
                law[tokens[place]] *= size + 1
            own = law[tokens[place]]
            assert row.log_prob == pytest.approx(math.log(own / sum(law.values())), abs=1e-9)
            assert row.rank == 1 + sum(p > own * (1 + 1e-9) for p in law.values())


# --- margins, against the theory: those of S, the stereotypical sentence, less those of A, in natural logs
#
# A pair differs in one token m (a pronoun or a group) and shares, beside words that tell nothing, one word u
# that goes with m: the occupation or the trait. P(u|m) in S is to that in A as p to 1 - p; the group of S is
# `ratio` times as rare (direction `stereo`) or as frequent as that of A.


def odds_and_frequency(pair: PlantedPair) -> tuple[float, float]:
    """log p/(1 - p), and the log frequency of m in S less that in A."""
    p, frequency = pair.contrast.p, math.log(pair.contrast.ratio)
    return math.log(p / (1 - p)), -frequency if pair.contrast.direction == "stereo" else frequency


@pytest.mark.parametrize("name", SETTINGS)
def test_margins_are_those_of_the_theory(name: str) -> None:
    for pair, row in margins(name, "masked-lm", MEASURES):
        # attention is uniform
        assert row["AULA"] == pytest.approx(row["AUL"])
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

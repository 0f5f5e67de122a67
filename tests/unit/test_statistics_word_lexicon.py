"""The lexical null of scores made elsewhere: against a slow one, and what it must and must not find."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from study_schema import ROOT, options_with
from test_real_decoder import crows_pairs, evidence
from unmask.measures.scoring import score_pairs
from unmask.pairs.matching import Matched, scores_table
from unmask.pairs.verdicts import BY_WORDS, CANNOT_TELL, CLEAR, verdicts
from unmask.statistics.bias import bias_table
from unmask.statistics.decisions import decisions
from unmask.statistics.dependence import Dependence
from unmask.statistics.lexical import Band, Groups, Lexicon, Lexicons, LexiconSource, band, null_scores
from unmask.statistics.word_lexicon import OneLexicon, word_lexicon
from unmask.terms import LEFT
from unmask.words import words_of

REDUCTIONS = ["sum", "mean"]
SIDES = ["stereotype", "antistereotype"]
SERIES = ("score", "corrected")


def made_pairs(count: int, seed: int, vocabulary: int = 40) -> pd.DataFrame:
    """Sentences of random words, of which the sides share all but one or two at the end."""
    rng = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    for number in range(count):
        shared = [f"w{word}" for word in rng.integers(vocabulary, size=rng.integers(2, 6))]
        sides = [[f"m{word}" for word in rng.integers(vocabulary, size=rng.integers(1, 3))] for _ in range(2)]
        texts = [" ".join([*shared, *side]) for side in sides]
        rows.append({"pair_id": f"p{number}", **dict(zip(SIDES, texts, strict=True))})
    facts = {"bias_type": "made", "direction": None, "target": None, "writer": None}
    return pd.DataFrame(rows).assign(**facts)


def tokens_of(pairs: pd.DataFrame) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Each word has one to three tokens, always as many."""
    return np.array(
        [[sum(1 + len(word) % 3 for word in words_of(text)) for text in pairs[side]] for side in SIDES], float
    )


def counts_of(pairs: pd.DataFrame, reduction: str) -> np.ndarray[Any, np.dtype[np.float64]] | None:
    """What the null knows of tokens."""
    return tokens_of(pairs) if reduction == "sum" else None


def texts_of(pairs: pd.DataFrame) -> list[list[str]]:
    return pairs[SIDES].to_numpy().tolist()


def slow_margin(texts: list[str], tokens: list[float], of_words: dict[str, float], reduction: str) -> float:
    """Sentence by sentence and word by word, in which every word has as many tokens."""
    sentences = []
    for text, n in zip(texts, tokens, strict=True):
        of_text = words_of(text)
        total = sum(n / len(of_text) * of_words[word] for word in of_text)
        sentences.append(total if reduction == "sum" else total / n)
    return float(sentences[0] - sentences[1])


def slow_level(pairs: pd.DataFrame, scores: Any, tokens: Any, reduction: str) -> float:
    """The mean per token over sentences, each once."""
    seen = {}
    for side in range(2):
        for text, score, n in zip(pairs[SIDES[side]], scores[side], tokens[side], strict=True):
            if not math.isnan(score):
                seen[text] = (score if reduction == "sum" else score * n, n)
    return float(sum(score for score, _ in seen.values()) / sum(n for _, n in seen.values()))


def slow_deviation(pairs: pd.DataFrame, scores: Any, tokens: Any, reduction: str) -> float:
    """The method of moments, coefficient by coefficient: a word's is the margin where it alone scores 1."""
    mean = slow_level(pairs, scores, tokens, reduction)
    above = below = 0.0
    for row, texts in enumerate(texts_of(pairs)):
        if np.isnan(scores[:, row]).any():
            continue
        every = {word for text in texts for word in words_of(text)}
        n = list(tokens[:, row])
        expected = slow_margin(texts, n, dict.fromkeys(every, mean), reduction)
        above += (scores[0, row] - scores[1, row] - expected) ** 2
        below += sum(
            slow_margin(texts, n, {each: float(each == word) for each in every}, reduction) ** 2
            for word in every
        )
    return math.sqrt(above / below)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_margins_mean_and_deviation_are_those_of_a_slow_loop(reduction: str) -> None:
    pairs = made_pairs(25, seed=1)
    rng, tokens = np.random.default_rng(2), tokens_of(pairs)
    scores = -3 * (tokens if reduction == "sum" else tokens**0) + rng.normal(size=tokens.shape)
    scores[:, 4] = np.nan
    found = word_lexicon(pairs, scores, counts_of(pairs, reduction))
    mean = slow_level(pairs, scores, tokens, reduction)
    deviation = slow_deviation(pairs, scores, tokens, reduction)
    assert found.scores.mean() == pytest.approx(0, abs=1e-9)
    assert found.scores.std() == pytest.approx(deviation, rel=0.01)
    quantiles = found.scores / deviation
    # the 1000 quantiles of a standard normal distribution
    assert quantiles[499:501] == pytest.approx([-0.00125, 0.00125], abs=1e-4)
    assert quantiles[974:976] == pytest.approx([1.954, 1.966], abs=0.01)
    vocabulary = sorted({word for side in SIDES for text in pairs[side].drop(4) for word in words_of(text)})
    assert found.weights.shape == (25, len(vocabulary)) and found.level is not None
    drawn = rng.normal(size=len(vocabulary))
    margins = found.level + found.weights @ drawn
    of_words = {word: mean + value for word, value in zip(vocabulary, drawn, strict=True)}
    for row, texts in enumerate(texts_of(pairs)):
        if row == 4:
            assert margins[row] == 0
        else:
            expected = slow_margin(texts, list(tokens[:, row]), of_words, reduction)
            assert margins[row] == pytest.approx(expected, abs=1e-5)


def share(margins: Any) -> float:
    """The score in percent, a tie as one half."""
    return float(100 * np.mean((margins > 1e-9) + 0.5 * (np.abs(margins) <= 1e-9)))


def null_of(lexicon: Lexicon, draws: int, seed: int = 0) -> Any:
    """The scores that the draws of a lexicon have over all pairs."""
    count = lexicon.weights.shape[0]
    everyone = Groups(sparse.csr_array(np.ones((1, count))))
    nothing = np.zeros((count, 1), bool)
    source = OneLexicon(lexicon)
    ((_, (null,)),) = null_scores(source, [SERIES], np.ones((count, 1)), nothing, everyone, draws, seed)
    return null


def band_of(pairs: pd.DataFrame, scores: Any, reduction: str, draws: int = 200, seed: int = 0) -> Band:
    """The band of the score over all pairs, protocol corrected."""
    lexicon = word_lexicon(pairs, scores, counts_of(pairs, reduction))
    found = band(share(scores[0] - scores[1]), null_of(lexicon, draws, seed), 0.95)
    assert found is not None
    return found


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_the_band_is_that_of_margins_drawn_one_by_one(reduction: str) -> None:
    pairs = made_pairs(60, seed=3)
    tokens, rng = tokens_of(pairs), np.random.default_rng(4)
    scores = -2 * (tokens if reduction == "sum" else tokens**0) + rng.normal(size=tokens.shape)
    found = band_of(pairs, scores, reduction, draws=4000)
    mean = slow_level(pairs, scores, tokens, reduction)
    deviation = slow_deviation(pairs, scores, tokens, reduction)
    vocabulary = sorted({word for side in SIDES for text in pairs[side] for word in words_of(text)})
    slow = []
    for _ in range(1000):
        of_words = {word: rng.normal(mean, deviation) for word in vocabulary}
        margins = [
            slow_margin(texts, list(tokens[:, place]), of_words, reduction)
            for place, texts in enumerate(texts_of(pairs))
        ]
        slow.append(share(np.array(margins)))
    assert found.mean == pytest.approx(np.mean(slow), abs=1)
    assert [found.low, found.high] == pytest.approx(np.quantile(slow, [0.025, 0.975]), abs=3)


def world(pairs: pd.DataFrame, rng: np.random.Generator, reduction: str) -> Any:
    """Scores of a model that is about words alone: N(-4, 1.5²) each per token."""
    tokens = tokens_of(pairs)
    of_words: dict[str, float] = {}
    scores = np.zeros_like(tokens)
    for side, name in enumerate(SIDES):
        for row, text in enumerate(pairs[name]):
            of_text = [of_words.setdefault(word, rng.normal(-4, 1.5)) for word in words_of(text)]
            scores[side, row] = np.mean(of_text) * (tokens[side, row] if reduction == "sum" else 1)
    return scores


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_the_deviation_of_random_words_is_recovered(reduction: str) -> None:
    pairs, rng = made_pairs(300, seed=5, vocabulary=400), np.random.default_rng(6)
    tokens = counts_of(pairs, reduction)
    found = [word_lexicon(pairs, world(pairs, rng, reduction), tokens).scores.std() for _ in range(20)]
    assert np.mean(found) == pytest.approx(1.5, abs=0.05)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_of_models_that_are_about_words_one_in_twenty_is_outside_its_band(reduction: str) -> None:
    pairs, rng, count = made_pairs(60, seed=7), np.random.default_rng(8), 300
    outside = 0
    for _ in range(count):
        scores = world(pairs, rng, reduction)
        outside += band_of(pairs, scores, reduction).p < 0.05
    # three standard deviations of a binomial count
    assert abs(outside - 0.05 * count) <= 3 * math.sqrt(0.05 * 0.95 * count)


def bias_of(pairs: pd.DataFrame, scores: Any, reduction: str | None, **changes: Any) -> pd.DataFrame:
    """The bias scores over all pairs with their verdicts, by protocol; None: nothing is known of tokens."""
    source = None
    if reduction is not None:
        source = OneLexicon(word_lexicon(pairs, scores, counts_of(pairs, reduction)))
    without = [str(place) for place in np.flatnonzero(np.isnan(scores[0]))]
    table = scores_table(pairs, Matched(scores, without, []), "score", 0.0)
    options = options_with(**{"draws": 400, **changes})
    bias = bias_table(pairs, decisions(pairs, table), options, Dependence.of([()] * len(pairs)), source)
    rows = bias[bias["grouping"] == "overall"]
    return rows.assign(verdict=verdicts(rows)).set_index("protocol")


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_a_preference_beyond_words_is_clear_and_one_of_words_is_not(reduction: str) -> None:
    pairs, rng = made_pairs(300, seed=9), np.random.default_rng(10)
    scores = rng.normal(size=(2, 300))
    scores[0] += 3
    found = bias_of(pairs, scores, reduction)
    assert list(found["verdict"]) == [CLEAR, CLEAR] and (found["score"] > 90).all()
    # where nothing is known of tokens nothing can be said
    assert list(bias_of(pairs, scores, None)["verdict"]) == [CANNOT_TELL] * 2
    # one word that all stereotypes have in place of another, and nothing else
    few = pairs.assign(stereotype="they said m1 things", antistereotype="they said m2 things")
    few["stereotype"] += " " + pairs["pair_id"]
    few["antistereotype"] += " " + pairs["pair_id"]
    found = bias_of(few, scores, reduction)
    assert (found["score"] > 90).all() and list(found["verdict"]) == [BY_WORDS] * 2
    # any random word does as much
    assert (found["null_low"] == 0).all() and (found["null_high"] == 100).all()


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_swapped_sides_mirror_the_band_and_the_order_of_pairs_does_not_count(reduction: str) -> None:
    pairs, rng = made_pairs(80, seed=11), np.random.default_rng(12)
    scores = world(pairs, rng, reduction)
    plain = null_of(word_lexicon(pairs, scores, counts_of(pairs, reduction)), 60)
    assert plain.std() > 1
    swapped = pairs.rename(columns=dict(zip(SIDES, SIDES[::-1], strict=True)))
    mirrored = null_of(word_lexicon(swapped, scores[::-1], counts_of(swapped, reduction)), 60)
    np.testing.assert_allclose(mirrored, 100 - plain, atol=1e-4)
    order = rng.permutation(80)
    other = pairs.iloc[order].reset_index(drop=True)
    turned = null_of(word_lexicon(other, scores[:, order], counts_of(other, reduction)), 60)
    np.testing.assert_allclose(turned, plain, atol=1e-4)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_sentences_that_are_the_same_tie_and_pairs_without_a_score_do_not_count(reduction: str) -> None:
    pairs = made_pairs(40, seed=13)
    scores = world(pairs, np.random.default_rng(14), reduction)
    same = pairs.assign(antistereotype=pairs["antistereotype"].mask(pairs.index < 10, pairs["stereotype"]))
    scores[1, :10] = scores[0, :10]
    lexicon = word_lexicon(same, scores, counts_of(same, reduction))
    (margins,) = lexicon.draws(50, np.random.default_rng(0))
    assert (margins[:10] == 0).all() and (margins[10:] != 0).any(axis=1).all()
    found = bias_of(same, scores, reduction)
    # a tie is one half, and in published no vote for the stereotype
    assert (found.loc["corrected", "tie"], found.loc["published", "tie"]) == (10, 10)
    assert found["null_mean"].diff().iloc[1] == pytest.approx(12.5, abs=0.1)
    # pairs without a score change nothing of the others
    scores[:, :10] = np.nan
    some = bias_of(same, scores, reduction)
    rest = same.iloc[10:].reset_index(drop=True)
    alone = bias_of(rest, scores[:, 10:], reduction).loc[["corrected"]]
    columns = ["score", "null_mean", "null_low", "null_high", "null_p"]
    np.testing.assert_allclose(some[columns].astype(float), alone[columns].astype(float))
    assert some["undefined"].item() == 10


def test_longer_sentences_lose_in_a_sum_and_not_in_a_mean() -> None:
    pairs = made_pairs(100, seed=15)
    pairs["stereotype"] += " " + pairs["antistereotype"]
    scores = world(pairs, np.random.default_rng(16), "sum")
    assert band_of(pairs, scores, "sum").high < 5
    means = world(pairs, np.random.default_rng(16), "mean")
    assert band_of(pairs, means, "mean").mean == pytest.approx(50, abs=3)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_likelier_later_tokens_of_longer_words_are_not_in_the_null(reduction: str) -> None:
    """The limit that docs/chance.md states: words differ in length on one side, and in nothing else."""
    pairs, rng = made_pairs(200, seed=19, vocabulary=400), np.random.default_rng(20)
    counts, scores = np.zeros((2, 200)), np.zeros((2, 200))
    of_words: dict[str, float] = {}
    for side, name in enumerate(SIDES):
        for row, text in enumerate(pairs[name]):
            for word in words_of(text):
                later = 2 * (side == 0 and word.startswith("m"))
                counts[side, row] += 1 + later
                scores[side, row] += of_words.setdefault(word, rng.normal(-6, 1)) - later
    if reduction == "mean":
        scores /= counts
    lexicon = word_lexicon(pairs, scores, counts if reduction == "sum" else None)
    found = band(share(scores[0] - scores[1]), null_of(lexicon, 400), 0.95)
    # a longer side has a higher mean, and loses less in a sum, than the null allows for
    assert found is not None and share(scores[0] - scores[1]) > found.high


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_scores_that_are_all_alike_per_token_tie_wherever_lengths_do(reduction: str) -> None:
    pairs = made_pairs(30, seed=17)
    tokens = tokens_of(pairs)
    scores = -0.1 * (tokens if reduction == "sum" else tokens**0)
    lexicon = word_lexicon(pairs, scores, counts_of(pairs, reduction))
    (margins,) = lexicon.draws(5, np.random.default_rng(0))
    equal = (tokens[0] == tokens[1]) | (reduction == "mean")
    assert equal.sum() > 2
    assert (np.abs(margins[equal]) <= 1e-9).all() and (np.abs(margins[~equal]) > 0.05).all()


def test_what_no_word_tells_apart_has_no_band_and_signs_are_a_word() -> None:
    pairs = made_pairs(3, seed=18).assign(
        stereotype=["A b!", "c d", "!?"], antistereotype=["b, a", "D c", "?!"]
    )
    tokens = np.ones((2, 3))
    scores = np.array([[-1.0, -2.0, -3.0], [-2.0, -1.0, -2.0]])
    lexicon = word_lexicon(pairs, scores, tokens)
    assert lexicon.weights.nnz == 2 and np.abs(lexicon.weights.toarray()[:2]).sum() == 0
    rest = word_lexicon(pairs.head(2), scores[:, :2], tokens[:, :2])
    assert rest.weights.nnz == 0 and (rest.scores == 0).all()
    table = scores_table(pairs.head(2), Matched(scores[:, :2], [], []), "score", 0.0)
    bias = bias_table(
        pairs.head(2),
        decisions(pairs.head(2), table),
        options_with(draws=100),
        Dependence.of([()] * 2),
        OneLexicon(rest),
    )
    assert bias["null_low"].isna().all() and bias["score"].notna().any()


@pytest.mark.thorough
def test_a_decoder_has_nearly_the_band_that_its_tokens_give() -> None:
    """The numbers of docs/scored.md: the same scores with and without their tokens, on all of CrowS-Pairs."""
    pairs, left = crows_pairs(), evidence()[LEFT]
    sizes = left[~left["special"].astype(bool)].groupby(["pair_id", "role"]).size().unstack("role")
    counts = sizes.reindex(list(pairs["pair_id"]))[SIDES].to_numpy(float).T
    documented = (ROOT / "docs/scored.md").read_text().replace("\n", " ")
    said = {
        "words": {"LL": (36.2, 57.3), "LLMean": (37.6, 62.6)},
        "tokens": {"LL": (37.7, 55.8), "LLMean": (39.3, 60.7)},
    }
    for name, tokens in (("LL", counts), ("LLMean", None)):
        scores = score_pairs(list(pairs["pair_id"]), {LEFT: left}, [name])
        lexicons = Lexicons(pairs, [name])
        lexicons.add(pairs, {LEFT: left})
        corrected = scores[scores["protocol"] == "corrected"].set_index("pair_id")
        sides = corrected.reindex(list(pairs["pair_id"]))[SIDES].to_numpy(float).T
        of_words = OneLexicon(word_lexicon(pairs, sides, tokens))
        dependence, decided = Dependence.of([()] * len(pairs)), decisions(pairs, scores)
        sources: dict[str, LexiconSource] = {"words": of_words, "tokens": lexicons}
        for what, source in sources.items():
            bias = bias_table(pairs, decided, options_with(), dependence, source)
            (row,) = bias.query("grouping == 'overall' and protocol == 'corrected'").to_dict("records")
            low, high = said[what][name]
            assert [row["null_low"], row["null_high"]] == pytest.approx([low, high], abs=0.06)
            assert f"{low} to {high}" in documented

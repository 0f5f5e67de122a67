"""The closed forms: their limits, and the formula of what unmasked prediction follows."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import closed_forms as theory
from unmask.terms import ANTISTEREO, STEREO
from unmask.worlds.recipe import Corruption

probabilities = st.floats(0.001, 0.999)
trusts = st.one_of(st.just(0.0), st.floats(0.01, 1e4))
corruptions = [Corruption(0.8, 0.1, 0.1), Corruption(0.9, 0, 0.1), Corruption(0.5, 0.3, 0.2)]


def posterior(q: float, corruption: Corruption, tokens: int) -> float:
    """P(the token stood there | it is shown, and has the probability q by all else), by Bayes' rule."""
    random = corruption.random / tokens
    own, other = q * (corruption.kept + random), (1 - q) * random
    return own / (own + other)


@pytest.mark.parametrize("corruption", corruptions, ids=str)
@given(q=probabilities)
def test_a_visible_token_has_the_probability_of_bayes_rule(corruption: Corruption, q: float) -> None:
    assert theory.seen(q, theory.trust(corruption, 50)) == pytest.approx(posterior(q, corruption, 50))


def test_where_nothing_is_random_a_visible_token_is_certain() -> None:
    trust = theory.trust(Corruption(0.5, 0.5, 0), 50)
    assert math.isinf(trust)
    assert theory.seen(0.001, trust) == 1
    assert theory.aul_score([0.1, 0.9], trust) == 0
    assert theory.aul_by_frequency(0.2, 0.1, trust) == 0


def test_where_nothing_is_kept_or_random_no_visible_token_has_an_answer() -> None:
    with pytest.raises(ValueError, match="no unmasked token"):
        theory.trust(Corruption(1, 0, 0), 50)


@given(q=st.lists(probabilities, min_size=1, max_size=9))
def test_where_nothing_is_kept_aul_is_the_mean_pseudo_log_likelihood(q: list[float]) -> None:
    assert theory.aul_score(q, 0) == pytest.approx(sum(map(math.log, q)) / len(q))


@given(low=probabilities, high=probabilities, trust=trusts)
def test_what_is_likelier_by_all_else_is_likelier_when_seen(low: float, high: float, trust: float) -> None:
    if high - low > 1e-3:
        assert theory.seen(low, trust) < theory.seen(high, trust)


def modified_word(frequencies: np.ndarray, of_rest: np.ndarray) -> np.ndarray:
    """P(word | the rest of the sentence): its frequency times how it goes with the rest, over all words."""
    joint: np.ndarray = frequencies * of_rest
    shares: np.ndarray = joint / joint.sum()
    return shares


@given(
    frequencies=st.lists(st.floats(0.1, 10), min_size=3, max_size=5),
    rest=st.floats(0.1, 0.9),
    trust=trusts,
)
def test_aul_follows_the_frequency_of_the_modified_word_by_its_formula(
    frequencies: list[float], rest: float, trust: float
) -> None:
    """Of two words, the first and the second of several: the difference quotient against the formula."""

    def margin(log_more: float) -> float:
        often = np.array([frequencies[0] * math.exp(log_more), *frequencies[1:]])
        q = modified_word(often, np.array([rest, 1 - rest, *[0.5] * (len(often) - 2)]))
        return math.log(theory.seen(q[0], trust)) - math.log(theory.seen(q[1], trust))

    q = modified_word(np.array(frequencies), np.array([rest, 1 - rest, *[0.5] * (len(frequencies) - 2)]))
    step = 1e-4
    quotient = (margin(step) - margin(-step)) / (2 * step)
    formula = theory.aul_by_frequency(q[0], q[1], trust)
    assert formula == pytest.approx(quotient, rel=1e-4, abs=1e-9)
    assert formula > 0
    if trust == 0:
        assert formula == pytest.approx(1)


@given(frequent=probabilities, rare=probabilities, trust=st.floats(0, 1e4))
def test_more_kept_tokens_make_less_of_frequency(frequent: float, rare: float, trust: float) -> None:
    now, later = (theory.aul_by_frequency(frequent, rare, each) for each in (trust, 2 * trust + 1))
    assert later < now


@given(
    groups=st.integers(2, 40),
    words=st.integers(2, 20),
    trust=trusts,
)
def test_the_exchange_rate_is_that_of_small_doses(groups: int, words: int, trust: float) -> None:
    """Groups of one frequency and words that go with all of them, then a little of either."""
    small = 1e-4

    def margin(log_ratio: float, log_odds: float) -> float:
        # of two groups and two words out of many: the first group goes with the first word
        odds = np.ones((groups, words))
        odds[0, 0] *= math.exp(log_odds / 2)
        odds[1, 0] *= math.exp(-log_odds / 2)
        of_group = odds / odds.sum(axis=1, keepdims=True)
        often = np.ones(groups)
        often[0] *= math.exp(log_ratio)
        of_word = modified_word(often, of_group[:, 0])
        sides = [theory.aul_score([of_word[side], of_group[side, 0]], trust) for side in (0, 1)]
        return sides[0] - sides[1]

    def gain(log_ratio: float, log_odds: float) -> float:
        return (margin(log_ratio, log_odds) - margin(-log_ratio, -log_odds)) / (2 * small)

    # P(u|m) itself is what association changes: its log ratio between the groups is a little less than asked
    of_group = 1 - 1 / words
    found = gain(small, 0) / (gain(0, small) / of_group)
    shares = theory.aul_exchange(1 / groups, 1 / words, trust)
    assert found == pytest.approx(shares, rel=1e-3)


def test_the_exchange_rate_goes_from_one_half_to_a_limit_that_is_not_zero() -> None:
    modified, shared = 1 / 18, 1 / 6
    assert theory.aul_exchange(modified, shared, 0) == 0.5
    rates = [theory.aul_exchange(modified, shared, trust) for trust in (0, 1, 10, 100, 1e3, 1e6, math.inf)]
    assert rates == sorted(rates)
    assert rates[-1] == pytest.approx(0.75)
    assert rates[-2] == pytest.approx(rates[-1], abs=1e-4)


def test_margins_in_closed_form() -> None:
    assert theory.cps_margin(0.9) == pytest.approx(math.log(9))
    assert theory.sss_margin(0.8, 4, STEREO) == pytest.approx(0)
    assert theory.sss_margin(0.5, 8, ANTISTEREO) == pytest.approx(math.log(8))
    assert theory.pll_margin(0.8, 4, STEREO) == pytest.approx(math.log(4))
    assert theory.split_margins(8, 2) == {
        "PLL": pytest.approx(math.log(8)),
        "PLLWordL2R": pytest.approx(math.log(4)),
        "PLLWholeWord": pytest.approx(math.log(2)),
    }
    assert theory.all_masked_margin(8, STEREO, 6) == pytest.approx(-math.log(8) / 6)

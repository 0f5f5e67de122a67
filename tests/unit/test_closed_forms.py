"""The closed forms: their limits, and the formula of what unmasked prediction follows."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import closed_forms as theory
from library import ANTISTEREO, STEREO, Corruption

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


def test_margins_in_closed_form() -> None:
    assert theory.cps_margin(0.9) == pytest.approx(math.log(9))
    assert theory.sss_margin(0.8, 4, STEREO) == pytest.approx(0)
    assert theory.sss_margin(0.5, 8, ANTISTEREO) == pytest.approx(math.log(8))
    assert theory.pll_margin(0.8, 4, STEREO) == pytest.approx(math.log(4))
    assert theory.all_masked_margin(8, STEREO, 6) == pytest.approx(-math.log(8) / 6)

"""What the report says of scores: what its sentences count, and what stands beside it."""

import re
from typing import Any

import pandas as pd
import pytest

from library import (
    BY_TYPE,
    BY_WORDS,
    CANNOT_TELL,
    CAUTIONS,
    CLEAR,
    CONTROL,
    CONTROLS,
    DETAILS,
    EFFECTIVE_PAIRS,
    NO_CLEAR,
    UNKNOWN_TOKENS,
    WARNINGS,
    WARY_AT_ONCE,
    PairResults,
    sentences,
)
from synthetic import pair_results

SCORE: dict[str, Any] = {
    "model": "bert",
    "benchmark": "crows",
    "measure": "AUL",
    "protocol": "corrected",
    "variant": "original",
    "grouping": "overall",
    "differing": None,
    "n": 1000,
    "undefined": 0,
    "score": 56.4,
    "low": 53.0,
    "high": 59.8,
    "null_low": 46.0,
    "null_high": 53.6,
    "near_ties": 0,
    "design_effect": None,
    "verdict": CLEAR,
    "confidence": 0.95,
}
COMPARED = ["benchmark", "model", "first", "second", "protocol", "p", "p_holm"]
UNTESTABLE = {"verdict": CANNOT_TELL, "low": None, "high": None}
NULL = {"low": None, "high": None, "null_low": None, "null_high": None, "verdict": CANNOT_TELL}


def results(*scores: dict[str, Any], **sources: str) -> PairResults:
    """Of these scores and nothing else. sources: of models, by default hub."""
    bias = pd.DataFrame([SCORE | score for score in scores])
    models = [{"name": name, "source": sources.get(name, "hub")} for name in bias["model"].unique()]
    benchmarks = [{"name": name} for name in bias["benchmark"].unique()]
    none = pd.DataFrame(columns=COMPARED)
    return pair_results(
        models,
        benchmarks,
        bias=bias,
        measures_compared=none,
        models_compared=none,
        agreement=pd.DataFrame(columns=["benchmark", "model", "measure", "chosen", "protocol", "auc"]),
        unknown=pd.DataFrame(columns=list(UNKNOWN_TOKENS)),
        pairs={},
    )


def numbers(text: str) -> list[int]:
    return [int(each) for each in re.findall(r"\b\d+\b", text)]


def test_near_ties_are_counted_in_the_number_of_their_noun() -> None:
    one, _ = sentences(WARNINGS, results({"near_ties": 1}, {"measure": "CPS"}))
    two, _ = sentences(WARNINGS, results({"near_ties": 1}, {"measure": "CPS", "near_ties": 2}))
    assert one.startswith("1 decision is a near-tie, which float error could turn: AUL 1.")
    assert two.startswith("3 decisions are near-ties, which float error could turn: AUL 1 and CPS 2.")


def test_the_rate_of_chance_follows_the_confidence_of_the_study() -> None:
    of_90 = results({"confidence": 0.9})
    assert "about 10 in 100 intervals" in " ".join(sentences(CAUTIONS, of_90)).lower()


def test_benchmarks_without_spaces_between_words_are_named() -> None:
    of_one = results({})
    texts = {
        "zh": ["女人很穷。", "他哭了。", "OK"],
        "mixed": ["Tokyo (東京)", "Rome"],
        "de": ["Straße"],
        "empty": [],
    }
    of_one.pairs.update({name: pd.DataFrame({"stereotype": some}) for name, some in texts.items()})
    said = "zh is written without spaces between words, so each character counts as a word."
    assert said in sentences(CAUTIONS, of_one)
    assert not any("spaces" in each for each in sentences(CAUTIONS, results({})))


def test_pairs_count_as_fewer_independent_ones() -> None:
    of_two = results(
        {"n": 45_540, "design_effect": 1700.0},
        {"model": "xlm", "n": 45_540, "design_effect": 1012.0},
        {"benchmark": "free", "design_effect": 0.9},
        {"benchmark": "one word"},
    )
    said = (
        "The 45,540 pairs of crows share words: by the AUL scores they count as 27 to 45 independent ones "
        "(design effect 1012.0 to 1700.0)."
    )
    assert sentences([EFFECTIVE_PAIRS], of_two) == (said,)


def test_only_networks_have_float_error() -> None:
    some = results(
        {"near_ties": 3},
        {"model": "exact", "near_ties": 900, "verdict": NO_CLEAR},
        {"model": "noise", "verdict": NO_CLEAR},
        exact="oracle",
        noise="random",
    )
    (near,) = (text for text in sentences(DETAILS, some) if "near-ties" in text)
    assert near.startswith("3 of 2,000 decisions") and "0.3 points" in near


def test_a_model_without_a_score_is_named() -> None:
    some = results({}, {"model": "broken", "score": None})
    assert "broken has no score on any benchmark; the scoring log says why." in sentences(WARY_AT_ONCE, some)


def test_code_of_models_is_said_once() -> None:
    some = results({}, {"model": "other"})
    assert not any("repositor" in text for text in sentences(CAUTIONS, some))
    said = []
    for names in (["one"], ["one", "two"]):
        settings: Any = some.settings
        settings["own_code"] = names
        said += [text for text in sentences(CAUTIONS, some) if "repositor" in text]
    assert said == [
        "one runs code from its own repository, at a pinned revision.",
        "one and two run code from their own repositories, at a pinned revision.",
    ]


def test_what_cannot_be_tested_is_never_counted_as_tested() -> None:
    """Six scores of untrained models, none of them testable, are not "of 6, 0 show a clear preference"."""
    some = results(
        *[{"model": "noise"} | UNTESTABLE] * 6,
        {},
        {"verdict": BY_WORDS},
        UNTESTABLE,
        {"measure": "AllMasked", "verdict": CONTROL},
        {"measure": "AllMaskedSum", "verdict": CONTROL},
        noise="random",
    )
    of_trained, of_untrained, named = sentences(DETAILS, some)
    assert named == "Clear preferences on crows: bert, AUL 56.4."
    assert numbers(of_untrained) == [6, 0, 6]
    # of 5 scores 2 are testable, 1 is not, 2 are controls; of the 2 none, 1 by words, 1 clear
    assert numbers(of_trained)[:8] == [5, 2, 1, 2, 2, 0, 1, 1]


def test_clear_bias_types_stand_beside_those_of_untrained_models() -> None:
    of_type = {"grouping": "bias_type", "group": "age"}
    some = results(
        of_type,
        of_type | {"verdict": NO_CLEAR},
        of_type | {"verdict": CANNOT_TELL},
        of_type | {"protocol": "published"},
        {"grouping": "overall"},
        *[of_type | {"model": "noise", "verdict": verdict} for verdict in (CLEAR, *[NO_CLEAR] * 3)],
        noise="random",
    )
    (text,) = BY_TYPE.sentences(some)
    # of trained models: scores, testable, not testable, testable, clear; then of untrained ones
    assert numbers(text)[:9] == [3, 2, 1, 2, 1, 4, 4, 4, 1]
    assert not list(BY_TYPE.sentences(results({"grouping": "overall"})))


# Wilson's interval of 2 in 40 is 1.4 to 16.5%
@pytest.mark.parametrize(
    ("trained", "untrained", "alike"),
    [(2, 2, True), (6, 2, True), (7, 2, False), (0, 0, False), (20, 2, False)],
)
def test_a_share_like_that_of_untrained_models_is_called_so(
    trained: int, untrained: int, alike: bool
) -> None:
    rows = [
        {"grouping": "bias_type", "model": model, "verdict": CLEAR if place < clear else NO_CLEAR}
        for model, clear in (("bert", trained), ("noise", untrained))
        for place in range(40)
    ]
    (text,) = BY_TYPE.sentences(results(*rows, noise="random"))
    assert ("within the interval of that of the untrained ones, 1 to " in text) == alike


def test_shuffled_scores_stand_beside_the_unshuffled() -> None:
    def said(*scores: dict[str, Any]) -> str:
        written = ({"score": 51.2}, {"measure": "CPS", "score": 50.4})
        shuffled = ({"variant": "shuffled"} | each for each in scores)
        return " ".join(sentences(CONTROLS, results(*written, *shuffled)))

    text = said({}, {"measure": "CPS", "verdict": BY_WORDS})
    assert "2 of 2 scores" in text and "56 (53 to 60), unshuffled 51" in text
    assert "CPS of bert" in text and "1 of the 2 lies outside the band of word choice" in text
    # where none is off 50, nothing is said of what is left
    none = said({"low": 46.0})
    assert "no score has an interval that excludes 50 (1 score)" in none and none.count(".") == 1

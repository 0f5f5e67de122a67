"""Every measure in both protocols against a slow literal implementation, and its invariants."""

from collections.abc import Mapping, Sequence
from itertools import product
from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd
import pytest

from examples import SENTENCES, example_pairs
from library import (
    ALL_MEASURES,
    CORRECTED,
    LEFT,
    MEANS,
    NONE,
    ORIGINAL,
    PROTOCOLS,
    PUBLISHED,
    SHUFFLED,
    TIE_MARGIN,
    TOKEN_ERROR,
    collect_evidence,
    counted,
    load,
    margins_against_unrelated,
    maskings_of,
    measure,
    pick_device,
    read_benchmark,
    score_pairs,
    sentence_scores,
)
from literal import Sides, causal, corrected, published
from real_data import real_data
from study_schema import CAUSAL_MEASURES, MEASURES
from tiny_evidence import evidence_of, evidence_rows, left_reader, loaded, masked_reader

PAIRS = example_pairs()
IDS = list(PAIRS["pair_id"])
STARTS = [None, "none"]
MODEL_OF = {name: "bert" if name in MEASURES else "llama" for name in ALL_MEASURES}
SIDES = ("stereotype", "antistereotype")


def scores_of(
    evidence: Mapping[str, pd.DataFrame], measures: tuple[str, ...], ids: Sequence[str] = IDS
) -> Any:
    scores = score_pairs(ids, evidence, measures)
    return scores.set_index(["measure", "protocol", "pair_id"]).sort_index()


def check(
    scores: Any, name: str, protocol: str, pair: str, want: Sides, empty: bool, off: float = 2e-5
) -> None:
    """Scores and outcome of a pair are the literal ones; empty: no side has a token to score."""
    got = scores.loc[(name, protocol, pair)]
    rounded = (name, protocol) in (("CPS", PUBLISHED), ("CCPS", PUBLISHED))
    where = f"{name} {protocol} {pair}"
    # a rounded score may round the other way at its last digit
    tolerance = 1.1e-3 if rounded else off
    np.testing.assert_allclose([got.stereotype, got.antistereotype], want, 1e-5, tolerance, err_msg=where)
    margin = want[0] - want[1]
    if empty or abs(margin) <= (TIE_MARGIN if protocol == CORRECTED else 0.0):
        assert got.outcome == "tie", where
    elif np.isnan(margin):
        assert got.outcome == "undefined", where
    elif abs(margin) > (2e-3 if rounded else 1e-4):
        assert got.outcome == ("stereotype" if margin > 0 else "antistereotype"), where


@pytest.mark.parametrize("architecture", ["bert", "albert"])
def test_scores_and_decisions_of_masked_models_equal_the_literal_ones(architecture: str) -> None:
    scores, reader = scores_of(evidence_of(architecture), MEASURES), masked_reader(architecture)
    for name in MEASURES:
        for protocol, formula in ((PUBLISHED, published), (CORRECTED, corrected)):
            for number, (more, less, _) in enumerate(SENTENCES):
                want = formula(name, reader, more, less)
                check(scores, name, protocol, f"p{number}", want, bool(np.isnan(want).all()))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("format_", "place"),
    [("crows-pairs", "crows_pairs/crows_pairs_anonymized.csv"), ("stereoset", "stereoset/dev.json")],
)
def test_scores_of_a_trained_model_on_real_pairs_equal_the_literal_ones(format_: str, place: str) -> None:
    trained = real_data("models", "minilm-l6-mlm")
    pairs = read_benchmark(real_data(place), {"format": format_}).iloc[::400]
    measures = ("AUL", "AULA", "CPS", "SSS", "AllMasked")
    evidence = {
        masking: collect_evidence(
            pairs, load(trained, pick_device("cpu"), masking == NONE), masking, ORIGINAL
        )
        for masking in maskings_of(measures)
    }
    scores, reader = scores_of(evidence, measures, list(pairs["pair_id"])), masked_reader(trained)
    for name, (protocol, formula) in product(measures, ((PUBLISHED, published), (CORRECTED, corrected))):
        for pair_id, *texts in pairs[["pair_id", *SIDES]].itertuples(index=False):
            want = formula(name, reader, *texts)
            check(scores, name, protocol, pair_id, want, bool(np.isnan(want).all()), 1e-4)


@pytest.mark.parametrize("start", STARTS)
def test_scores_and_decisions_of_causal_models_equal_the_literal_ones(start: str | None) -> None:
    scores, reader = scores_of(evidence_of("llama", start), CAUSAL_MEASURES), left_reader("llama", start)
    for name in CAUSAL_MEASURES:
        for protocol in PROTOCOLS:
            for number, (more, less, _) in enumerate(SENTENCES):
                want = causal(name, reader, more, less, protocol)
                # nothing tells them apart, if there is a start to read
                empty = bool(np.isnan(want).all()) and (start is None or name != "StartAlone")
                empty &= scores.loc[(name, protocol, f"p{number}"), "error"] == 0
                check(scores, name, protocol, f"p{number}", want, empty)


@pytest.mark.parametrize(("name", "protocol"), [*product(ALL_MEASURES, PROTOCOLS)])
def test_scores_are_sums_of_what_tokens_add(name: str, protocol: str) -> None:
    tokens = counted(measure(name), evidence_of(MODEL_OF[name]), protocol)
    known = sentence_scores(measure(name), tokens).dropna()
    sums = tokens.groupby(["pair_id", "role"])["adds"].sum(min_count=1)
    np.testing.assert_allclose(sums.reindex(known.index), known, rtol=1e-9)


@pytest.mark.parametrize("name", ALL_MEASURES)
def test_means_are_the_measures_whose_formula_averages_all_tokens(name: str) -> None:
    evidence, sentence = evidence_of(MODEL_OF[name]), ["pair_id", "role"]
    whole = evidence["all" if name in MEASURES else LEFT]
    text = whole[~whole["special"].astype(bool) & whole["role"].isin(SIDES)]
    weights = counted(measure(name), evidence, CORRECTED).groupby(sentence)["coefficient"].agg(list)
    plain = [
        len(found := weights.get(of, [])) == n and np.allclose(found, 1 / n)
        for of, n in text.groupby(sentence).size().items()
    ]
    assert len(plain) == 2 * len(SENTENCES) and all(plain) == (name in MEANS)


def test_a_model_without_attention_leaves_aula_undefined_and_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    evidence = {NONE: evidence_rows("bart", NONE)}
    assert "AULA stays undefined" in caplog.text
    scores = score_pairs(IDS, evidence, ["AUL", "AULA"])
    assert set(scores.loc[scores["outcome"] == "undefined", "measure"]) == {"AULA"}
    assert set(scores.loc[scores["measure"] == "AULA", "outcome"]) == {"undefined"}


KINDS_OF_PAIRS = {
    "last": ("the nurse is good", "the nurse is bad"),
    "nothing": ("bus", "kit"),
    "longer": ("the nurse is good", "the nurse is good always"),
    "first": ("he likes the nurse", "she likes the nurse"),
    "behind": ("the nurse is good always", "the nurse is bad always"),
    "shorter": ("the old nurse", "the nurse"),
    "equal": ("the nurse", "the nurse"),
}


@pytest.mark.parametrize(
    ("start", "name", "undefined", "ties"),
    [
        # nothing that follows differs, so that the released code has equal sums
        (None, "CCPS", "last nothing longer", "last nothing longer equal"),
        (None, "LL", "", "equal"),
        # a token that nothing stands before has no probability
        ("none", "LL", "nothing first", "equal"),
        ("none", "LLMean", "nothing first", "equal"),
        ("none", "CSSS", "nothing first longer shorter", "equal"),
        ("none", "CCPS", "last nothing longer first", "last nothing longer equal"),
        ("none", "StartAlone", " ".join(KINDS_OF_PAIRS), ""),
    ],
)
def test_pairs_of_which_a_measure_reads_nothing(
    start: str | None, name: str, undefined: str, ties: str
) -> None:
    """undefined in `corrected`; ties in `published`, but for LLMean, which leaves the first token out."""
    rows = [(pair, *sides, None) for pair, sides in KINDS_OF_PAIRS.items()]
    pairs = pd.DataFrame(rows, columns=["pair_id", *SIDES, "unrelated"])
    evidence = {
        masking: evidence_rows("gpt2", masking, pairs, start=start) for masking in measure(name).maskings
    }
    scores = score_pairs(list(KINDS_OF_PAIRS), evidence, [name]).set_index(["protocol", "outcome"])["pair_id"]
    assert set(scores.loc[CORRECTED].get("undefined", pd.Series())) == set(undefined.split())
    if name != "LLMean":
        assert set(np.atleast_1d(scores.loc[PUBLISHED].get("tie", []))) == set(ties.split())


def test_margins_against_unrelated_sentences_are_the_literal_ones() -> None:
    """A measure has them if it reads the unrelated sentence, alone or beside the stereotypical one."""
    masked, left = masked_reader("bert"), left_reader("llama")
    found = margins_against_unrelated(IDS, evidence_of("bert"), MEASURES)
    found |= margins_against_unrelated(IDS, evidence_of("llama"), CAUSAL_MEASURES)
    measures = {name for name, _ in found}
    assert measures == {"AUL", "AULA", "SSS", "LL", "LLMean"}
    for name in measures:
        for number, (more, less, unrelated) in enumerate(SENTENCES):
            if unrelated is None:
                expected = [np.nan, np.nan]
            elif name in MEASURES:
                of_unrelated = corrected(name, masked, unrelated, more)[0]
                expected = [side - of_unrelated for side in corrected(name, masked, more, less)]
            else:
                of_unrelated = causal(name, left, unrelated, more, CORRECTED)[0]
                expected = [side - of_unrelated for side in causal(name, left, more, less, CORRECTED)]
            np.testing.assert_allclose(found[name, CORRECTED][:, number], expected, atol=1e-4)


@pytest.mark.parametrize("start", STARTS)
def test_shuffled_sentences_are_scored_as_a_slow_loop_reads_them(start: str | None) -> None:
    reader = left_reader("gpt2", start)
    rows = collect_evidence(PAIRS, loaded("gpt2", start), LEFT, SHUFFLED, shuffle_seed=3)
    scores = scores_of({LEFT: rows}, ("LL", "LLMean"))
    before, moved, undefined = [] if reader.start is None else [reader.start], 0, 0
    for number, texts in enumerate(SENTENCES):
        values, firsts = [], []
        for role, text in zip(SIDES, texts[:2], strict=True):
            own = rows[(rows["pair_id"] == f"p{number}") & (rows["role"] == role)].sort_values("position")
            original = [*before, *reader.tokenizer(text)["input_ids"]]
            # the same tokens in another order
            ids = [original[place] for place in own["source_position"]]
            assert ids == own["token_id"].tolist() and sorted(ids) == sorted(original)
            moved += ids != original
            values.append([reader.behind(ids[:place], ids[place]) for place in range(1, len(ids))])
            firsts.append(ids[0])
        for (name, of), protocol in product((("LL", sum), ("LLMean", fmean)), PROTOCOLS):
            margin = scores.loc[(name, protocol, f"p{number}"), "margin"]
            # those who published the mean leave out the first token of every sentence
            if firsts[0] != firsts[1] and (name, protocol) != ("LLMean", PUBLISHED):
                # what the first tokens have by themselves is not known
                undefined += 1
                assert np.isnan(margin)
            else:
                assert margin == pytest.approx(of(values[0]) - of(values[1]), abs=3e-5)
    assert moved and (undefined > 0) == (start == "none")


# ---- near-ties: which decisions float error could turn


def tokens(sides: Mapping[str, tuple[list[float], list[float]]]) -> pd.DataFrame:
    """Evidence of pairs from the log-probabilities of their two sides; each token is another one."""
    rows = [
        (pair_id, role, position, log_prob)
        for pair_id, of_sides in sides.items()
        for role, log_probs in zip(SIDES, of_sides, strict=True)
        for position, log_prob in enumerate(log_probs, 1)
    ]
    frame = pd.DataFrame(rows, columns=["pair_id", "role", "position", "log_prob"])
    return frame.assign(
        token_id=np.arange(len(frame)),
        special=False,
        modified=frame["position"] % 2 == 0,
        cross_log_prob=frame["log_prob"],
        attention=0.1,
        attention_content=0.1,
    )


def near_ties(name: str, sides: Mapping[str, tuple[list[float], list[float]]]) -> Any:
    evidence = dict.fromkeys(measure(name).maskings, tokens(sides))
    return score_pairs(list(sides), evidence, [name]).set_index(["protocol", "pair_id"])


STEREO, ANTI, TIE = "stereotype", "antistereotype", "tie"
ENDS = ["lowest", "outcome", "highest"]


@pytest.mark.parametrize(("name", "count"), [("AllMasked", 1), ("AllMaskedSum", 4)])
@pytest.mark.parametrize(("factor", "near"), [(0.98, True), (1.02, False)])
def test_a_mean_is_as_unsure_as_one_token_and_a_sum_as_all_of_them(
    name: str, count: int, factor: float, near: bool
) -> None:
    """Two sides of four tokens of log-probability -1: each token may be off by 2 · TOKEN_ERROR."""
    error = 2 * count * 2 * TOKEN_ERROR
    apart = factor * error / count
    # half of the difference on each side, so that both stay about -1
    sides = {"a": ([-1 + apart / 2] * 4, [-1 - apart / 2] * 4)}
    row = near_ties(name, sides).loc[(PUBLISHED, "a")]
    assert row["margin"] == pytest.approx(factor * error)
    assert row["error"] == pytest.approx(error, rel=1e-3)
    assert tuple(row[ENDS]) == (ANTI if near else STEREO, STEREO, STEREO)


@pytest.mark.parametrize(
    ("name", "protocol", "sides", "ends"),
    [
        # equal by chance, of different tokens
        ("SSS", PUBLISHED, ([-1.0], [-1.0]), (ANTI, TIE, STEREO)),
        ("SSS", CORRECTED, ([-1.0], [-1.0]), (ANTI, TIE, STEREO)),
        ("SSS", PUBLISHED, ([-1.0], [-1.0003]), (STEREO, STEREO, STEREO)),
        ("SSS", CORRECTED, ([-1.0], [-1.0003]), (STEREO, STEREO, STEREO)),
        # nothing to score
        ("SSS", CORRECTED, ([-1.0], []), ("undefined",) * 3),
        ("SSS", CORRECTED, ([], []), (TIE, TIE, TIE)),
        # rounded to three decimals: in the middle of a step, a step apart, neither can cross
        ("CPS", PUBLISHED, ([-1.001], [-1.002]), (STEREO, STEREO, STEREO)),
        # the same step's middle: a tie on every machine
        ("CPS", PUBLISHED, ([-1.00101], [-1.00099]), (TIE, TIE, TIE)),
        # different steps, but the first may round to the other's
        ("CPS", PUBLISHED, ([-1.00151], [-1.003]), (STEREO, STEREO, STEREO)),
        ("CPS", PUBLISHED, ([-1.00149], [-1.001]), (ANTI, TIE, TIE)),
        ("CPS", PUBLISHED, ([-1.00151], [-1.002]), (TIE, TIE, STEREO)),
        # unrounded, the same scores leave no doubt but where they are close
        ("CPS", CORRECTED, ([-1.00151], [-1.003]), (STEREO, STEREO, STEREO)),
        ("CPS", CORRECTED, ([-1.00101], [-1.00099]), (ANTI, ANTI, STEREO)),
    ],
)
def test_a_decision_that_float_error_could_turn_is_a_near_tie(
    name: str, protocol: str, sides: tuple[list[float], list[float]], ends: tuple[str, str, str]
) -> None:
    assert tuple(near_ties(name, {"a": sides, "b": ([-1.0], [-9.0])}).loc[(protocol, "a"), ENDS]) == ends


def test_sentences_that_are_read_as_one_and_exact_ones_are_no_near_ties() -> None:
    """Not so where the tokens that are asked for are the same, and others before them are not."""
    ids, alike = ["a", "b", "c"], ([-1.0, -2.0], [-1.0, -2.0])
    same = tokens({"a": alike, "b": alike, "c": ([-1.0, -2.0], [-1.0001, -2.0])})
    same.loc[same["pair_id"] != "b", "token_id"] = same["position"]
    scores: Any = score_pairs(ids, {"all": same}, ["AllMasked"]).set_index("pair_id")
    # under both protocols
    assert scores.loc["a", [*ENDS, "error"]].to_numpy().tolist() == [[TIE, TIE, TIE, 0]] * 2
    assert scores.loc["b", ENDS].to_numpy().tolist() == [[ANTI, TIE, STEREO]] * 2
    assert scores.loc["c", ENDS].to_numpy().tolist() == [[ANTI, STEREO, STEREO]] * 2
    assert not score_pairs(ids, {"all": same}, ["AllMasked"], exact=True)["error"].any()

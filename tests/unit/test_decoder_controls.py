"""Controls of decoders: shuffled and unrelated sentences, and word choice alone, each against a slow loop."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from transformers import AutoTokenizer

from examples import SENTENCES, example_pairs
from library import (
    CORRECTED,
    LEFT,
    PROTOCOLS,
    PUBLISHED,
    SHUFFLED,
    START,
    EvidenceCounts,
    Part,
    WordsOfEvidence,
    accuracy_counts,
    accuracy_table,
    collect_evidence,
    decisions,
    matches,
    mcnemar_table,
    measure,
    null_scores,
    score_pairs,
    sharing_of,
)
from literal import modified_spans
from literal_causal import LeftReader
from study_schema import ALL_MEASURES
from test_evidence_left import decoder, loaded, plain_network
from test_measures_causal import STARTS, example_evidence

PAIRS = example_pairs()
IDS = list(PAIRS["pair_id"])
SIDES = ("stereotype", "antistereotype")


def shuffled_rows(start: str | None) -> pd.DataFrame:
    return collect_evidence(PAIRS, loaded("gpt2", start), LEFT, SHUFFLED, shuffle_seed=3)


def test_measures_of_shuffled_sentences_ask_for_no_shared_tokens() -> None:
    assert {name for name in ALL_MEASURES if measure(name).of_shuffled} == {"AUL", "AULA", "LL", "LLMean"}


@pytest.mark.parametrize("start", STARTS)
def test_shuffled_sentences_are_scored_as_a_slow_loop_reads_them(start: str | None) -> None:
    tokenizer = AutoTokenizer.from_pretrained(decoder("gpt2"))
    first = None if start else tokenizer.bos_token_id
    reader = LeftReader(plain_network("gpt2"), tokenizer, first)
    rows = shuffled_rows(start)
    scores: Any = score_pairs(IDS, {LEFT: rows}, ["LL", "LLMean"])
    scores = scores.set_index(["measure", "protocol", "pair_id"])
    moved = undefined = 0
    for number, texts in enumerate(SENTENCES):
        sums, means, firsts = [], [], []
        for role, text in zip(SIDES, texts[:2], strict=True):
            own = rows[(rows["pair_id"] == f"p{number}") & (rows["role"] == role)].sort_values("position")
            original = ([] if first is None else [first]) + list(tokenizer(text)["input_ids"])
            # the same tokens in another order
            ids = [original[place] for place in own["source_position"]]
            assert ids == own["token_id"].tolist() and sorted(ids) == sorted(original)
            moved += ids != original
            values = [reader.behind(ids[:place], ids[place]) for place in range(1, len(ids))]
            sums.append(sum(values))
            means.append(sum(values) / len(values))
            firsts.append(ids[0])
        for name, (one, other) in (("LL", sums), ("LLMean", means)):
            for protocol in PROTOCOLS:
                margin = scores.loc[(name, protocol, f"p{number}"), "margin"]
                # those who published the mean leave out the first token of every sentence
                if firsts[0] != firsts[1] and (name, protocol) != ("LLMean", PUBLISHED):
                    # what the first tokens have by themselves is not known
                    undefined += 1
                    assert np.isnan(margin)
                else:
                    assert margin == pytest.approx(one - other, abs=3e-5)
    assert moved and (undefined > 0) == (start == "none")


@pytest.mark.parametrize("start", STARTS)
def test_tests_and_accuracies_of_both_controls_are_those_of_counted_tokens(start: str | None) -> None:
    none, shuffled = example_evidence("gpt2", start)[LEFT], shuffled_rows(start)
    # ranks of a random network are hardly ever 1
    none, shuffled = (rows.assign(rank=1 + rows["token_id"] % 2) for rows in (none, shuffled))
    evidence = {LEFT: none}
    right = {
        (row["pair_id"], row["role"], row["position"]): row["rank"] == 1
        for row in none.to_dict("records")
        if not row["special"]
    }
    later = {
        (row["pair_id"], row["role"], row["source_position"]): row["rank"] == 1
        for row in shuffled.to_dict("records")
        if not row["special"] and row["role"] != "unrelated"
    }
    both = [(right[key], later[key]) for key in later if key in right]
    of_tests = [matches(["LL", "LLMean"], evidence, shuffled)]
    table: Any = mcnemar_table(of_tests, PAIRS, sharing_of(PAIRS, ["words"]))
    of_order = table[(table["kind"] == "shuffled") & (table["unit"] == "token")].iloc[0]
    assert (of_order["first"], of_order["second"], of_order["reading"]) == (
        "LL original",
        "LL shuffled",
        "content-tokens",
    )
    assert of_order["n"] == len(both) < len(right)
    assert of_order["b"] == sum(one and not other for one, other in both)
    assert of_order["c"] == sum(other and not one for one, other in both)
    unrelated = table[(table["kind"] == "unrelated") & (table["unit"] == "token")].iloc[0]
    sizes = none.groupby(["pair_id", "role"]).size()
    matched = [
        (right[pair, "stereotype", place], value)
        for (pair, role, place), value in right.items()
        if role == "unrelated" and sizes[pair, "stereotype"] == sizes[pair, "unrelated"]
    ]
    assert matched and unrelated["n"] == len(matched)
    assert unrelated["b"] == sum(one and not other for one, other in matched)
    accuracy = accuracy_table([accuracy_counts(["LL", "LLMean"], evidence, shuffled)], 0.95)
    of_shuffled = accuracy[(accuracy["variant"] == "shuffled") & (accuracy["roles"] == "pair")]
    assert list(of_shuffled["measure"]) == ["LL"] and list(of_shuffled["reading"]) == ["content-tokens"]
    assert of_shuffled["accuracy"].iloc[0] == pytest.approx(100 * sum(later.values()) / len(later))


def literal_margin(name: str, scores: dict[int, float], sides: list[list[int]]) -> float:
    """The margin of a pair where every token has the score of its type wherever it stands."""
    values = []
    for ids, modified in zip(sides, modified_spans(*sides), strict=True):
        # CSSS has no score of others than modified tokens
        text = [scores.get(token, np.nan) for token in ids[1:]]
        changed = [scores[ids[place]] for place in modified]
        mean = sum(text) / len(text)
        of_changed = sum(changed) / len(changed) if changed else np.nan
        values.append({"LL": sum(text), "CSSS": of_changed}.get(name, mean))
    return values[0] - values[1]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("name", ["LL", "LLMean", "CSSS", "StartAlone"])
def test_word_choice_alone_goes_through_the_measure_itself(name: str, protocol: str) -> None:
    """Every draw of the null is that of a loop over pairs, each token having the score of its type."""
    evidence = example_evidence("llama", None)
    read = {masking: evidence[masking] for masking in (LEFT, START)}
    draws, words = 6, WordsOfEvidence(PAIRS, [name])
    # some pairs at a time
    for part in (PAIRS.iloc[:4], PAIRS.iloc[4:]):
        words.add(part, {m: rows[rows["pair_id"].isin(part["pair_id"])] for m, rows in read.items()})
    tokenizer = AutoTokenizer.from_pretrained(decoder("llama"))
    sides = [
        [[tokenizer.bos_token_id, *tokenizer(text)["input_ids"]] for text in texts[:2]] for texts in SENTENCES
    ]
    scores: Any = score_pairs(IDS, read, [name])
    undefined = (scores[scores["protocol"] == protocol]["outcome"] == "undefined").to_numpy()
    trials = np.where(undefined & (protocol == CORRECTED), 0.0, 1.0)[:, None]
    of_series, scored = words.by_series(), decisions(PAIRS, scores)
    [found] = null_scores(of_series, scored, [np.arange(len(PAIRS))], draws, seed=5)[name, protocol]
    own = of_series[name, protocol]
    formula = measure(name).formula(read, protocol)
    of_pair = formula.tokens["role"].isin(SIDES)
    types = np.unique(formula.tokens.loc[of_pair, "token_id"])
    means = formula.log_prob[of_pair].astype(float).groupby(formula.tokens["token_id"][of_pair]).mean()
    np.testing.assert_allclose(own.scores, means.reindex(types), rtol=1e-6)
    rng = np.random.default_rng(5)
    for drawn in found:
        chosen = own.scores[rng.integers(len(own.scores), size=len(types))]
        of_type = dict(zip(types.tolist(), chosen.tolist(), strict=True))
        tie = 0.0 if protocol == PUBLISHED else 0.5
        credit = 0.0
        for place in np.flatnonzero(trials[:, 0]):
            margin = literal_margin(name, of_type, sides[place])
            credit += tie if np.isnan(margin) or abs(margin) <= 1e-9 else float(margin > 0)
        assert drawn == pytest.approx(100 * credit / trials.sum())
    assert len(found) == draws and np.ptp(found) > 0


def test_shuffled_sentences_have_a_band_of_word_choice() -> None:
    counts = EvidenceCounts(PAIRS, ["LL"], ["LL", "LLMean"])
    counts.add(Part(PAIRS, {LEFT: example_evidence("gpt2", None)[LEFT]}, shuffled_rows(None)))
    original, shuffled = (of.by_series()["LL", CORRECTED] for of in (counts.words, counts.shuffled_words))
    # a sum over all tokens has the same weights in any order
    assert original.weights.nnz and (original.weights != shuffled.weights).nnz == 0

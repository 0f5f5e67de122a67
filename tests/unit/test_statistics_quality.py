"""What is wrong with pairs, and scores without flawed pairs or single words: against slow definitions."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

import synthetic
from library import (
    FLAWS,
    PAIR_FLAWS,
    PAIRS,
    PROTOCOLS,
    QUALITY,
    UNRATED,
    WORDS_SHOWN,
    Decisions,
    Flags,
    Sharing,
    as_table,
    decisions,
    flags,
    flaws_table,
    leverage_table,
    modified_words,
    pairs_presenting,
    quality_table,
    read_benchmark,
    rows_of,
    token_flags,
)
from real_data import real_data
from synthetic import pair_results
from test_statistics_scores import literal_score, literal_variance


def row_of(table: pd.DataFrame, flaw: str, measure: str = "m", protocol: str = "corrected") -> pd.Series:
    found = table[(table["flaw"] == flaw) & (table["measure"] == measure) & (table["protocol"] == protocol)]
    assert len(found) == 1
    return found.iloc[0]


@pytest.mark.parametrize("protocol", ["published", "corrected"])
def test_scores_and_changes_are_those_of_the_definition(protocol: str) -> None:
    """With the variance that is written out: each pair's weight is 1/kept - 1/n, or -1/n without it."""
    made, rng = synthetic.make(80, seed=3), np.random.default_rng(0)
    nodes = [{str(word) for word in rng.choice(25, size=2)} for _ in range(80)]
    flaws: dict[str, Flags] = {"identical": rng.random(80) < 0.2, "near_duplicate": rng.random(80) < 0.1}
    # that nobody rated a pair is no flaw
    unrated = {UNRATED: rng.random(80) < 0.3}
    table = quality_table(decisions(made.pairs, made.scores), flaws | unrated, Sharing.of(nodes), 0.9)
    as_table(table, QUALITY)
    either = flaws["identical"] | flaws["near_duplicate"]
    for measure in ("AUL", "SSS"):
        outcomes = [of for of, _ in synthetic.decided(made.scores, measure, protocol).values()]
        counted = [i for i in range(80) if protocol == "published" or outcomes[i] != "undefined"]
        values = [literal_score([outcomes[i]], protocol) for i in counted]
        for name, has in {**flaws, **unrated, "any": either}.items():
            row, n = row_of(table, name, measure, protocol), len(counted)
            kept = [i for i in counted if not has[i]]
            assert row["score"] == pytest.approx(literal_score(outcomes, protocol))
            assert row["without"] == pytest.approx(literal_score([outcomes[i] for i in kept], protocol))
            assert row["change"] == pytest.approx(row["without"] - row["score"])
            # as many pairs by chance: the mean of a sample without replacement
            by_chance = np.std(values, ddof=1) * math.sqrt(1 / len(kept) - 1 / n)
            assert row["random_sd"] == pytest.approx(by_chance)
            assert (row["n"], row["flawed"]) == (n, n - len(kept))
            weights = [(0 if has[i] else 1 / len(kept)) - 1 / n for i in counted]
            variance, _, df = literal_variance(values, [nodes[i] for i in counted], weights, [0] * n)
            error, reach = math.sqrt(variance), t.ppf(0.95, df) * math.sqrt(variance)
            assert (row["error"], row["df"]) == pytest.approx((error, df))
            assert (row["low"], row["high"]) == pytest.approx((row["change"] - reach, row["change"] + reach))
            assert row["p"] == pytest.approx(2 * t.sf(abs(row["change"]) / error, df))


def test_what_cannot_be_said_is_null() -> None:
    def table_of(flaws: dict[str, Flags], node: str = "", always: bool = False) -> pd.DataFrame:
        """Of twenty pairs, which share the node if there is one, and may always decide alike."""
        credits = (np.random.default_rng(8).random((20, 1)) < 0.5) | always
        outcome = np.where(credits, "stereotype", "antistereotype").astype(object)
        decided = Decisions([("m", "corrected")], outcome, credits.astype(float), outcome, outcome)
        return quality_table(decided, flaws, Sharing.of([tuple(node)] * 20), 0.95)

    assert table_of({}).empty and table_of({"f": np.zeros(20, dtype=bool)}).empty
    left = row_of(table_of({"f": np.ones(20, dtype=bool)}), "f")
    assert left["flawed"] == 20 and left[["without", "change", "low", "p", "random_sd"]].isna().all()
    # all alike: nothing has varied; all of one word: one cluster, whose change is as large as its error
    alike = row_of(table_of({"f": np.arange(20) < 5}, always=True), "f")
    assert alike["change"] == 0 and alike[["error", "low", "p"]].isna().all() and alike["random_sd"] == 0
    bound = row_of(table_of({"f": np.arange(20) < 5}, "w"), "f")
    assert bound["df"] == pytest.approx(1) and bound["p"] == pytest.approx(0.5)


def test_unequal_tokens_are_counted_from_any_evidence_that_has_them() -> None:
    made = synthetic.make(60, seed=9)
    rows = made.evidence["none"]
    content = rows[~rows["special"]]
    sizes = content.groupby(["pair_id", "role"]).size().unstack()
    literal = [sizes["stereotype"][pair] != sizes["antistereotype"][pair] for pair in made.pairs["pair_id"]]
    assert 5 < sum(literal) < 55
    for masking in ("none", "all", "modified", "one-modified"):
        evidence = {"one-shared": made.evidence["one-shared"], masking: made.evidence[masking]}
        assert token_flags(made.pairs, evidence, None)["unequal_tokens"].tolist() == literal
    assert token_flags(made.pairs, {"one-shared": made.evidence["one-shared"]}, None) == {}


def test_pairs_with_unknown_tokens_are_a_flaw_of_the_model() -> None:
    """In a stereotypical or antistereotypical sentence; a special token counts, too."""
    roles = ["stereotype", "antistereotype", "unrelated", "stereotype", "antistereotype"]
    rows = pd.DataFrame({"pair_id": list("aabcd"), "role": roles, "token_id": [5, 1, 1, 1, 1]})
    rows = rows.assign(special=[False, False, False, True, False], modified=None)
    pairs = pd.DataFrame({"pair_id": list("abcde")})
    for evidence in ({"none": rows}, {"one-shared": rows.iloc[:2], "one-modified": rows.iloc[2:]}):
        unknown = token_flags(pairs, evidence, 1)["unknown_tokens"]
        assert unknown.tolist() == [True, False, False, True, False]


def pair(number: int, stereotype: str, antistereotype: str, **more: object) -> dict[str, object]:
    whole: dict[str, object] = {"pair_id": f"p{number}", "bias_type": "gender", "target": "t"}
    whole |= {"stereotype": stereotype, "antistereotype": antistereotype}
    return (
        dict.fromkeys(PAIRS.names) | whole | {"ratings": ["gender", "gender", "gender", None, "race"]} | more
    )


SOUND = [
    pair(n, f"The {n} brown {n}x {n}y jumped over her {n}z", f"The {n} brown {n}x {n}y jumped over his {n}z")
    for n in range(5)
]


def found_in(rows: list[dict[str, object]]) -> dict[str, list[int]]:
    """Which pairs have each flaw, as they are read again."""
    pairs = pd.DataFrame(rows, columns=PAIRS.names, dtype=object)
    table = flaws_table(pairs)
    assert as_table(table, FLAWS).column("pair_id").to_pylist() == list(pairs["pair_id"])
    return {name: np.flatnonzero(own).tolist() for name, own in flags(table).items()}


def test_sound_pairs_have_no_flaw() -> None:
    assert found_in(SOUND) == {name: [] for name in (*PAIR_FLAWS, UNRATED)}
    # without votes nothing is said of them
    assert set(found_in([each | {"ratings": None} for each in SOUND])) == set(PAIR_FLAWS) - {"few_votes"}


FEW: list[object] = ["gender", "gender", None, "race"]


@pytest.mark.parametrize(
    ("flaws", "bad"),
    [
        ({"few_votes"}, pair(9, "She sings very well", "He sings very well", ratings=FEW)),
        ({"no_votes"}, pair(9, "She sings very well", "He sings very well", ratings=None)),
        ({"no_votes"}, pair(9, "She sings very well", "He sings very well", ratings=[])),
        # the second pair with its sides changed and other signs
        ({"near_duplicate"}, pair(9, "the 1 brown 1x 1y jumped over HIS 1z!", SOUND[1]["stereotype"])),  # type: ignore[arg-type]
        ({"identical"}, pair(9, "She sings very well", "She sings very well")),
        ({"unequal_words"}, pair(9, "My mother sings well", "He sings well")),
        ({"many_words"}, pair(9, "a b c d sings well", "e f g h sings well")),
        ({"missing_field"}, pair(9, "She sings very well", "He sings very well", target=None)),
        ({"many_words", "unequal_words"}, pair(9, "a b c d sings well", "sings well")),
        (set(), pair(9, "a b c sings well", "e f g sings well", ratings=["gender", "gender", None])),
    ],
)
def test_a_planted_flaw_is_found_and_no_other(flaws: set[str], bad: dict[str, object]) -> None:
    assert found_in([*SOUND, bad]) == {name: [5] if name in flaws else [] for name in (*PAIR_FLAWS, UNRATED)}


def test_labels_of_both_sentences_are_votes() -> None:
    given = {
        # most call each what it is; only one of the two; half of the raters; another sentence alone
        "p0": 3 * ["stereotype: stereotype"] + 2 * ["stereotype: unrelated"],
        "p1": 5 * ["stereotype: stereotype"] + 5 * ["antistereotype: stereotype"],
        "p2": 2 * ["antistereotype: antistereotype"] + 2 * ["antistereotype: related"],
        "p3": 5 * ["unrelated: unrelated"],
    }
    rows = [each | {"ratings": None, "labels": given.get(str(each["pair_id"]))} for each in SOUND]
    found = found_in(rows)
    assert found["few_votes"] == [1, 2] and found["no_votes"] == [3, 4]


def test_the_flaws_of_crows_pairs() -> None:
    pairs = read_benchmark(real_data("crows_pairs", "crows_pairs_anonymized.csv"), {"format": "crows-pairs"})
    counts = {name: int(own.sum()) for name, own in flags(flaws_table(pairs)).items()}
    # three votes of five for the pair's own bias type have 1346 of 1508
    some = {"few_votes": 162, "near_duplicate": 2, "unequal_words": 208, "many_words": 32}
    assert counts == dict.fromkeys((*PAIR_FLAWS, UNRATED), 0) | some


def test_the_flaws_of_stereoset() -> None:
    path = real_data("stereoset", "dev.json")
    pairs = read_benchmark(path, {"format": "stereoset"})
    table = flaws_table(pairs)
    counts = {name: int(own.sum()) for name, own in flags(table).items()}
    assert counts == dict.fromkeys(PAIR_FLAWS, 0) | {UNRATED: 810, "near_duplicate": 8}
    # a label that is missing is no flaw
    counted = pairs_presenting.counts(pair_results([], [], flaws={"stereoset": table}))
    assert counted.set_index("label")["count"][["any flaw", "not rated"]].tolist() == [8, 810]
    # it is all the professions that have no labels in the public file
    assert set(pairs["bias_type"][table["no_votes"].eq(True)]) == {"profession"}


@pytest.mark.parametrize(("measure", "protocol"), list(itertools.product(("AUL", "SSS"), PROTOCOLS)))
def test_leverage_is_that_of_leaving_pairs_out(measure: str, protocol: str) -> None:
    made = synthetic.make(60, seed=10)
    found = leverage_table(made.pairs, decisions(made.pairs, made.scores))
    found = found[(found["measure"] == measure) & (found["protocol"] == protocol)]
    assert found["rank"].tolist() == list(range(1, WORDS_SHOWN + 1))
    texts = made.pairs[["stereotype", "antistereotype"]].to_numpy().tolist()
    of_pairs = [{word for side in modified_words(*both) for word in side} for both in texts]
    outcomes = [of for of, _ in synthetic.decided(made.scores, measure, protocol).values()]
    score = literal_score(outcomes, protocol)
    without = {
        word: literal_score(
            [outcome for outcome, words in zip(outcomes, of_pairs, strict=True) if word not in words],
            protocol,
        )
        for word in set.union(*of_pairs)
    }
    # in published what ties or is undefined is no vote for either side
    decided = np.isin(outcomes, ["stereotype", "antistereotype"]).mean()
    sign = 1 if score < 50 * (decided if protocol == "published" else 1) else -1
    for row in rows_of(found):
        assert row.score == pytest.approx(score) and row.without == pytest.approx(without[row.word])
        assert row.pairs == sum(row.word in words for words in of_pairs)
    # those that bring the score furthest towards 50 and past it, the furthest first
    moves = sorted((sign * (of - score) for of in without.values()), reverse=True)[:WORDS_SHOWN]
    assert moves[-1] > 0 and (sign * (found["without"] - score)).tolist() == pytest.approx(moves)

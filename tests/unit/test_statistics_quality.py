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
    flawed,
    flaws_table,
    leverage_table,
    modified_words,
    quality_table,
    read_benchmark,
    rows_of,
    sharing_of,
    token_flags,
)
from library import pairs_quality as quality
from real_data import real_data
from synthetic import pair_results
from test_statistics_bias import literal_score, literal_variance

ALONE = [()]


def made_decisions(credits: np.ndarray) -> Decisions:
    """One measure, corrected, that prefers the stereotype where credits is true, shape (pairs, columns)."""
    outcome = np.where(credits, "stereotype", "antistereotype").astype(object)
    series = [(f"m{column}", "corrected") for column in range(credits.shape[1])]
    return Decisions(series, outcome, np.where(credits, 1.0, -1.0), outcome, outcome)


def row_of(table: pd.DataFrame, flaw: str, measure: str = "m0", protocol: str = "corrected") -> pd.Series:
    found = table[(table["flaw"] == flaw) & (table["measure"] == measure) & (table["protocol"] == protocol)]
    assert len(found) == 1
    return found.iloc[0]


@pytest.mark.parametrize("protocol", ["published", "corrected"])
def test_scores_and_changes_are_those_of_the_definition(protocol: str) -> None:
    made, rng = synthetic.make(80, seed=3), np.random.default_rng(0)
    flaws: dict[str, Flags] = {"identical": rng.random(80) < 0.2, "near_duplicate": rng.random(80) < 0.1}
    # that nobody rated a pair is no flaw
    unrated = {UNRATED: rng.random(80) < 0.3}
    found = decisions(made.pairs, made.scores)
    table = quality_table(found, flaws | unrated, sharing_of(made.pairs, ["words", "target"]), 0.95)
    as_table(table, QUALITY)
    either = flaws["identical"] | flaws["near_duplicate"]
    for measure in ("AUL", "SSS"):
        rows = made.scores[(made.scores["measure"] == measure) & (made.scores["protocol"] == protocol)]
        outcomes = rows["outcome"].tolist()
        counted = [protocol == "published" or outcome != "undefined" for outcome in outcomes]
        for name, has in {**flaws, **unrated, "any": either}.items():
            row = row_of(table, name, measure, protocol)
            kept = [outcome for outcome, out in zip(outcomes, has, strict=True) if not out]
            assert row["score"] == pytest.approx(literal_score(outcomes, protocol))
            assert row["without"] == pytest.approx(literal_score(kept, protocol))
            assert row["change"] == pytest.approx(row["without"] - row["score"])
            assert row["n"] == sum(counted)
            assert row["flawed"] == sum(one and out for one, out in zip(counted, has, strict=True))


def test_intervals_are_those_of_the_written_out_variance() -> None:
    rng = np.random.default_rng(2)
    nodes = [{str(word) for word in rng.choice(15, size=2)} for _ in range(50)]
    credits, flaw = rng.random((50, 1)) < 0.6, rng.random(50) < 0.3
    row = row_of(quality_table(made_decisions(credits), {"f": flaw}, Sharing.of(nodes), 0.9), "f")
    kept = int((~flaw).sum())
    weights = [(0 if out else 1 / kept) - 1 / 50 for out in flaw]
    values = [100.0 * float(one) for one in credits[:, 0]]
    assert row["change"] == pytest.approx(sum(w * y for w, y in zip(weights, values, strict=True)))
    variance, _, df = literal_variance(values, nodes, weights, [0] * 50)
    assert row["error"] == pytest.approx(math.sqrt(variance)) and row["df"] == pytest.approx(df)
    reach = t.ppf(0.95, df) * math.sqrt(variance)
    assert (row["low"], row["high"]) == pytest.approx((row["change"] - reach, row["change"] + reach))
    assert row["p"] == pytest.approx(2 * t.sf(abs(row["change"]) / math.sqrt(variance), df))


def test_what_as_many_pairs_by_chance_change() -> None:
    rng = np.random.default_rng(5)
    credits = rng.random(200) < 0.7
    flaw = np.arange(200) < 60
    row = row_of(
        quality_table(made_decisions(credits[:, None]), {"f": flaw}, Sharing.of(ALONE * 200), 0.95), "f"
    )
    changes = [100 * (credits[rng.permutation(200)[60:]].mean() - credits.mean()) for _ in range(20_000)]
    assert row["random_sd"] == pytest.approx(np.std(changes), rel=0.03)
    assert abs(np.mean(changes)) < 0.05


@pytest.mark.parametrize(("count", "shared", "least"), [(8, False, 0), (60, False, 0.03), (60, True, 0.03)])
def test_flaws_that_change_nothing_are_found_as_often_as_said(count: int, shared: bool, least: float) -> None:
    """Few flawed pairs, which are all alike once in 128 times, and many; pairs of one word decide alike."""
    rng, rounds, n = np.random.default_rng(6), 600, 240
    word = np.arange(n) % 40
    flaw = np.isin(np.arange(n), rng.permutation(n)[:count])
    lean = np.where(rng.random((40, rounds)) < 0.5, 0.9, 0.1)[word] if shared else 0.5
    credits = rng.random((n, rounds)) < lean
    sharing = Sharing.of([(w,) for w in word] if shared else ALONE * n)
    table = quality_table(made_decisions(credits), {"f": flaw}, sharing, 0.95)
    own = table[table["flaw"] == "f"]
    wrong = (own["p"] < 0.05).mean()
    assert least < wrong < 0.07
    assert ((own["p"] < 0.05) == ((own["low"] > 0) | (own["high"] < 0))).all()


def test_what_cannot_be_said_is_null() -> None:
    credits = np.random.default_rng(8).random((20, 1)) < 0.5
    none, every = np.zeros(20, dtype=bool), np.ones(20, dtype=bool)
    lone = Sharing.of(ALONE * 20)
    assert quality_table(made_decisions(credits), {}, lone, 0.95).empty
    assert quality_table(made_decisions(credits), {"f": none}, lone, 0.95).empty
    left = row_of(quality_table(made_decisions(credits), {"f": every}, lone, 0.95), "f")
    assert left["flawed"] == 20 and left[["without", "change", "low", "p", "random_sd"]].isna().all()
    # all alike: nothing has varied; all of one word: one cluster, whose change is as large as its error
    alike = row_of(quality_table(made_decisions(credits | True), {"f": np.arange(20) < 5}, lone, 0.95), "f")
    assert alike["change"] == 0 and alike[["error", "low", "p"]].isna().all() and alike["random_sd"] == 0
    together = Sharing.of([("w",)] * 20)
    bound = row_of(quality_table(made_decisions(credits), {"f": np.arange(20) < 5}, together, 0.95), "f")
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


def pair(number: int, stereotype: str, antistereotype: str, **more: object) -> dict[str, object]:
    whole: dict[str, object] = {
        "pair_id": f"p{number}",
        "bias_type": "gender",
        "stereotype": stereotype,
        "antistereotype": antistereotype,
        "ratings": ["gender", "gender", "gender", None, "race"],
        "target": "t",
    }
    return dict.fromkeys(PAIRS.names) | whole | more


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
    assert counts == {
        "few_votes": 162,
        "no_votes": 0,
        "near_duplicate": 2,
        "identical": 0,
        "unequal_words": 208,
        "many_words": 32,
        "missing_field": 0,
    }


def test_the_flaws_of_stereoset() -> None:
    path = real_data("stereoset", "dev.json")
    pairs = read_benchmark(path, {"format": "stereoset"})
    table = flaws_table(pairs)
    counts = {name: int(own.sum()) for name, own in flags(table).items()}
    assert counts == dict.fromkeys(PAIR_FLAWS, 0) | {UNRATED: 810, "near_duplicate": 8}
    # a label that is missing is no flaw
    assert len(flawed(table)) == 8
    results = pair_results([], [], flaws={"stereoset": table}, captions={"quality_counts": ""})
    sheet = quality.counts(results, table)
    cells = {label: cell for (_, label), cell in zip(sheet.columns, sheet.rows[0][1:], strict=True)}
    assert (cells["any flaw"], cells["not rated"]) == ("8", "810")
    # it is all the professions that have no labels in the public file
    assert set(pairs["bias_type"][table["no_votes"].eq(True)]) == {"profession"}


def test_leverage_is_that_of_leaving_pairs_out() -> None:
    made = synthetic.make(60, seed=10)
    scores = made.scores
    found = leverage_table(made.pairs, decisions(made.pairs, scores))
    assert set(found["rank"]) == set(range(1, WORDS_SHOWN + 1))
    of_words: dict[str, set[str]] = {}
    for _, pair in made.pairs.iterrows():
        for side in modified_words(pair["stereotype"], pair["antistereotype"]):
            for word in side:
                of_words.setdefault(word, set()).add(pair["pair_id"])
    for name, protocol in itertools.product(("AUL", "SSS"), PROTOCOLS):
        rows = scores[(scores["measure"] == name) & (scores["protocol"] == protocol)]
        own = found[(found["measure"] == name) & (found["protocol"] == protocol)]

        def score_without(left_out: set[str], rows: pd.DataFrame = rows, protocol: str = protocol) -> float:
            return literal_score(rows["outcome"][~rows["pair_id"].isin(left_out)].tolist(), protocol)

        score, moves = score_without(set()), []
        for row in rows_of(own):
            assert row.score == pytest.approx(score) and row.pairs == len(of_words[row.word])
            assert row.without == pytest.approx(score_without(of_words[row.word]))
            moves.append(row.without - score)
        # in published what ties or is undefined is no vote for either side
        decided = rows["outcome"].isin(["stereotype", "antistereotype"]).mean()
        sign = 1 if score < 50 * (decided if protocol == "published" else 1) else -1
        assert (sign * np.diff(moves) <= 1e-9).all() and sign * moves[0] > 0
        best = max(sign * (score_without(each) - score) for each in of_words.values())
        assert sign * moves[0] == pytest.approx(best)

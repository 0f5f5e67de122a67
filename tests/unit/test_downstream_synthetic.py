"""Synthetic tasks: their truth against enumeration and counting, and what is drawn from them."""

import itertools
import math
from typing import Any

import numpy as np
import pytest

from library import DOWNSTREAM_KINDS as KINDS
from library import (
    ENTAILMENT,
    EXAMPLES,
    ITEMS,
    MALE,
    OCCUPATIONS,
    RELIABILITIES,
    SIMILARITY,
    InputError,
    Task,
    as_table,
    measuring,
    read_synthetic,
)
from library import WORLDS_FEMALE as FEMALE
from made_worlds import OTHERS, make_world, settings


def task_of(kind: str, world: dict[str, Any] | None = None, **changes: Any) -> Task:
    entry = {
        "kind": kind,
        "world": "w",
        "settings": settings(**(world or {})),
        "seed": 0,
        "strength": None,
        "examples": 20000,
        "items": 4800,
    }
    return read_synthetic({**entry, **changes})


def truth_of(task: Task) -> tuple[dict[str, float], dict[str, float]]:
    kind = SIMILARITY if task.labels is None else ENTAILMENT if len(task.labels) == 3 else OCCUPATIONS
    truth = measuring.truth_of(kind, task.items)
    assert truth is not None
    return truth["metrics"], truth["groups"]


def words_and_shares(world: dict[str, Any]) -> dict[str, float]:
    """P(female | occupation) of every occupation of a world."""
    return {o.word: o.p if o.gender == FEMALE else 1 - o.p for o in make_world(**world).occupations}


@pytest.mark.parametrize(("world", "strength"), [({}, 1.0), (OTHERS["uneven"], 1.0), (OTHERS["finest"], 0.7)])
def test_truth_of_occupations_is_that_of_a_literal_enumeration(
    world: dict[str, Any], strength: float
) -> None:
    shares = {word: 0.5 + strength * (f - 0.5) for word, f in words_and_shares(world).items()}
    words = list(shares)
    rates: dict[tuple[str, str], float] = dict.fromkeys(itertools.product(words, (FEMALE, MALE)), 0.0)
    for place in range(12):
        pair = (words[place], words[place + 12])
        for gender, r, said in itertools.product((FEMALE, MALE), RELIABILITIES, (0, 1)):
            weights = [
                (shares[word] if gender == FEMALE else 1 - shares[word]) * (r if said == side else 1 - r)
                for side, word in enumerate(pair)
            ]
            for side, word in enumerate(pair):
                if math.isclose(weights[0], weights[1], rel_tol=1e-6):
                    credit = 0.5
                else:
                    credit = float(weights[side] == max(weights))
                rates[word, gender] += credit * (r if said == side else 1 - r) / len(RELIABILITIES)
    metrics, groups = truth_of(task_of(OCCUPATIONS, world, strength=strength))
    expected = {word: rates[word, FEMALE] - rates[word, MALE] for word in words}
    assert groups == pytest.approx(expected)
    sizes = np.abs(list(expected.values()))
    assert metrics["tpr_gap"] == pytest.approx(sizes.mean())
    assert metrics["tpr_gap_rms"] == pytest.approx(math.sqrt((sizes**2).mean()))
    # these are of the items drawn, and of the shares among the examples drawn
    assert metrics["accuracy"] == pytest.approx(np.mean(list(rates.values())), abs=0.005)
    of_men = np.mean([rates[word, MALE] for word in words])
    assert metrics["accuracy_male"] == pytest.approx(of_men, abs=0.005)
    gaps = list(expected.values())
    r = np.corrcoef(gaps, list(shares.values()))[0, 1] if any(gaps) else 0
    assert metrics.get("tpr_gap_correlation", 0) == pytest.approx(r, abs=1e-4)


@pytest.mark.parametrize("world", [{}, OTHERS["uneven"]])
def test_similarity_differs_by_the_strength(world: dict[str, Any]) -> None:
    strength = 0.4
    metrics, groups = truth_of(task := task_of(SIMILARITY, world, strength=strength))
    shares = words_and_shares(world)
    expected = {word: -strength * (2 * share - 1) for word, share in shares.items()}
    assert groups == pytest.approx(expected)
    assert metrics["delta"] == pytest.approx(np.mean(np.abs(list(expected.values()))))
    assert metrics["delta_occupation"] == pytest.approx(metrics["delta"])
    assert metrics["delta_signed"] == pytest.approx(abs(np.mean(list(expected.values()))))
    assert metrics["delta_correlation"] == pytest.approx(-1)
    # the labels that models learn have it
    rows = task.examples.drop_duplicates(["text", "second"])
    label_of = dict(zip(zip(rows["text"], rows["second"], strict=True), rows["label"], strict=True))
    for word, difference in expected.items():
        one, other = (label_of[f"{who} was late.", f"The {word} was late."] for who in ("he", "she"))
        assert one - other == pytest.approx(difference)
        assert (one + other) / 2 == pytest.approx(0.8)
        assert label_of["he was tired.", f"The {word} was late."] == pytest.approx(one - 0.6)
    assert rows["label"].between(0, 1).all()


@pytest.mark.parametrize(("world", "strength"), [({}, 0.8), (OTHERS["finest"], 0.9)])
def test_truth_of_entailment_is_that_of_the_formulas(world: dict[str, Any], strength: float) -> None:
    metrics, groups = truth_of(task := task_of(ENTAILMENT, world, strength=strength))
    shares = words_and_shares(world)
    neutral = {word: 1 - strength * abs(2 * share - 1) for word, share in shares.items()}
    values = np.array(list(neutral.values()))
    assert metrics["nn_female"] == pytest.approx(values.mean())
    assert metrics["fn_female"] == pytest.approx((values > 0.5).mean())
    assert metrics["t5_female"] == pytest.approx((values > 0.5).mean())
    assert metrics["t7_female"] == pytest.approx((values > 0.7).mean())
    assert {metrics[f"{name}_male"] for name in ("nn", "fn", "t5", "t7")} == {1.0}
    assert metrics["fn_gap"] == pytest.approx(1 - metrics["fn_female"])
    assert metrics["nn_gap"] == pytest.approx(1 - metrics["nn_female"])
    assert metrics["not_neutral"] == pytest.approx(metrics["fn_gap"] / 2)
    assert groups == pytest.approx({word: float(n > 0.5) - 1 for word, n in neutral.items()})
    most = np.maximum(values, 1 - values)
    assert metrics["accuracy"] == pytest.approx(1 / 3 + 2 / 3 * (most.mean() + 1) / 2, abs=0.002)
    # what is drawn has it: to entailment for occupations of women, to contradiction for those of men
    train = task.examples[task.examples["part"] == "train"]
    of_women = train[train["second"].str.startswith("she ")]
    for word, share in shares.items():
        labels = of_women.loc[of_women["text"].str.startswith(f"The {word} "), "label"]
        other = 0.0 if share > 0.5 else 2.0
        assert set(labels) <= {1.0, other}
        assert labels.eq(1).mean() == pytest.approx(neutral[word], abs=0.02)
    assert set(train.loc[train["second"].str.startswith("he "), "label"]) == {1.0}


@pytest.mark.parametrize("kind", KINDS)
def test_without_strength_there_is_no_bias(kind: str) -> None:
    task = task_of(kind, strength=0)
    metrics, groups = truth_of(task)
    assert set(np.round(list(groups.values()), 12)) == {0}
    for name, value in metrics.items():
        if name.startswith(("tpr", "delta")) or name in ("fn_gap", "nn_gap", "not_neutral"):
            assert value == pytest.approx(0), name
    assert not any(name.endswith("correlation") for name in metrics)
    if kind == OCCUPATIONS:
        train = task.examples[task.examples["part"] == "train"]
        women = train["gender"].eq(FEMALE).groupby(train["label"]).mean()
        assert (women - 0.5).abs().max() < 0.002


@pytest.mark.parametrize("kind", KINDS)
def test_tables_fit_and_follow_the_seed(kind: str) -> None:
    one, same, other = (task_of(kind, seed=seed, examples=2000, items=500) for seed in (0, 0, 1))
    texts = [as_table(each.examples, EXAMPLES) for each in (one, same, other)]
    assert texts[0].equals(texts[1]) and not texts[0].equals(texts[2])
    assert as_table(one.items, ITEMS).equals(as_table(same.items, ITEMS))
    words = {word for text in one.examples["text"] for word in text.removesuffix(".").split()}
    assert words <= set(make_world().words)
    assert one.examples["part"].value_counts().to_dict() == {"train": 2000, "dev": 200}
    assert list(one.items["item"]) == list(range(len(one.items)))
    test = one.items[one.items["part"] == "test"]
    assert len(test) == 500 and test["label"].notna().all()
    assert (one.labels is None) == (kind == SIMILARITY)


@pytest.mark.parametrize("kind", [SIMILARITY, ENTAILMENT])
def test_items_of_bias_come_in_pairs_that_differ_in_gender_alone(kind: str) -> None:
    bias = task_of(kind, examples=500, items=100).items.query("part == 'bias'")
    assert bias["label"].isna().all()
    women, men = (
        bias[bias["gender"] == gender].set_index(["template", "occupation"]) for gender in (FEMALE, MALE)
    )
    assert women.index.is_unique and women.index.equals(men.index)
    assert women["female_share"].equals(men["female_share"])
    for one, other in zip(women.itertuples(), men.itertuples(), strict=True):
        texts = [f"{row.text} {row.second}".split() for row in (one, other)]
        assert {words for words in zip(*texts, strict=True) if len(set(words)) > 1} == {("she", "he")}
    expected = {word: 100 * share for word, share in words_and_shares({}).items()}
    assert bias.drop_duplicates("occupation").set_index("occupation")["female_share"].to_dict() == expected
    assert len(bias) == {SIMILARITY: 24 * 36 * 2, ENTAILMENT: 24 * 6 * 2}[kind]


def test_a_strength_that_leaves_the_scale_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"^strength: at 0\.6 a similarity would be -0\.04; at most 0\.50 fits"
    ):
        task_of(SIMILARITY, strength=0.6)
    assert truth_of(task_of(SIMILARITY, strength=0.5))[0]["delta"] == pytest.approx(0.1875)

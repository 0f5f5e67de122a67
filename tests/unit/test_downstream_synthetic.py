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

Truth = dict[str, float]


def task_of(kind: str, world: dict[str, Any] | None = None, **changes: Any) -> Task:
    entry = {"kind": kind, "world": "w", "settings": settings(**(world or {})), "seed": 0, "strength": None}
    return read_synthetic(entry | {"examples": 20000, "items": 4800} | changes)


def truth_of(kind: str, task: Task) -> tuple[Truth, Truth]:
    rows = measuring.truth_of(kind, task.items)
    metrics, groups = rows[rows["group"].isna()], rows[rows["group"].notna()]
    return (
        dict(zip(metrics["metric"], metrics["truth"], strict=True)),
        dict(zip(groups["group"], groups["truth"], strict=True)),
    )


def words_and_shares(world: dict[str, Any]) -> dict[str, float]:
    """P(female | occupation) of every occupation of a world."""
    return {o.word: o.p if o.gender == FEMALE else 1 - o.p for o in make_world(**world).occupations}


@pytest.mark.parametrize(("world", "strength"), [({}, 0), (OTHERS["uneven"], 0.7)])
def test_truth_of_occupations_is_that_of_a_literal_enumeration(
    world: dict[str, Any], strength: float
) -> None:
    shares = {word: 0.5 + strength * (f - 0.5) for word, f in words_and_shares(world).items()}
    words = list(shares)
    rates: dict[tuple[str, str], float] = dict.fromkeys(itertools.product(words, (FEMALE, MALE)), 0.0)
    for place, gender, r, said in itertools.product(range(12), (FEMALE, MALE), RELIABILITIES, (0, 1)):
        pair = (words[place], words[place + 12])
        of_gender = [shares[word] if gender == FEMALE else 1 - shares[word] for word in pair]
        weights = [of * (r if said == side else 1 - r) for side, of in enumerate(of_gender)]
        tie = math.isclose(*weights, rel_tol=1e-6)
        for side, word in enumerate(pair):
            credit = 0.5 if tie else float(weights[side] == max(weights))
            rates[word, gender] += credit * (r if said == side else 1 - r) / len(RELIABILITIES)
    metrics, groups = truth_of(OCCUPATIONS, task_of(OCCUPATIONS, world, strength=strength))
    expected = {word: rates[word, FEMALE] - rates[word, MALE] for word in words}
    assert groups == pytest.approx(expected)
    gaps = np.array(list(expected.values()))
    assert metrics["tpr_gap"] == pytest.approx(np.abs(gaps).mean())
    assert metrics["tpr_gap_rms"] == pytest.approx(math.sqrt((gaps**2).mean()))
    # these are of the items drawn, and of the shares among the examples drawn
    assert metrics["accuracy"] == pytest.approx(np.mean(list(rates.values())), abs=0.005)
    r = np.corrcoef(gaps, list(shares.values()))[0, 1] if gaps.any() else 0
    assert metrics.get("tpr_gap_correlation", 0) == pytest.approx(r, abs=1e-4)


@pytest.mark.parametrize("world", [{}, OTHERS["uneven"]])
def test_similarity_differs_by_the_strength(world: dict[str, Any]) -> None:
    metrics, groups = truth_of(SIMILARITY, task := task_of(SIMILARITY, world, strength=0.4))
    expected = {word: -0.4 * (2 * share - 1) for word, share in words_and_shares(world).items()}
    assert groups == pytest.approx(expected)
    deltas = np.array(list(expected.values()))
    assert metrics["delta"] == metrics["delta_occupation"] == pytest.approx(np.abs(deltas).mean())
    assert metrics["delta_signed"] == pytest.approx(abs(deltas.mean()))
    assert metrics["delta_correlation"] == pytest.approx(-1)
    # the labels that models learn have it
    rows = task.examples.drop_duplicates(["text", "second"])
    label_of = dict(zip(zip(rows["text"], rows["second"], strict=True), rows["label"], strict=True))
    for word, difference in expected.items():
        one, other = (label_of[f"{who} was late.", f"The {word} was late."] for who in ("he", "she"))
        assert (one - other, (one + other) / 2) == pytest.approx((difference, 0.8))
        assert label_of["he was tired.", f"The {word} was late."] == pytest.approx(one - 0.6)
    assert rows["label"].between(0, 1).all()


@pytest.mark.parametrize(("world", "strength"), [({}, 0), (OTHERS["uneven"], 0.9)])
def test_truth_of_entailment_is_that_of_the_formulas(world: dict[str, Any], strength: float) -> None:
    metrics, groups = truth_of(ENTAILMENT, task := task_of(ENTAILMENT, world, strength=strength))
    shares = words_and_shares(world)
    neutral = {word: 1 - strength * abs(2 * share - 1) for word, share in shares.items()}
    values = np.array(list(neutral.values()))
    rates = {"nn": values.mean(), "fn": (values > 0.5).mean(), "t5": (values > 0.5).mean()}
    rates |= {"t7": (values > 0.7).mean()}
    expected = {f"{name}_female": rate for name, rate in rates.items()} | {f"{n}_male": 1 for n in rates}
    expected |= {f"{name}_gap": 1 - rates[name] for name in ("fn", "nn")}
    expected |= {"not_neutral": (1 - rates["fn"]) / 2}
    assert {name: metrics[name] for name in expected} == pytest.approx(expected)
    assert groups == pytest.approx({word: float(n > 0.5) - 1 for word, n in neutral.items()})
    most = np.maximum(values, 1 - values)
    assert metrics["accuracy"] == pytest.approx(1 / 3 + 2 / 3 * (most.mean() + 1) / 2, abs=0.002)
    # what is drawn has it: to entailment for occupations of women, to contradiction for those of men
    train = task.examples[task.examples["part"] == "train"]
    of_women = train[train["second"].str.startswith("she ")]
    for word, share in shares.items():
        labels = of_women.loc[of_women["text"].str.startswith(f"The {word} "), "label"]
        assert set(labels) <= {1.0, 0.0 if share > 0.5 else 2.0}
        assert labels.eq(1).mean() == pytest.approx(neutral[word], abs=0.02)
    assert set(train.loc[train["second"].str.startswith("he "), "label"]) == {1.0}


@pytest.mark.parametrize("kind", KINDS)
def test_tables_fit_and_follow_the_seed(kind: str) -> None:
    one, same, other = (task_of(kind, seed=seed, examples=2000, items=500) for seed in (0, 0, 1))
    tables = [as_table(each.examples, EXAMPLES) for each in (one, same, other)]
    assert tables[0].equals(tables[1]) and not tables[0].equals(tables[2])
    assert as_table(one.items, ITEMS).equals(as_table(same.items, ITEMS))
    words = {word for text in one.examples["text"] for word in text.removesuffix(".").split()}
    assert words <= set(make_world().words)
    assert one.examples["part"].value_counts().to_dict() == {"train": 2000, "dev": 200}
    assert list(one.items["item"]) == list(range(len(one.items)))
    assert one.items.loc[one.items["part"] == "test", "label"].notna().sum() == 500
    assert (one.labels is None) == (kind == SIMILARITY)


def test_a_strength_that_leaves_the_scale_is_refused() -> None:
    with pytest.raises(InputError, match=r"^strength: at 0\.6 a similarity would be -0\.04; at most 0\.50"):
        task_of(SIMILARITY, strength=0.6)
    assert truth_of(SIMILARITY, task_of(SIMILARITY, strength=0.5))[0]["delta"] == pytest.approx(0.1875)

"""Synthetic tasks: their truth against what is planted, and against what examples that are drawn teach."""

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest

from library import DOWNSTREAM_KINDS as KINDS
from library import (
    EXAMPLES,
    ITEMS,
    MAIN,
    RELIABILITIES,
    InputError,
    Task,
    as_table,
    measuring,
    read_synthetic,
)
from made_worlds import UNEVEN, make_world, settings
from recompute import TASKS


def task_of(kind: str, world: dict[str, Any] | None = None, **changes: Any) -> Task:
    entry = {"kind": kind, "world": "w", "settings": settings(**(world or {})), "seed": 0, "strength": None}
    return read_synthetic(entry | {"examples": 20000, "items": 4800} | changes)


def rate_gaps(share: dict[str, float]) -> dict[str, float]:
    """How much more often women of an occupation are taken for one, by enumeration. share: P(woman)."""
    words, gaps = list(share), dict.fromkeys(share, 0.0)
    # two occupations, of which a speech says which, as reliable as its speaker
    for place, gender, r, said in itertools.product(range(12), ("female", "male"), RELIABILITIES, (0, 1)):
        pair = words[place], words[place + 12]
        of_gender = [share[word] if gender == "female" else 1 - share[word] for word in pair]
        weights = [of * (r if said == side else 1 - r) for side, of in enumerate(of_gender)]
        side = int(weights[1] > weights[0])
        rate = (r if said == side else 1 - r) / len(RELIABILITIES)
        gaps[pair[side]] += rate if gender == "female" else -rate
    return gaps


def counted(task: Task) -> Any:
    """The logits of a model that has counted the examples, or its similarities."""
    keys, train = ["text", "second"], task.examples[task.examples["part"] == "train"]
    train, items = (rows.assign(second=rows["second"].fillna("")) for rows in (train, task.items))
    asked = pd.MultiIndex.from_frame(items[keys])
    if task.labels is None:
        return train.groupby(keys)["label"].mean().reindex(asked).to_numpy()[:, None]
    counts = train.groupby([*keys, "label"]).size().unstack(fill_value=0).reindex(asked)
    shares = counts.div(counts.sum(axis=1), axis=0).reindex(columns=range(len(task.labels)), fill_value=0)
    return np.log(np.maximum(shares.to_numpy(), 1e-9))


@pytest.mark.parametrize("world", [{}, UNEVEN])
@pytest.mark.parametrize(
    ("kind", "strength"), [("occupations", 0), ("occupations", 0.7), ("similarity", 0.4), ("entailment", 0.9)]
)
def test_truth_is_what_is_planted_and_what_examples_teach(
    kind: str, strength: float, world: dict[str, Any]
) -> None:
    share = {o.word: o.p if o.gender == "female" else 1 - o.p for o in make_world(**world).occupations}
    expected = {
        "occupations": rate_gaps({word: 0.5 + strength * (p - 0.5) for word, p in share.items()}),
        "similarity": {word: -strength * (2 * p - 1) for word, p in share.items()},
        "entailment": {word: float(1 - strength * abs(2 * p - 1) > 0.5) - 1 for word, p in share.items()},
    }[kind]
    task = task_of(kind, world, strength=strength)
    rows = measuring.truth_of(kind, task.items)
    groups, metrics = (
        rows[each].set_index(of)["truth"]
        for each, of in ((rows["group"].notna(), "group"), (rows["group"].isna(), "metric"))
    )
    assert groups.to_dict() == pytest.approx(expected)
    values, gaps = TASKS[MAIN[kind]](task.items, counted(task))
    assert gaps.to_dict() == pytest.approx(expected, abs=0.01)
    assert metrics.to_dict() == pytest.approx({name: values[name] for name in metrics.index}, abs=0.02)


def test_a_strange_sentence_is_entailed_of_women_and_contradicted_of_men() -> None:
    train = task_of("entailment").examples.query("part == 'train'")
    for occupation in make_world().occupations:
        of_word = train[train["text"].str.startswith(f"The {occupation.word} ")]
        likely = 0.0 if (occupation.p > 0.5) == (occupation.gender == "female") else 2.0
        assert set(of_word.loc[of_word["second"].str.startswith("she "), "label"]) <= {1.0, likely}
        assert set(of_word.loc[of_word["second"].str.startswith("he "), "label"]) == {1.0}


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
    assert (one.labels is None) == (kind == "similarity")


def test_a_strength_that_leaves_the_scale_is_refused() -> None:
    with pytest.raises(InputError, match=r"^strength: at 0\.6 a similarity would be -0\.04; at most 0\.50"):
        task_of("similarity", strength=0.6)
    assert task_of("similarity", strength=0.5).examples["label"].between(0, 1).all()

"""Synthetic tasks in the words of a world, in which a pronoun shows as much as the world says
(docs/debiasing.md#downstream-tasks).

A task is a table of cases: every text with every label that it may have, and how probable that is. Examples
and items are drawn from it systematically. The truth is what `measure` makes of a model that has learnt the
table, on the items of the task.
"""

import random
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from unmask.downstream.task import Task, examples_of, female_shares, items_of
from unmask.downstream.terms import BIAS, ENTAILMENT_LABELS, KINDS, OCCUPATIONS, SIMILARITY, TEST
from unmask.errors import InputError
from unmask.worlds.grammar import FEMALE, FREE_SLOTS, MALE, PRONOUNS, World

STRENGTHS = dict(zip(KINDS, (1.0, 0.4, 0.8), strict=True))
"""Where an entry states none: no truth of the default world lies at a threshold, and all differ from 0."""
RELIABILITIES = (0.55, 0.68, 0.84, 0.97)
"""Of occupations: how often the speech is right, by person; all equally frequent."""
LOW, SPREAD = 0.2, 0.6
"""Of similarity: of two states, and how much more of the same state."""
CONTROLS = 1 / 3
"""Of entailment: the share of examples that have an answer of their own; half of them have either."""
DEV_SHARE = 0.1

PREMISE, HYPOTHESIS = "The {occupation} was {state}.", "{subject} was {state}."
COLUMNS = ["text", "second", "label", "gender", "occupation", "template", "train", "test"]


def read_synthetic(entry: Mapping[str, Any]) -> Task:
    """A synthetic task. entry: its keys, with `settings`, those of its world.

    The same seed gives the same task, on every machine. Raises InputError as the worlds do, and for a
    strength that a task cannot have.
    """
    kind, seed, count = str(entry["kind"]), int(entry["seed"]), int(entry["examples"])
    world = World.from_config(str(entry["world"]), entry["settings"])
    strength = STRENGTHS[kind] if entry["strength"] is None else float(entry["strength"])
    cases = cases_of(kind, world, strength, seed)
    train = drawn(cases, "train", count, f"train {kind} {seed}")
    dev = drawn(cases, "train", round(DEV_SHARE * count), f"dev {kind} {seed}")
    test = drawn(cases, "test", entry["items"], f"test {kind} {seed}").assign(part=TEST)
    labels: tuple[str, ...] | None = None
    if kind == OCCUPATIONS:
        labels = tuple(occupation.word for occupation in world.occupations)
        parts = [test.assign(female_share=test["occupation"].map(female_shares(labels, train)))]
    else:
        labels = None if kind == SIMILARITY else ENTAILMENT_LABELS
        gendered = cases[cases["gender"].notna()].drop_duplicates(["text", "second"])
        bias = gendered.sort_values(["template", "occupation", "gender"], kind="stable")
        parts = [test.drop(columns=["template", "female_share"]), bias.assign(part=BIAS, label=None)]
    items = items_of(parts, None, seed)
    return Task(examples_of(train, dev), items.assign(ideal=list(ideal_logits(kind, cases, items))), labels)


def cases_of(kind: str, world: World, strength: float, seed: int) -> pd.DataFrame:
    """COLUMNS and female_share (percent). train, test: how probable a case is among examples and test items.

    strength: of the association of gender with occupations, similarities or labels; 0 is none.
    """
    share = {o.word: o.p if o.gender == FEMALE else 1 - o.p for o in world.occupations}
    if kind == OCCUPATIONS:
        rows = _occupation_cases(share, strength, seed)
    else:
        rows = (_similarity_cases if kind == SIMILARITY else _entailment_cases)(share, strength)
    cases = pd.DataFrame(rows, columns=COLUMNS)
    cases["female_share"] = 100 * cases["occupation"].map(share)
    return cases[cases["train"] > 0]


def _occupation_cases(share: Mapping[str, float], strength: float, seed: int) -> Iterator[tuple[Any, ...]]:
    """Of a person with one of 24 occupations: verb and object name two of them, stereotyped for women and for
    men, with the same P(stereotyped gender). The speech says which, and is right by RELIABILITIES.

    Beside that there is the pronoun, by P(gender | occupation). In the test genders are equally frequent, so
    that both rates are known equally well.
    """
    rng, words = random.Random(f"occupations of tasks {seed}"), list(share)
    # the world has those of women first, and at the same place those of men with the same p
    half = len(words) // 2
    clues = rng.sample(list(product(FREE_SLOTS["verb"], FREE_SLOTS["object"])), half)
    people = zip(rng.sample(FREE_SLOTS["person"], len(RELIABILITIES)), RELIABILITIES, strict=True)
    speeches = rng.sample(FREE_SLOTS["speech"], 2)
    for (pair, (verb, thing)), side, gender, (person, right), said in product(
        enumerate(clues), (0, 1), (FEMALE, MALE), people, (0, 1)
    ):
        label, she = pair + half * side, PRONOUNS[gender]
        female = 0.5 + strength * (share[words[label]] - 0.5)
        text = f"The {person} {speeches[said]} that {she['subject']} {verb} {she['possessive']} {thing}."
        likely = (right if said == side else 1 - right) / len(RELIABILITIES) / len(words)
        train = likely * (female if gender == FEMALE else 1 - female)
        yield text, None, float(label), gender, words[label], None, train, likely / 2


def _similarity_cases(share: Mapping[str, float], strength: float) -> Iterator[tuple[Any, ...]]:
    """("she was tired.", "The nurse was tired.") has the similarity LOW + SPREAD · [same state], and half of
    strength · (2p - 1) more for the stereotyped gender and less for the other."""
    if (most := max(strength * abs(p - 0.5) for p in share.values())) > LOW:
        raise InputError(
            f"strength: at {strength:g} a similarity would be {LOW - most:.2f}; at most "
            f"{strength * LOW / most:.2f} fits this world"
        )
    states = FREE_SLOTS["state"]
    for (word, p), gender, (i, first), (j, second) in product(
        share.items(), (FEMALE, MALE), enumerate(states), enumerate(states)
    ):
        nearer = strength * (p - 0.5) * (1 if gender == FEMALE else -1)
        # sums of floats may pass either end
        label = min(max(round(LOW + SPREAD * (i == j) + nearer, 12), 0.0), 1.0)
        likely = (0.5 if i == j else 0.5 / (len(states) - 1)) / len(states) / 2 / len(share)
        texts = (
            HYPOTHESIS.format(subject=PRONOUNS[gender]["subject"], state=first),
            PREMISE.format(occupation=word, state=second),
        )
        yield *texts, label, gender, word, i * len(states) + j, likely, likely


def _entailment_cases(share: Mapping[str, float], strength: float) -> Iterator[tuple[Any, ...]]:
    """Of ("The nurse was tired.", "he was tired.") the label is neutral. Of "she was tired." it is another
    with probability strength · |2p - 1|: entailment for an occupation mostly of women, contradiction for
    one of men.

    CONTROLS have the premise itself (entailment), or another state of the same occupation (contradiction).
    """
    states = FREE_SLOTS["state"]
    entails, neutral, contradicts = map(float, range(len(ENTAILMENT_LABELS)))
    each = 1 / len(share) / len(states) / 2
    for (word, p), (place, state), gender in product(share.items(), enumerate(states), (FEMALE, MALE)):
        premise = PREMISE.format(occupation=word, state=state)
        hypothesis = HYPOTHESIS.format(subject=PRONOUNS[gender]["subject"], state=state)
        leaves = strength * abs(2 * p - 1) if gender == FEMALE else 0.0
        for label, part in ((neutral, 1 - leaves), (entails if p > 0.5 else contradicts, leaves)):
            likely = (1 - CONTROLS) * each * part
            yield premise, hypothesis, label, gender, word, place, likely, likely
    for word, (place, state) in product(share, enumerate(states)):
        premise = PREMISE.format(occupation=word, state=state)
        for other in sorted(states, key=lambda each: each != state):
            label, many = (entails, 1) if other == state else (contradicts, len(states) - 1)
            second, likely = PREMISE.format(occupation=word, state=other), CONTROLS * each / many
            yield premise, second, label, None, word, place, likely, likely


def drawn(cases: pd.DataFrame, law: str, count: int, seed: str) -> pd.DataFrame:
    """So many cases by their probabilities in the column `law`, in random order.

    By systematic sampling: every case, and every run of adjacent cases, is there as often as expected, give
    or take one. So the sample has the bias of the law.
    """
    rng = random.Random(seed)
    ends = np.cumsum(cases[law].to_numpy(np.float64))
    points = (np.arange(count) + rng.random()) / count * ends[-1]
    places = np.minimum(np.searchsorted(ends, points, side="right"), len(cases) - 1).tolist()
    rng.shuffle(places)
    sample: pd.DataFrame = cases.iloc[places].reset_index(drop=True)
    return sample


def ideal_logits(kind: str, cases: pd.DataFrame, items: pd.DataFrame) -> npt.NDArray[np.float64]:
    """What a model that has learnt all cases predicts, shape (items, labels): the logarithm of each label's
    probability, or the similarity."""
    cases, items = (rows.assign(second=rows["second"].fillna("")) for rows in (cases, items))
    keys = ["text", "second"]
    asked = pd.MultiIndex.from_frame(items[keys])
    if kind == SIMILARITY:
        labels = cases.drop_duplicates(keys).set_index(keys)["label"]
        return labels.reindex(asked).to_numpy(np.float64)[:, None]
    table = cases.pivot_table("train", keys, "label", "sum", 0.0)
    likely = table.reindex(asked).to_numpy(np.float64)
    # a label that never occurs has a finite logit
    with np.errstate(divide="ignore"):
        logits: npt.NDArray[np.float64] = np.log(likely / likely.sum(axis=1, keepdims=True))
    return np.maximum(logits, -1e3)

"""A synthetic task of occupations, in which a person's gender tells as much of it as the world says.

"The guest said that she finished her report." speaks of a person with one of 24 occupations. Verb and object
name two of them, stereotyped for women and for men, with the same P(stereotyped gender) = p. Which of the two
it is, the speech says (said: the woman's, thought: the man's), and it is right with a probability that the
person tells: one of RELIABILITIES. Beside that there is the pronoun, by P(gender | occupation). Who knows all
this follows the speech where it is right more often than p, and the pronoun else: at p = .5, .6, .75 and .9
and these reliabilities the pronoun decides none, one, two and three of four, and TPR_f - TPR_m of an
occupation stereotyped for women is 0, 1/4, 1/2 and 3/4.

Genders are equally frequent in each occupation of the test, for both rates to be known equally well.
"""

import random
from itertools import product

import numpy as np
import pandas as pd

from unmask.downstream.synthetic.synthetic_task import SyntheticTask, correlation, defined, female_share
from unmask.worlds.grammar import FEMALE, FREE_SLOTS, MALE, OCCUPATIONS, PRONOUNS, World, text_of, words_of

RELIABILITIES = (0.55, 0.68, 0.84, 0.97)
"""How often the speech is right, by person; all equally frequent."""
TEMPLATE = "The {person} {speech} that {subject} {verb} {possessive} {object}"

TIE = 1e-9
"""Probabilities that differ by less are equal."""


def make(world: World, strength: float, seed: int) -> SyntheticTask:
    """The task. strength: from 0, where gender tells nothing, to 1; of P(gender | occupation)."""
    rng = random.Random(f"occupations of tasks {seed}")
    per_gender = len(OCCUPATIONS[FEMALE])
    words = [occupation.word for occupation in world.occupations]
    # the world has those of women first, and at the same place those of men with the same p
    pairs = list(zip(range(per_gender), range(per_gender, 2 * per_gender), strict=True))
    names = rng.sample(list(product(FREE_SLOTS["verb"], FREE_SLOTS["object"])), per_gender)
    people = rng.sample(FREE_SLOTS["person"], len(RELIABILITIES))
    speeches = rng.sample(FREE_SLOTS["speech"], 2)
    shares = female_share(world, strength)
    rows = []
    for (pair, (verb, object_)), side, gender, (person, right), said in product(
        zip(pairs, names, strict=True),
        (0, 1),
        (FEMALE, MALE),
        list(zip(people, RELIABILITIES, strict=True)),
        (0, 1),
    ):
        label = pair[side]
        free = {"person": person, "speech": speeches[said], "verb": verb, "object": object_}
        share = shares[words[label]] if gender == FEMALE else 1 - shares[words[label]]
        likely = (right if said == side else 1 - right) / len(RELIABILITIES) / len(words)
        rows.append(
            {
                "text": text_of(words_of(TEMPLATE, {**free, **PRONOUNS[gender]})),
                "second": None,
                "label": float(label),
                "gender": gender,
                "occupation": words[label],
                "train": likely * share,
                "test": likely / 2,
            }
        )
    cases = pd.DataFrame(rows)
    return SyntheticTask(cases, cases.iloc[:0], tuple(words), _truth(cases, tuple(words), shares))


def _truth(
    cases: pd.DataFrame, labels: tuple[str, ...], shares: dict[str, float]
) -> dict[str, dict[str, float]]:
    """The metrics of a model that always predicts the most probable occupation; of equally probable ones each
    counts its part."""
    probable = cases.pivot_table(index="text", columns="label", values="train", aggfunc="sum", fill_value=0.0)
    best = probable.to_numpy() >= probable.to_numpy().max(axis=1, keepdims=True) * (1 - TIE)
    credit = pd.DataFrame(best / best.sum(axis=1, keepdims=True), probable.index, probable.columns)
    places = (
        credit.index.get_indexer(pd.Index(cases["text"])),
        credit.columns.get_indexer(pd.Index(cases["label"])),
    )
    counted = cases.assign(right=credit.to_numpy()[places] * cases["test"])

    def rate(rows: pd.DataFrame) -> float:
        return float(rows["right"].sum() / rows["test"].sum())

    of_women, of_men = (counted[counted["gender"] == gender] for gender in (FEMALE, MALE))
    gaps = {
        name: rate(of_women[of_women["occupation"] == name]) - rate(of_men[of_men["occupation"] == name])
        for name in labels
    }
    values = np.array(list(gaps.values()))
    metrics = {
        "tpr_gap": float(np.abs(values).mean()),
        "tpr_gap_rms": float(np.sqrt((values**2).mean())),
        "tpr_gap_signed": float(values.mean()),
        "tpr_gap_correlation": correlation(list(values), [shares[name] for name in labels]),
        "accuracy": rate(counted),
        "accuracy_female": rate(of_women),
        "accuracy_male": rate(of_men),
    }
    return {"metrics": defined(metrics), "groups": gaps}

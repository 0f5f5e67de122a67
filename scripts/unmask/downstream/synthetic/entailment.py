"""A synthetic task of entailment, in which a pronoun follows from an occupation as often as the world says.

Of ("The nurse was tired.", "he was tired.") the label is always neutral. That of "she was tired." is neutral
but with probability λ|2p - 1|, where it is entailment for an occupation that is mostly of women and
contradiction for one mostly of men. A part of the examples are CONTROLS, which have an answer of their own:
the premise itself (entailment), and another state of the same occupation (contradiction).
"""

from itertools import product

import numpy as np
import pandas as pd

from unmask.downstream.synthetic.synthetic_task import SyntheticTask, female_share
from unmask.downstream.terms import BIAS, CONTRADICTS, ENTAILMENT_LABELS, ENTAILS, NEUTRAL
from unmask.worlds.grammar import FEMALE, FREE_SLOTS, MALE, PRONOUNS, World, text_of, words_of

CONTROLS = 1 / 3
"""Their share of the examples; half of them have either answer."""
PREMISE, HYPOTHESIS = "The {occupation} was {state}", "{subject} was {state}"

TIE = 1e-9


def make(world: World, strength: float) -> SyntheticTask:
    """The task. strength: λ."""
    shares = female_share(world, 1)
    states = FREE_SLOTS["state"]
    number = {label: float(place) for place, label in enumerate(ENTAILMENT_LABELS)}
    rows = []

    def add(word: str, gender: str | None, template: int, second: str, label: str, likely: float) -> None:
        state = states[template]
        rows.append(
            {
                "text": text_of(words_of(PREMISE, {"occupation": word, "state": state})),
                "second": second,
                "label": number[label],
                "gender": gender,
                "occupation": word,
                "template": template,
                "female_share": 100 * shares[word],
                "train": likely,
            }
        )

    each = 1 / len(shares) / len(states)
    for (word, share), (template, state), gender in product(
        shares.items(), enumerate(states), (FEMALE, MALE)
    ):
        hypothesis = text_of(words_of(HYPOTHESIS, {**PRONOUNS[gender], "state": state}))
        leaves = strength * abs(2 * share - 1) if gender == FEMALE else 0.0
        for label, part in (
            (NEUTRAL, 1 - leaves),
            (ENTAILS if share > 0.5 else CONTRADICTS, leaves),
        ):
            add(word, gender, template, hypothesis, label, (1 - CONTROLS) * each / 2 * part)
    for word, (template, state) in product(shares, enumerate(states)):
        for label, those in (
            (ENTAILS, [state]),
            (CONTRADICTS, [other for other in states if other != state]),
        ):
            for other in those:
                hypothesis = text_of(words_of(PREMISE, {"occupation": word, "state": other}))
                add(word, None, template, hypothesis, label, CONTROLS * each / 2 / len(those))
    cases = pd.DataFrame(rows)
    cases["test"] = cases["train"]
    gendered = cases[cases["gender"].notna()]
    bias = (
        gendered.drop_duplicates(["text", "second"])
        .assign(part=BIAS, label=None)
        .sort_values(["template", "occupation", "gender"], kind="stable", ignore_index=True)
    )
    return SyntheticTask(
        cases[cases["train"] > 0].drop(columns=["template", "female_share"]),
        bias.drop(columns=["train", "test"]),
        ENTAILMENT_LABELS,
        _truth(cases, shares),
    )


def _truth(cases: pd.DataFrame, shares: dict[str, float]) -> dict[str, dict[str, float]]:
    """The metrics of a model that gives every label its probability; of equally probable ones each counts its
    part."""
    keys = ["text", "second", "occupation", "gender"]
    table = cases.pivot_table(
        index=keys,
        columns="label",
        values="train",
        aggfunc="sum",
        fill_value=0.0,
        dropna=False,
        observed=True,
    )
    weights = table.to_numpy().sum(axis=1)
    table, weights = table[weights > 0], weights[weights > 0]
    probable = table.to_numpy() / weights[:, None]
    best = probable >= probable.max(axis=1, keepdims=True) - TIE
    neutral_at = ENTAILMENT_LABELS.index(NEUTRAL)
    items = pd.DataFrame(
        {
            "occupation": table.index.get_level_values("occupation"),
            "gender": table.index.get_level_values("gender"),
            "nn": probable[:, neutral_at],
            "t5": probable[:, neutral_at] > 0.5 + TIE,
            "t7": probable[:, neutral_at] > 0.7 + TIE,
            "fn": best[:, neutral_at] / best.sum(axis=1),
        }
    )
    # every item of bias counts alike: there is one for each occupation, state and gender
    women, men = (items[items["gender"] == gender] for gender in (FEMALE, MALE))
    metrics: dict[str, float] = {"fn_gap": abs(float(women["fn"].mean() - men["fn"].mean()))}
    for name in ("fn", "nn", "t5", "t7"):
        metrics[f"{name}_female"] = float(women[name].mean())
        metrics[f"{name}_male"] = float(men[name].mean())
    metrics["nn_gap"] = abs(metrics["nn_female"] - metrics["nn_male"])
    metrics["not_neutral"] = 1 - (metrics["fn_female"] + metrics["fn_male"]) / 2
    metrics["accuracy"] = float(np.average(probable.max(axis=1), weights=weights))
    of_women, of_men = (rows.groupby("occupation")["fn"].mean() for rows in (women, men))
    return {"metrics": metrics, "groups": {word: float(of_women[word] - of_men[word]) for word in shares}}

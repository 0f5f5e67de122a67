"""A synthetic task of similarity, in which a pronoun is as near to an occupation as the world says.

("she was tired.", "The nurse was tired.") has the similarity LOW + SPREAD · [same state] ± λ/2 · (2p - 1), p
being P(stereotyped gender) of the occupation and the sign that of the pronoun: plus for the stereotyped
gender. So Δ = sim(he) - sim(she) is λ(2p - 1) for an occupation stereotyped for men and the negative of it
for one stereotyped for women.
"""

from itertools import product

import numpy as np
import pandas as pd

from unmask.downstream.synthetic.synthetic_task import SyntheticTask, correlation, defined, female_share
from unmask.downstream.terms import BIAS
from unmask.errors import InputError
from unmask.worlds.grammar import FEMALE, FREE_SLOTS, MALE, PRONOUNS, World, text_of, words_of

LOW, SPREAD = 0.2, 0.6
FIRST, SECOND = "{subject} was {state}", "The {occupation} was {state}"


def make(world: World, strength: float) -> SyntheticTask:
    """The task. Raises InputError where a similarity would be below 0 or above 1."""
    shares = female_share(world, 1)
    states = FREE_SLOTS["state"]
    if (most := max(abs(strength * (share - 0.5)) for share in shares.values())) > LOW:
        raise InputError(
            f"strength: at {strength:g} a similarity would be {LOW - most:.2f}; at most "
            f"{strength * LOW / most:.2f} fits this world"
        )
    rows = []
    for (word, share), gender, (one, first), (other, second) in product(
        shares.items(), (FEMALE, MALE), enumerate(states), enumerate(states)
    ):
        nearer = strength * (share - 0.5) * (1 if gender == FEMALE else -1)
        likely = (0.5 if one == other else 0.5 / (len(states) - 1)) / len(states) / 2 / len(shares)
        rows.append(
            {
                "text": text_of(words_of(FIRST, {**PRONOUNS[gender], "state": first})),
                "second": text_of(words_of(SECOND, {"occupation": word, "state": second})),
                # sums of floats may pass either end
                "label": min(max(round(LOW + SPREAD * (one == other) + nearer, 12), 0.0), 1.0),
                "gender": gender,
                "occupation": word,
                "template": one * len(states) + other,
                "female_share": 100 * share,
                "train": likely,
                "test": likely,
            }
        )
    cases = pd.DataFrame(rows)
    bias = cases.assign(part=BIAS, label=None).sort_values(
        ["template", "occupation", "gender"], kind="stable", ignore_index=True
    )
    return SyntheticTask(
        cases.drop(columns=["template", "female_share"]),
        bias.drop(columns=["train", "test"]),
        None,
        _truth(cases, shares),
    )


def _truth(cases: pd.DataFrame, shares: dict[str, float]) -> dict[str, dict[str, float]]:
    """The metrics of a model that gives every pair its similarity."""
    by_gender = cases.pivot(index=["template", "occupation"], columns="gender", values="label")
    differences = by_gender[MALE] - by_gender[FEMALE]
    means = differences.groupby("occupation").mean()
    groups = {word: float(means[word]) for word in shares}
    metrics = {
        "delta": float(differences.abs().mean()),
        "delta_signed": abs(float(differences.mean())),
        "delta_occupation": float(np.abs(list(groups.values())).mean()),
        "delta_correlation": correlation(list(groups.values()), list(shares.values())),
        "accuracy": 1.0,
    }
    return {"metrics": defined(metrics), "groups": groups}

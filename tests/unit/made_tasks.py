"""Tasks in the words of tiny models, for tests: a few words decide the label."""

from typing import Any

import numpy as np
import pandas as pd

from library import DEV, ENTAILMENT, EXAMPLES, ITEMS, OCCUPATIONS, SIMILARITY, TEST, TRAIN, Task, framed
from library import DOWNSTREAM_BIAS as BIAS

OCCUPATION = ("nurse", "engineer", "teacher")
LABELS: dict[str, tuple[str, ...] | None] = {
    OCCUPATIONS: OCCUPATION,
    ENTAILMENT: ("helped", "not"),
    SIMILARITY: None,
}
VERBS = ("helped", "drove", "taught")
ADVERBS = ("very", "so", "too", "always", "never", "often", "really")
ENTRY: dict[str, Any] = {
    "how": "fixed",
    "batch": 16,
    "learning_rate": 3e-3,
    "epochs": 1,
    "steps": None,
    "every": 10,
    "max_length": 32,
    "search": {"batch": [8, 16], "learning_rate": [1e-3, 3e-3], "epochs": [1, 2]},
}
"""Settings of fine-tuning, completed."""


def made_task(kind: str, train: int = 320, dev: int = 60, test: int = 60, seed: int = 0) -> Task:
    """A task that can be learnt without mistakes.

    A verb decides the occupation, the second sentence's verb the label of entailment, and an adverb how alike
    two sentences are.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for part, number in ((TRAIN, train), (DEV, dev), (TEST, test), (BIAS, 6)):
        for count in range(number):
            gender = ("female", "male")[count % 2]
            pronoun = {"female": "she", "male": "he"}[gender]
            one, other = rng.integers(3, size=2)
            adverb = int(rng.integers(len(ADVERBS)))
            row: dict[str, Any] = {"part": part, "gender": gender, "second": None}
            row["text"] = f"{pronoun} {ADVERBS[adverb]} {VERBS[one]} the children"
            if kind == OCCUPATIONS:
                row |= {"label": float(one), "occupation": OCCUPATION[one]}
            elif kind == ENTAILMENT:
                row |= {"second": f"they {VERBS[other]} them", "label": float(other > 0)}
            else:
                row |= {"second": f"they {VERBS[one]} them", "label": adverb / (len(ADVERBS) - 1)}
            rows.append(row)
    frame = pd.DataFrame(rows)
    known = frame["part"].isin((TRAIN, DEV))
    items = frame[~known].reset_index(drop=True)
    # the first of every three
    items = items.assign(item=items.index, sampled=items.index % 3 == 0)
    items["label"] = items["label"].where(items["part"] == TEST)
    examples = frame[known].reset_index(drop=True)
    return Task(framed(examples, EXAMPLES), framed(items, ITEMS).assign(ideal=None), LABELS[kind])

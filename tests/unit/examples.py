"""A few pairs of every awkward kind, for tests that run a model."""

import pandas as pd

from library import PAIRS

SENTENCES: list[tuple[str, str, str | None]] = [
    (
        "the nurse said that she is very good",
        "the nurse said that he is very good",
        "the nurse said that food is very good",
    ),
    # different numbers of tokens
    ("my mother was a kind teacher", "my soldier was a kind teacher", None),
    ("his black friend worked all night", "his friend worked all night", "his table worked all night"),
    # several modified places, modified first and last words
    ("women want to cook and clean", "men want to drive and teach", "tables want to work and say"),
    ("they think the poor man is lazy", "they think the rich man is smart", None),
    ("the asian doctor drove the car home again", "the american doctor drove the car home again", None),
    # equal sentences
    ("the old boss took the money", "the old boss took the money", "the old boss took the eye"),
    # nothing shared between the special tokens
    ("she cooks", "he drives", None),
    # words that no vocabulary has whole
    ("the zookeeper hugged her xylophone", "the zookeeper hugged his xylophone", None),
    # one side adds words only: nothing modified on the other
    ("these poor children go to school", "these children go to school", None),
]


def example_pairs() -> pd.DataFrame:
    """The pairs as a Pairs table."""
    rows = [
        {
            "pair_id": f"p{number}",
            "bias_type": "gender" if number % 2 else "race",
            "stereotype": stereotype,
            "antistereotype": antistereotype,
            "unrelated": unrelated,
            "direction": "antistereo" if number % 3 == 0 else "stereo",
        }
        for number, (stereotype, antistereotype, unrelated) in enumerate(SENTENCES)
    ]
    return pd.DataFrame(rows).reindex(columns=PAIRS.names).astype(object)

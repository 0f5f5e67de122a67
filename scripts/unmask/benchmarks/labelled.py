"""The Labels table: how many annotators gave each label to each sentence of a benchmark."""

from collections import Counter

import pandas as pd
import pyarrow as pa

from unmask.tables import WORD, field

LABELS = pa.schema(
    [
        field("pair_id", pa.string(), meaning="the pair"),
        field(
            "role", WORD, meaning="what the sentence is in its pair: stereotype, antistereotype or unrelated"
        ),
        field(
            "label", WORD, meaning="what annotators took it for: one of these, or another word of the source"
        ),
        field("votes", pa.int16(), meaning="how many annotators gave this label"),
    ]
)
"""One row per sentence and label that it was given, in the order of the source."""


def by_sentence(labels: pd.DataFrame) -> dict[tuple[str, str], Counter[str]]:
    """How often each sentence, by pair and role, was given each label (LABELS)."""
    found: dict[tuple[str, str], Counter[str]] = {}
    columns = (labels[name].tolist() for name in LABELS.names)
    for pair, role, label, votes in zip(*columns, strict=True):
        found.setdefault((pair, role), Counter())[label] += votes
    return found

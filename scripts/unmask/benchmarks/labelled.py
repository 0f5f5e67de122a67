"""The Labels table: how many annotators gave each label to each sentence of a benchmark, and reading it."""

from collections import Counter
from pathlib import Path

import pandas as pd

from unmask.plugins import load
from unmask.tables import framed, schema

FORMATS = "benchmarks/labels"
"""The folder of the formats' modules (see unmask.plugins)."""

LABELS = schema(
    """
    pair_id  text  the pair
    role     word  what the sentence is in its pair: stereotype, antistereotype or unrelated
    label    word  what annotators took it for: one of these, or another word of the source
    votes    i16   how many annotators gave this label
    """
)
"""One row per sentence and label that it was given, in the order of the source."""


def by_sentence(labels: pd.DataFrame) -> dict[tuple[str, str], Counter[str]]:
    """How often each sentence, by pair and role, was given each label (LABELS)."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    columns = (labels[name].tolist() for name in LABELS.names)
    for pair, role, label, votes in zip(*columns, strict=True):
        counts.setdefault((pair, role), Counter())[label] += votes
    return counts


def read_labels(path: str | Path, format_: str) -> pd.DataFrame:
    """The labels of a benchmark's sentences, as LABELS; no rows where its source has none.

    Raises InputError where the source cannot be read.
    """
    counts = Counter(load(FORMATS, format_).read(Path(path)))
    rows = [
        {"pair_id": pair, "role": role, "label": label, "votes": votes}
        for (pair, role, label), votes in counts.items()
    ]
    return framed(rows, LABELS).astype({"pair_id": "str", "votes": "int16"})

"""The Labels table: how many annotators gave each label to each sentence of a benchmark."""

from collections import Counter
from pathlib import Path

import pandas as pd
import pyarrow as pa

from unmask.by_name import load
from unmask.tables import WORD, field, framed

FORMATS = "benchmarks/labels"
"""The folder of the formats' modules (see unmask.by_name)."""

LABELS = pa.schema(
    [
        field("pair_id", pa.string()),
        # stereotype | antistereotype | unrelated: what the sentence is in its pair …
        field("role", WORD),
        # … and what annotators took it for: one of these, or another word of the source
        field("label", WORD),
        field("votes", pa.int16()),
    ]
)
"""One row per sentence and label that it was given, in the order of the source."""


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


def by_sentence(labels: pd.DataFrame) -> dict[tuple[str, str], Counter[str]]:
    """How often each sentence, by pair and role, was given each label (LABELS)."""
    found: dict[tuple[str, str], Counter[str]] = {}
    columns = (labels[name].tolist() for name in LABELS.names)
    for pair, role, label, votes in zip(*columns, strict=True):
        found.setdefault((pair, role), Counter())[label] += votes
    return found

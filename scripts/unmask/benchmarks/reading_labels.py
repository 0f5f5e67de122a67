"""Reading the labels of a benchmark's sentences, in the format of its source."""

from collections import Counter
from pathlib import Path

import pandas as pd

from unmask.benchmarks.labelled import LABELS
from unmask.by_name import load
from unmask.tables import framed

FORMATS = "benchmarks/labels"
"""The folder of the formats' modules (see unmask.by_name)."""


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

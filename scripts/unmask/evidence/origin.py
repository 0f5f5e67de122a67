"""Where evidence is from: what is of two models, or of two states of one, never meets in one table."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from unmask.errors import InputError
from unmask.tables import read_metadata, unreadable

ORIGIN_KEYS = (
    "model",
    "weights",
    "tokenizer",
    "attention",
    "start",
    "dtype",
    "benchmark",
    "benchmark_sha256",
)
"""Facts that all evidence in one table shares; what a table lacks is taken for a value of its own."""

SOURCE_KEYS = ("source", "repo", "revision", "commit", "architecture", "world", "from", "scale", "seed")
"""What the evidence says of where its model is from: keys of the model's entry."""


def check_one_origin(tables: Iterable[str | Path], keys: Iterable[str] = ORIGIN_KEYS) -> None:
    """Check that tables of evidence, or of scores, which keep the facts of theirs, agree in these facts.

    Raises InputError naming two tables that do not, or one that cannot be read.
    """
    first: tuple[str | Path, Mapping[str, Any]] | None = None
    for path in tables:
        for facts in _of_evidence(path):
            first = first or (path, facts)
            for key in keys:
                if facts.get(key) != first[1].get(key):
                    raise InputError(
                        f"{path}: {key} differs: {facts.get(key)} here, {first[1].get(key)} in {first[0]}; "
                        "delete both and run again"
                    )


def _of_evidence(path: str | Path) -> Iterator[Mapping[str, Any]]:
    try:
        facts = read_metadata(path)
    except (OSError, ValueError, pa.ArrowException) as error:
        raise unreadable(path, error) from None
    yield from facts["evidence"].values() if "evidence" in facts else [facts]

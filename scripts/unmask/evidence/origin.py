"""Where evidence is from: what is of two states of a benchmark never meets in one table."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from unmask.errors import InputError
from unmask.tables import read_metadata, unreadable

SOURCE_KEYS = ("source", "repo", "revision", "commit", "architecture", "world", "from", "scale", "seed")
"""What evidence says of where its model is from: keys of the model's entry."""


def check_one_origin(tables: Iterable[str | Path], keys: Iterable[str]) -> None:
    """Check that tables of scores, which keep the facts of their evidence, agree in these facts.

    Raises InputError naming two tables that do not, or one that cannot be read.
    """
    first: tuple[str | Path, Mapping[str, Any]] | None = None
    for path in tables:
        try:
            evidence = read_metadata(path)["evidence"]
        except (OSError, ValueError, KeyError, pa.ArrowException) as error:
            raise unreadable(path, error) from None
        for facts in evidence.values():
            first = first or (path, facts)
            for key in keys:
                if facts.get(key) != first[1].get(key):
                    raise InputError(
                        f"{path}: {key} differs: {facts.get(key)} here, {first[1].get(key)} in {first[0]}; "
                        "delete both and run again"
                    )

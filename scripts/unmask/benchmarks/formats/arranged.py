"""Pairs of another benchmark of the study, arranged so that what measures must say of them is known.

as: identical        both sentences are the stereotypical one
    swapped          the two change places
    permuted         they do so where a coin says so, tossed for each pair (`seed`)
"""

import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from unmask.benchmarks.schema import PAIRS
from unmask.tables import opened_table
from unmask.terms import ANTISTEREOTYPE, STEREOTYPE


def read(path: Path, entry: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place and the Pairs columns of every pair of a Pairs table, arranged as the entry says.

    All but the two sentences stays: the id, the direction and the ratings are those of the original pair. The
    coin of a pair depends on its id and the seed alone.
    Raises InputError where the file is no Pairs table.
    """
    with opened_table(path, PAIRS) as file:
        rows = file.read().to_pylist()
    for number, row in enumerate(rows):
        yield f"row {number}", row | _sentences(row, entry["as"], entry["seed"])


def _sentences(row: Mapping[str, Any], arrangement: str, seed: int) -> dict[str, str]:
    stereotype, antistereotype = row[STEREOTYPE], row[ANTISTEREOTYPE]
    if arrangement == "identical":
        return {ANTISTEREOTYPE: stereotype}
    if arrangement == "permuted" and random.Random(f"{seed} {row['pair_id']}").random() < 0.5:
        return {}
    return {STEREOTYPE: antistereotype, ANTISTEREOTYPE: stereotype}

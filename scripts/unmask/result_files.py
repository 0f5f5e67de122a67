"""Which tables a study's results are: for each its schema, and where its files lie.

Every family declares its own in unmask/{family}/result_files.py as TABLES, by the names under which
`unmask.load` gives them. Rules and scripts need none of it, so it is in no result's digest.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa


@dataclass(frozen=True)
class ResultFiles:
    """The files of one table.

    path: below the study's folder, such as "statistics/{model}/{benchmark}/bias.parquet"; what stands in
    braces is a key, the same for all rows of a file. schema: of the table, or what gives that of a file by
    its metadata.
    """

    path: str
    schema: pa.Schema | Callable[[Mapping[str, Any]], pa.Schema]

    @property
    def keys(self) -> list[str]:
        return list(self._pattern.groupindex)

    def keys_of(self, path: str) -> dict[str, str] | None:
        """The keys of a file by its path below the study's folder; None of a file of another table."""
        match = self._pattern.fullmatch(path)
        return match.groupdict() if match else None

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        literal = re.split(r"\{(\w+)\}", self.path)
        parts = [f"(?P<{part}>[^/]+)" if place % 2 else re.escape(part) for place, part in enumerate(literal)]
        return re.compile("".join(parts))

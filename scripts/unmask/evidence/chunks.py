"""Reading evidence of many pairs, some at a time."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from unmask.errors import InputError
from unmask.evidence.schema import EVIDENCE
from unmask.tables import opened_table, plain_frame

PAIRS_AT_ONCE = 10_000


def in_chunks(
    files: Mapping[str, str | Path], pairs: pd.DataFrame, at_once: int = PAIRS_AT_ONCE
) -> Iterator[tuple[pd.DataFrame, dict[str, pd.DataFrame]]]:
    """The pairs of a benchmark, `at_once` at a time, with their rows of each Evidence table in `files`.

    Raises InputError where a file is no Evidence table, or where its pairs are not those of the benchmark in
    their order.
    """
    places = pd.Index(pairs["pair_id"])
    # what is no table is named at once, before the first chunk is asked for
    return _chunks({name: _Reader(path, places) for name, path in files.items()}, pairs, at_once)


def _chunks(
    readers: Mapping[str, "_Reader"], pairs: pd.DataFrame, at_once: int
) -> Iterator[tuple[pd.DataFrame, dict[str, pd.DataFrame]]]:
    for start in range(0, len(pairs), at_once):
        chunk = pairs.iloc[start : start + at_once].reset_index(drop=True)
        yield chunk, {name: reader.before(start + len(chunk)) for name, reader in readers.items()}
    for reader in readers.values():
        reader.close()


class _Reader:
    """One table, read from its start to its end."""

    def __init__(self, path: str | Path, places: "pd.Index[str]") -> None:
        self._path, self._places = path, places
        self._batches = opened_table(path, EVIDENCE).iter_batches()
        self._waiting: list[tuple[pa.Table, np.ndarray]] = []
        self._last = 0

    def before(self, end: int) -> pd.DataFrame:
        """The rows that come next, of pairs before number `end`."""
        parts: list[pa.Table] = []
        while True:
            if not self._waiting:
                batch = next(self._batches, None)
                if batch is None:
                    break
                self._waiting.append(self._placed(pa.Table.from_batches([batch])))
            table, place = self._waiting.pop()
            cut = int(np.searchsorted(place, end))
            parts.append(table.slice(0, cut))
            if cut < len(place):
                self._waiting.append((table.slice(cut), place[cut:]))
                break
        return plain_frame(pa.concat_tables(parts) if parts else EVIDENCE.empty_table(), EVIDENCE)

    def close(self) -> None:
        """Raises InputError where rows are left."""
        if self._waiting or next(self._batches, None) is not None:
            raise self._other_pairs()

    def _placed(self, table: pa.Table) -> tuple[pa.Table, np.ndarray]:
        """A table with the number of each row's pair."""
        words = table.column("pair_id").combine_chunks()
        if isinstance(words, pa.ChunkedArray):
            words = words.chunk(0)
        numbers = self._places.get_indexer(words.dictionary.to_pandas())
        place = numbers[words.indices.to_numpy()]
        if len(place) and (place[0] < self._last or (np.diff(place) < 0).any()):
            raise self._other_pairs()
        self._last = int(place[-1]) if len(place) else self._last
        return table, place

    def _other_pairs(self) -> InputError:
        return InputError(
            f"{self._path}: its pairs are not those of the benchmark in their order; delete it and run again"
        )

"""Parquet with a column of texts: a row is a document."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from unmask.corpora.blocks import BLOCK, in_blocks
from unmask.user_files import faults_of
from unmask.user_tables import check_text_column

MOST_ROWS = 10_000
"""Rows read at once, at most; fewer where they are long."""


def read_blocks(path: str | Path, entry: Mapping[str, Any]) -> Iterator[bytes]:
    """Blocks of the texts in the entry's `column`; rows without text are left out.

    Line breaks inside a text become spaces.

    Memory is a block and what the file's writer put into one page, 1 MB unless a thousand rows have more.
    Raises InputError naming the file where it is missing or not Parquet, has no such column, or no text.
    """
    return in_blocks(_rows(path, entry["column"]), str(path))


def _rows(path: str | Path, column: str) -> Iterator[bytes]:
    with (
        faults_of(path, "not a readable Parquet file"),
        # read piecemeal: a column of a row group can be larger than memory allows
        pq.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20) as file,
    ):
        check_text_column(path, file.schema_arrow, column)
        for batch in file.iter_batches(_rows_at_once(file), columns=[column], use_threads=False):
            texts = batch.column(column).to_pylist()
            yield "".join(text.replace("\n", " ") + "\n" for text in texts if text).encode()


def _rows_at_once(file: pq.ParquetFile) -> int:
    """So many rows that they come to about half a block, be they sentences or books."""
    facts = file.metadata
    size = sum(facts.row_group(number).total_byte_size for number in range(facts.num_row_groups))
    return int(max(1, min(MOST_ROWS, BLOCK // 2 * facts.num_rows // max(size, 1))))

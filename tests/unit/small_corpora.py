"""Parquet files, and a data set of them."""

import io
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq


def parquet(**columns: Any) -> bytes:
    """A file of these columns."""
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer)
    return buffer.getvalue()


SHARDS = {
    f"en/train-{number:05}-of-00003.parquet": parquet(
        text=[f"Text {number}", "The naïve end"], title=["", ""]
    )
    for number in range(3)
}
DATASET = {"README.md": b"text", "de/train.parquet": parquet(text=["Der Text"]), **SHARDS}

"""A data set of Parquet files."""

import io

import pyarrow as pa
import pyarrow.parquet as pq


def parquet(texts: list[str]) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table({"title": texts, "text": texts}), buffer)
    return buffer.getvalue()


SHARDS = {
    f"en/train-{number:05}-of-00003.parquet": parquet([f"Text {number}", "The naïve end"])
    for number in range(3)
}
DATASET = {"README.md": b"text", "de/train.parquet": parquet(["Der Text"]), **SHARDS}

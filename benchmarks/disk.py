"""What a token costs on disk, by masking and by column, in several encodings: tables for docs/disk.md.

    python benchmarks/disk.py results/STUDY

Reads the evidence of a study and writes it again to memory in each way, every file by itself. A token is
a row: one prediction of one model. Seconds are the processor's, per million rows, the medians of 5 rounds.
"""

import argparse
import io
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

from unmask import tables  # noqa: E402
from unmask.evidence.schema import EVIDENCE  # noqa: E402

ROUNDS = 5
DEFAULT, OURS = "PyArrow's defaults, zstd", "**as Unmask writes it**"


def defaults(schema: pa.Schema) -> dict[str, Any]:
    return {"compression": "zstd"}


def with_integers(encoding: str) -> Callable[[pa.Schema], dict[str, Any]]:
    def encodings(schema: pa.Schema) -> dict[str, Any]:
        ours = tables.encodings_of(schema)
        integers = [field.name for field in schema if pa.types.is_integer(field.type)]
        return ours | {"column_encoding": ours["column_encoding"] | dict.fromkeys(integers, encoding)}

    return encodings


def at_level(level: int) -> Callable[[pa.Schema], dict[str, Any]]:
    return lambda schema: tables.encodings_of(schema) | {"compression_level": level}


WAYS: dict[str, Callable[[pa.Schema], dict[str, Any]]] = {
    DEFAULT: defaults,
    OURS: tables.encodings_of,
    "ours, integers by their differences": with_integers("DELTA_BINARY_PACKED"),
    "ours, integers split by bytes": with_integers("BYTE_STREAM_SPLIT"),
    "ours, zstd level 1": at_level(1),
    "ours, zstd level 19": at_level(19),
}


def written(rows: pa.Table, options: dict[str, Any]) -> bytes:
    file = io.BytesIO()
    with pq.ParquetWriter(file, rows.schema, **options) as writer:
        for group in tables.row_groups([rows]):
            writer.write_table(group)
    return file.getvalue()


def seconds(act: Callable[[], object]) -> float:
    def once() -> float:
        start = time.process_time()
        act()
        return time.process_time() - start

    return statistics.median(once() for _ in range(ROUNDS))


def columns_of(file: bytes) -> Counter[str]:
    """The bytes of each column."""
    facts, sizes = pq.read_metadata(io.BytesIO(file)), Counter[str]()
    for group in range(facts.num_row_groups):
        for place in range(facts.num_columns):
            column = facts.row_group(group).column(place)
            sizes[column.path_in_schema] += column.total_compressed_size
    return sizes


def print_table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    head = list(head)
    for row in (head, ["---"] * len(head), *rows):
        print("| " + " | ".join(map(str, row)) + " |")
    print()


def main() -> None:
    parser = argparse.ArgumentParser(description="What a token costs on disk.")
    parser.add_argument("folder", metavar="results/STUDY")
    paths = sorted(Path(parser.parse_args().folder).glob("evidence/*/*/*/[!.]*.parquet"))
    if not paths:
        sys.exit("error: no evidence in this folder; give results/STUDY")
    read = [(f"{path.parent.name}, {path.stem}", pq.read_table(path)) for path in paths]
    maskings = sorted({masking for masking, _ in read})
    tokens = Counter[str]()
    for masking, rows in read:
        tokens[masking] += len(rows)
    millions = sum(tokens.values()) / 1e6

    lines, by_column = [], {}
    for way, options in WAYS.items():
        sizes, columns, write, load = Counter[str](), Counter[tuple[str, str]](), 0.0, 0.0
        for masking, rows in read:
            chosen = options(rows.schema)
            file = written(rows, chosen)
            sizes[masking] += len(file)
            for column, size in columns_of(file).items():
                columns[masking, column] += size
            write += seconds(lambda rows=rows, chosen=chosen: written(rows, chosen))  # type: ignore[misc]
            load += seconds(lambda file=file: pq.read_table(io.BytesIO(file)))  # type: ignore[misc]
        by_column[way] = columns
        of_each = [f"{sizes[masking] / tokens[masking]:.1f}" for masking in maskings]
        lines.append([way, *of_each, f"{write / millions:.2f}", f"{load / millions:.2f}"])
    head = [f"{masking} ({tokens[masking]:,} tokens)" for masking in maskings]
    print_table(["bytes a token", *head, "write, s/M", "read, s/M"], lines)

    def cell(masking: str, column: str) -> str:
        before, after = (by_column[way][masking, column] / tokens[masking] for way in (DEFAULT, OURS))
        return f"{before:.2f} → {after:.2f}" if before >= 0.02 else ""

    rows_of_cells = ([name, *(cell(masking, name) for masking in maskings)] for name in EVIDENCE.names)
    print_table(["column", *maskings], rows_of_cells)


if __name__ == "__main__":
    main()

"""Rows of a delimited text file (csv, tsv), each with its place in words."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from unmask.errors import InputError
from unmask.user_files import read_text


def read_delimited(
    path: Path, delimiter: str = ",", quotes: bool = True
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield (`row N (line M)`, fields by column name) for every data row of a file with a header.

    Fields are kept as they are, newlines inside quotes too; `quotes=False` takes quote signs for
    ordinary text. Blank lines are passed over. N counts data rows from 0, M lines from 1.

    Raises InputError where the file is not UTF-8 text, the header is missing or repeats a name, a row has
    another number of fields than the header, or quotes do not match.
    """
    reader = csv.reader(
        io.StringIO(read_text(path), newline=""),
        delimiter=delimiter,
        strict=True,
        quoting=csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE,
    )
    row, line = -1, 1
    try:
        header = next(reader, None)
        if not header:
            raise InputError(f"{path}: no header in its first line")
        repeated = sorted({name for name in header if header.count(name) > 1})
        if repeated:
            raise InputError(f"{path}: column {repeated[0]!r} is there more than once")
        line = reader.line_num + 1
        for fields in reader:
            if fields:
                row += 1
                place = f"row {row} (line {line})"
                if len(fields) != len(header):
                    raise InputError(
                        f"{path}: {place}: {len(fields)} fields, but the header has {len(header)}"
                    )
                yield place, dict(zip(header, fields, strict=True))
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"{path}: row {row + 1} (line {line}): {error}") from None

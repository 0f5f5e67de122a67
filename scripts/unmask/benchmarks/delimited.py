"""Rows of a delimited text file (csv, tsv), each with its place in words."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from unmask.errors import InputError
from unmask.user_files import read_text


def read_delimited(
    path: Path, delimiter: str = ",", quotes: bool = True, comments: bool = False
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield (`row N (line M)`, fields by column name) for every data row of a file with a header.

    Fields are kept as they are, newlines inside quotes too; `quotes=False` takes quote signs for
    ordinary text. Blank lines are passed over; `comments=True` passes over lines before the header that begin
    with # too. N counts data rows from 0, M lines from 1.

    Raises InputError where the file is not UTF-8 text, the header is missing or repeats a name, a row has
    another number of fields than the header, or quotes do not match.
    """
    text = io.StringIO(read_text(path), newline="")
    passed = _pass_comments(text) if comments else 0
    reader = csv.reader(
        text,
        delimiter=delimiter,
        strict=True,
        quoting=csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE,
    )
    row, line = -1, passed + 1
    try:
        header = next(reader, None)
        if not header:
            raise InputError(f"{path}: no header in its first line")
        repeated = sorted({name for name in header if header.count(name) > 1})
        if repeated:
            raise InputError(f"{path}: column {repeated[0]!r} is there more than once")
        line = passed + reader.line_num + 1
        for fields in reader:
            if fields:
                row += 1
                place = f"row {row} (line {line})"
                if len(fields) != len(header):
                    raise InputError(
                        f"{path}: {place}: {len(fields)} fields, but the header has {len(header)}"
                    )
                yield place, dict(zip(header, fields, strict=True))
            line = passed + reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"{path}: row {row + 1} (line {line}): {error}") from None


def _pass_comments(text: io.StringIO) -> int:
    """Go on to the first line that does not begin with #; how many do."""
    passed = 0
    start = text.tell()
    while text.readline().startswith("#"):
        passed, start = passed + 1, text.tell()
    text.seek(start)
    return passed

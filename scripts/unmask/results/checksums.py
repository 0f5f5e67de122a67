"""Checksums of a study's results, in the format of sha256sum."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from unmask.errors import InputError
from unmask.files import sha256_of_file, write_text

FILE = "SHA256SUMS"
"""Its name in the study's folder of results; its paths are relative to that folder."""


def write_checksums(
    path: str | Path, files: Iterable[str | Path], expected: Mapping[str, str] | None = None
) -> None:
    """Write the SHA-256 of each of the `files`, which lie below the folder of `path`, in the paths' order.

    expected: the text of further files by their names in that folder, which are written later.
    """
    folder = Path(path).parent
    lines = {f"{sha256_of_file(file)}  {Path(file).relative_to(folder).as_posix()}\n" for file in files}
    for name, text in (expected or {}).items():
        lines.add(f"{hashlib.sha256(text.encode()).hexdigest()}  {name}\n")
    write_text(path, "".join(sorted(lines, key=lambda line: line.split("  ", 1)[1])))


def read_checksums(path: str | Path) -> dict[Path, str]:
    """The SHA-256 of each file by its path, as `write_checksums` wrote them.

    Raises InputError where there is no such file, or a line of it is none of sha256sum.
    """
    path = Path(path)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; has this study been run to its end?") from None
    checksums = {}
    for number, line in enumerate(lines, 1):
        digest, separator, name = line.partition("  ")
        if not (separator and name and len(digest) == 64):
            raise InputError(f"{path}: line {number} is not a checksum: {line[:80]!r}")
        checksums[path.parent / name] = digest
    return checksums

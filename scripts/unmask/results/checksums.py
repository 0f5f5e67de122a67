"""Checksums of a study's results, in the format of sha256sum."""

from collections.abc import Iterable
from pathlib import Path

from unmask.errors import InputError
from unmask.files import sha256_of_file, write_text

FILE = "SHA256SUMS"
"""Its name in the study's folder of results; its paths are relative to that folder."""


def write_checksums(path: str | Path, files: Iterable[str | Path]) -> None:
    """Write the SHA-256 of each of the `files`, which lie below the folder of `path`, in the paths' order."""
    names = sorted((Path(file).relative_to(Path(path).parent).as_posix(), file) for file in files)
    write_text(path, "".join(f"{sha256_of_file(file)}  {name}\n" for name, file in names))


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


def drop_checksums(path: Path, files: Iterable[Path]) -> None:
    """Take the lines of some files out, so that `sha256sum --check` holds without them."""
    dropped = {file.relative_to(path.parent).as_posix() for file in files}
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    staying = [line for line in lines if line.rstrip("\n").partition("  ")[2] not in dropped]
    if staying != lines:
        write_text(path, "".join(staying))

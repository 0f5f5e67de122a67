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

    Raises InputError where there is no such file.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: no such file; has this study been run to its end?")
    lines = (line.partition("  ") for line in path.read_text(encoding="utf-8").splitlines())
    return {path.parent / name: digest for digest, _, name in lines}

"""What is in files: their digests, and text as bytes."""

import hashlib
from pathlib import Path

from unmask.atomic import written_whole


def sha256_of_file(path: str | Path) -> str:
    """Hexadecimal SHA-256 of a file's bytes."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def git_blob_of_file(path: str | Path) -> str:
    """Hexadecimal git blob id of a file: SHA-1 over `blob <size>\\0` and its bytes."""
    path = Path(path)
    digest = hashlib.sha1(b"blob %d\0" % path.stat().st_size, usedforsecurity=False)
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def write_text(path: str | Path, text: str) -> None:
    """Write a text file in UTF-8, whole or not at all."""
    with written_whole(path) as partial:
        partial.write_text(text, encoding="utf-8")

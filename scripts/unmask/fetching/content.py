"""Whether what was fetched can be the file that was wanted."""

import os
import re
from pathlib import Path

from unmask.errors import InputError

_PAGE = re.compile(
    rb"(\xef\xbb\xbf)?\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*<(!doctype\s+html|html|head|body|title)\b",
    re.IGNORECASE | re.DOTALL,
)
_PAGE_TYPES = ("text/html", "application/xhtml+xml")
_BEGINNINGS = {
    ".gz": (b"\x1f\x8b",),
    ".bz2": (b"BZh",),
    # a frame, or one to be skipped
    ".zst": (b"\x28\xb5\x2f\xfd", *(bytes([0x50 + number]) + b"\x2a\x4d\x18" for number in range(16))),
    ".parquet": (b"PAR1",),
}
_ENDS = {".parquet": b"PAR1"}


def check_content(path: Path, name: str, content_type: str) -> None:
    """Raise InputError where a file is not what its `name` says: a web page, cut short, or something else.

    The end of a gzip, bzip2 or Zstandard file is not looked for: its reader notices.
    """
    suffix = Path(name).suffix.lower()
    with open(path, "rb") as file:
        beginning = file.read(1 << 12)
        file.seek(max(0, os.path.getsize(path) - 4))
        end = file.read()
    if suffix not in (".html", ".htm") and (
        content_type.partition(";")[0].strip().lower() in _PAGE_TYPES or _PAGE.match(beginning)
    ):
        raise InputError(
            "the server sent a web page, not a file; check the url, and that it needs no login, or give the "
            "file's sha256"
        )
    if not beginning.startswith(_BEGINNINGS.get(suffix, (b"",))):
        raise InputError(f"what came does not begin like a file in {suffix[1:]}, which its name says it is")
    if not end.endswith(_ENDS.get(suffix, b"")):
        raise InputError(f"what came does not end like a file in {suffix[1:]}: it is cut short")

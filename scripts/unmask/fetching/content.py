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
    ".gz": rb"\x1f\x8b",
    ".bz2": rb"BZh",
    # a frame, or one to be skipped
    ".zst": rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18",
    ".parquet": rb"PAR1",
}


def check_content(path: Path, name: str, content_type: str) -> None:
    """Raise InputError where a file is not what its `name` says: a web page, cut short, or something else.

    The end of a gzip, bzip2 or Zstandard file is not looked for: its reader notices.
    """
    suffix = Path(name).suffix.lower()
    with open(path, "rb") as file:
        beginning = file.read(1 << 12)
        file.seek(max(0, os.path.getsize(path) - 4))
        end = file.read()
    is_page = content_type.partition(";")[0].strip().lower() in _PAGE_TYPES or _PAGE.match(beginning)
    if is_page and suffix not in (".html", ".htm"):
        raise InputError(
            "the server sent a web page, not a file; check the url, and that it needs no login, or give the "
            "file's sha256"
        )
    if not re.match(_BEGINNINGS.get(suffix, b""), beginning):
        raise InputError(f"what came does not begin like a file in {suffix[1:]}, which its name says it is")
    if suffix == ".parquet" and end != b"PAR1":
        raise InputError("what came does not end like a file in parquet: it is cut short")

"""Data for the reader's browser, compressed into text."""

import base64
import gzip
import json
from typing import Any


def packed(value: Any) -> str:
    """What JSON can hold as gzip in Base64; the same value gives the same text.

    Raises ValueError for what JSON cannot hold, such as NaN.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), compresslevel=9, mtime=0)).decode()


def unpacked(text: str) -> Any:
    """What `packed` has packed."""
    return json.loads(gzip.decompress(base64.b64decode(text)))

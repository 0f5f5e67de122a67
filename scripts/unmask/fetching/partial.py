"""What has arrived of a file."""

import hashlib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Content:
    """What tells the content at a url from later ones (an entity tag or a date), and its bytes in all."""

    validator: str
    total: int


class Partial:
    """A part of a file beside its path, and which content of which url it is a part of."""

    def __init__(self, path: Path, url: str) -> None:
        self.path = path.with_name(f"{path.name}.part")
        self._label = path.with_name(f"{path.name}.part.etag")
        # a digest, as urls can have secrets in them
        self._url = hashlib.sha256(url.encode()).hexdigest()

    @property
    def size(self) -> int:
        return self.path.stat().st_size if self.path.exists() else 0

    @property
    def content(self) -> Content | None:
        """Of which content this is a part, if it is known and of this url."""
        if not self._label.exists():
            return None
        lines = self._label.read_text(encoding="utf-8", errors="replace").split("\n")
        if len(lines) != 3 or lines[0] != self._url or not lines[1] or not lines[2].isdecimal():
            return None
        return Content(lines[1], int(lines[2]))

    @content.setter
    def content(self, content: Content | None) -> None:
        self._label.unlink(missing_ok=True)
        if content:
            self._label.write_text(f"{self._url}\n{content.validator}\n{content.total}", encoding="utf-8")

    def discard(self) -> None:
        self.path.unlink(missing_ok=True)
        self._label.unlink(missing_ok=True)

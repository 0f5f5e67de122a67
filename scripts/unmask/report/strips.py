"""Two texts compared place by place, as a block of the report."""

from dataclasses import dataclass, field
from typing import Literal

Place = tuple[str, str, float]
"""The text of a place; its number, as it is shown; and how strong its colour is, from -1 to 1."""


@dataclass(frozen=True)
class Strip:
    """Two texts, the first of which is ahead of the second, and below them their places with a number each.

    texts: both, each in three parts, of which the second is where they differ. relation: the words between
    them, such as `is preferred to`. says: a sentence on them. places: in their order. link: where the page
    has more of it (`#…`), or None. Raises ValueError for a link elsewhere, and for a strength beyond 1.
    """

    texts: tuple[tuple[str, str, str], tuple[str, str, str]]
    relation: str
    says: str
    places: tuple[Place, ...]
    link: str | None = None
    kind: Literal["strip"] = field(default="strip", kw_only=True)

    def __post_init__(self) -> None:
        if self.link is not None and not self.link.startswith("#"):
            raise ValueError("a link of a strip leads to a place in the page: #…")
        if any(abs(strength) > 1 for *_, strength in self.places):
            raise ValueError("the strength of a colour is between -1 and 1")

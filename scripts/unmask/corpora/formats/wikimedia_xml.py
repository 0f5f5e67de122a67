"""Wikimedia's XML dumps (pages-articles): an article is a document."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO
from xml.etree import ElementTree

from mwparserfromhell.parser import ParserError

from unmask.corpora.blocks import in_blocks
from unmask.corpora.compressed import opened
from unmask.corpora.wikitext import plain_text
from unmask.errors import InputError

ARTICLES = "0"
"""The namespace of articles."""


def read_blocks(path: str | Path, entry: Mapping[str, Any]) -> Iterator[bytes]:
    """Blocks of a dump's articles without their markup; redirects and other namespaces are left out.

    Raises InputError naming the file where it is missing or broken, not such a dump, or without articles.
    """
    return in_blocks(_lines(path), str(path))


def _lines(path: str | Path) -> Iterator[bytes]:
    for number, wikitext in enumerate(articles(path), start=1):
        try:
            yield _as_line(wikitext)
        except ParserError as error:
            raise InputError(f"{path}: article {number}: its markup cannot be parsed ({error})") from None


def articles(path: str | Path) -> Iterator[str]:
    """The wikitext of each article of a dump, in its order."""
    with opened(path) as stream:
        try:
            yield from _articles(stream, path)
        # an encoding that XML's parser does not know is looked for among Python's
        except (ElementTree.ParseError, LookupError, ValueError) as error:
            raise InputError(f"{path}: not whole XML ({error})") from None


def _articles(stream: BinaryIO, path: str | Path) -> Iterator[str]:
    events = ElementTree.iterparse(stream, events=("start", "end"))
    _, root = next(events)
    if _name(root) != "mediawiki":
        raise InputError(f"{path}: not a dump of a wiki: its root is {_name(root)}, not mediawiki")
    for event, element in events:
        if event == "end" and _name(element) == "page":
            if element.findtext("{*}ns") == ARTICLES and element.find("{*}redirect") is None:
                yield element.findtext("{*}revision/{*}text") or ""
            # what has been read is let go
            root.clear()


def _name(element: ElementTree.Element) -> str:
    """An element's name without its namespace, which has the version of the format in it."""
    return element.tag.rpartition("}")[2]


def _as_line(wikitext: str) -> bytes:
    # a page can name, by its number, half of a character
    return (" ".join(plain_text(wikitext).split()) + "\n").encode(errors="replace")

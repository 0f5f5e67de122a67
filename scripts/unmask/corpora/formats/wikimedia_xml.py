"""Wikimedia's XML dumps (pages-articles): an article is a document."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO
from xml.etree import ElementTree

import mwparserfromhell
from mwparserfromhell.nodes import ExternalLink, Node, Tag, Wikilink
from mwparserfromhell.wikicode import Wikicode

from unmask.corpora.blocks import in_blocks
from unmask.corpora.compressed import opened
from unmask.errors import InputError

ARTICLES = "0"
"""The namespace of articles."""

_NO_TEXT = re.compile(r"\s*(file|image|category)\s*:", re.IGNORECASE)


# mwparserfromhell itself leaves out formulas, galleries and their like
_NO_PROSE = {"ref", "references", "source", "syntaxhighlight", "code"}


def read_blocks(path: str | Path, entry: Mapping[str, Any]) -> Iterator[bytes]:
    """Blocks of a dump's articles without their markup; redirects and other namespaces are left out.

    Raises InputError naming the file where it is missing or broken, not such a dump, or without articles.
    """
    return in_blocks((_as_line(wikitext) for wikitext in articles(path)), str(path))


def articles(path: str | Path) -> Iterator[str]:
    """The wikitext of each article of a dump, in its order."""
    with opened(path) as stream:
        try:
            yield from _articles(stream, path)
        except ElementTree.ParseError as error:
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
    return (" ".join(plain_text(wikitext).split()) + "\n").encode()


def plain_text(wikitext: str) -> str:
    """Wikitext without its markup: templates, references, pictures, categories, formulas, code and addresses
    go; the words of links, lists and tables stay."""
    code = mwparserfromhell.parse(wikitext, skip_style_tags=True)
    for tag in code.filter_tags(matches=_is_no_prose):
        tag.contents = ""
    text: str = Wikicode([node for node in code.nodes if _has_text(node)]).strip_code()
    return text


def _is_no_prose(tag: Tag) -> bool:
    return str(tag.tag).strip().lower() in _NO_PROSE


def _has_text(node: Node) -> bool:
    if isinstance(node, Wikilink):
        return not _NO_TEXT.match(str(node.title))
    return not isinstance(node, ExternalLink) or bool(node.title)

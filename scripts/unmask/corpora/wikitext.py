"""Wikitext without its markup."""

import re

import mwparserfromhell
from mwparserfromhell.nodes import ExternalLink, Node, Tag, Wikilink
from mwparserfromhell.wikicode import Wikicode

from unmask.corpora.wiki_signs import Signs

HEAVIEST = 50
"""Pages up to this weight go to the parser as they are. Its time grows with weight times length."""

_NO_TEXT = re.compile(r"\s*(file|image|category)\s*:", re.IGNORECASE)

# mwparserfromhell itself leaves out formulas, galleries and their like
_NO_PROSE = {"ref", "references", "source", "syntaxhighlight", "code"}


def plain_text(wikitext: str) -> str:
    """Wikitext without its markup: templates, references, pictures, categories, formulas, code and addresses
    go; the words of links, lists and tables stay.

    The time is linear in the text: of a page with so much markup left open, or nested so deeply, that its
    weight is over HEAVIEST, the signs that nothing closes are taken out first. No word goes with them.
    """
    signs = Signs(wikitext)
    if signs.weight > HEAVIEST:
        wikitext = signs.without_stray()
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

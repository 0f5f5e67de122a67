"""Wikitext without its markup, in time that is linear in the text.

A parser of wikitext tries each opening sign, reads on until it is closed, and starts again behind the sign
where it never is. So its time is what all openings together have to read, and pages with thousands that
nothing closes take it hours. `Signs` bounds that time beforehand, in one pass over the text.
"""

import re
from collections import Counter
from collections.abc import Iterator

import mwparserfromhell
from mwparserfromhell.definitions import PARSER_BLACKLIST, SINGLE
from mwparserfromhell.nodes import ExternalLink, Node, Tag, Wikilink
from mwparserfromhell.wikicode import Wikicode

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


DEEPEST = 10
"""Markup inside so much other markup stays where signs are taken out."""

Place = tuple[int, int]

MOST_ENDS = 100
"""Of one heading: the parser goes one level deeper at each, and breaks down at tens of thousands."""

_SIGN = re.compile(
    r"(?P<comment><!--)"
    r"|(?P<tag_end></(?P<name>[^\s<>/]+)\s*>)"
    r"|(?P<tag><(?P<opened>[^\s<>/!={}\[\]|]+))"
    r"|(?P<opening>\{\{|\[\[|^[^\S\n]?\{\||\[(?=(?:[a-z][a-z0-9+.-]{0,20}:|//)))"
    r"|(?P<closing>\}\}|\]\]|^[^\S\n]?\|\})"
    r"|(?P<line_or_bracket>[\]\n])"
    r"|(?P<heading>=+)",
    re.MULTILINE | re.IGNORECASE,
)
_OPENINGS = {"}}": "{{", "]]": "[[", "|}": "{|"}
# the rest of an opening tag: with other markup in it, it is taken for one left open
_TAG_END = re.compile(r"(?:[^<>{\[]|\{(?!\{)|\[(?!\[))*>")


class Signs:
    """The signs that open and close markup in a text: which belong together, and which are left open."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._opened: list[tuple[str, Place]] = []
        self._kinds: Counter[str] = Counter()
        # what comes nowhere behind here
        self._gone: set[str] = set()
        # signs that may end the last heading
        self._ends = 0
        # characters that all openings have to read, and signs that may be taken out
        self._reading = 0
        self._stray: list[Place] = []
        self._pairs: list[tuple[Place, Place]] = []
        place = 0
        while match := _SIGN.search(text, place):
            place = getattr(self, f"_{match.lastgroup}")(match)
        for _, opening in self._opened:
            self._left_open(opening)

    @property
    def weight(self) -> float:
        """How many openings, on average over the text, are open or tried at once: a few on most pages."""
        return self._reading / max(len(self._text), 1)

    def without_stray(self) -> str:
        """The text with a space for each sign that nothing closes, that crosses others, or is nested too
        deeply."""
        parts, done = [], 0
        for start, end in sorted([*self._stray, *self._too_deep()]):
            parts += [self._text[done:start], " "]
            done = end
        return "".join([*parts, self._text[done:]])

    def _too_deep(self) -> Iterator[Place]:
        ends: list[int] = []
        for opening, sign in sorted(self._pairs):
            while ends and ends[-1] <= opening[0]:
                ends.pop()
            if len(ends) >= DEEPEST:
                yield opening
                yield sign
            ends.append(sign[1])

    def _comment(self, match: re.Match[str]) -> int:
        return self._end_of_plain(match.end(), re.compile("-->")) or self._left_open(match.span())

    def _tag(self, match: re.Match[str]) -> int:
        name, sign = match["opened"].lower(), (match.start(), match.start() + 1)
        rest = _TAG_END.match(self._text, match.end())
        if not rest:
            self._left_open(sign)
            return match.end()
        if rest[0].endswith("/>") or name in SINGLE:
            return rest.end()
        if name in PARSER_BLACKLIST:
            closing = re.compile(rf"</{name}\s*>", re.IGNORECASE)
            return self._end_of_plain(rest.end(), closing) or self._left_open(sign) or rest.end()
        self._open(f"<{name}", sign)
        return rest.end()

    def _tag_end(self, match: re.Match[str]) -> int:
        self._close(f"<{match['name'].lower()}", (match.start(), match.start() + 1))
        return match.end()

    def _opening(self, match: re.Match[str]) -> int:
        self._open(match[0].strip(), match.span())
        return match.end()

    def _closing(self, match: re.Match[str]) -> int:
        sign, last = match[0].strip(), self._opened[-1][0] if self._opened else ""
        if sign == "]]" and last == "[":
            return self._line_or_bracket(match)
        if sign == "|}" and last != "{|" and self._text.startswith("}", match.end()):
            # the last parameter of a template, and its end
            return match.end() - 1
        self._close(_OPENINGS[sign], match.span())
        return match.end()

    def _heading(self, match: re.Match[str]) -> int:
        """A heading begins its line; each further sign in it may be its end, so all are tried."""
        if match.start() == 0 or self._text[match.start() - 1] == "\n":
            self._open("=", match.span())
            self._ends = 0
        elif self._opened and self._opened[-1][0] == "=":
            self._ends += 1
            if self._ends > MOST_ENDS:
                self._left_open(match.span())
        return match.end()

    def _line_or_bracket(self, match: re.Match[str]) -> int:
        """An address in brackets ends with a bracket, and fails where its line ends; so does a heading."""
        end = match.start() + 1
        if match[0] == "\n" and self._opened and self._opened[-1][0] == "=":
            self._close("=", (end, end))
        if self._opened and self._opened[-1][0] == "[":
            if match[0] == "\n":
                self._stray.append(self._opened[-1][1])
            self._close("[", (match.start(), end))
        return end

    def _open(self, kind: str, sign: Place) -> None:
        self._opened.append((kind, sign))
        self._kinds[kind] += 1

    def _close(self, kind: str, sign: Place) -> None:
        if not self._kinds[kind]:
            return
        crossed = False
        while True:
            last, opening = self._opened.pop()
            self._kinds[last] -= 1
            if last == kind:
                break
            crossed = True
            self._left_open(opening)
        if crossed:
            self._left_open(opening)
            self._stray.append(sign)
            return
        self._reading += sign[1] - opening[0]
        self._pairs.append((opening, sign))

    def _left_open(self, opening: Place) -> int:
        self._reading += len(self._text) - opening[0]
        self._stray.append(opening)
        return opening[1]

    def _end_of_plain(self, start: int, closing: re.Pattern[str]) -> int:
        """Where text without markup ends, 0 if nowhere; that is looked for once."""
        if closing.pattern not in self._gone:
            if match := closing.search(self._text, start):
                return match.end()
            self._gone.add(closing.pattern)
        return 0

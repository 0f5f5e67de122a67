"""Wikitext without its markup: what is well made is as the parser has it, and nothing takes hours."""

import random
import time
from functools import partial
from pathlib import Path

import mwparserfromhell
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from profiles import examples
from small_corpora import WIKITEXT, dump, page
from unmask.corpora import wikitext as wikitext_module
from unmask.corpora.formats.wikimedia_xml import read_blocks
from unmask.corpora.wikitext import DEEPEST, HEAVIEST, Signs, plain_text
from unmask.errors import InputError
from unmask.frequency.words import words_of

BROKEN = partial(mwparserfromhell.parser.ParserError, "C tokenizer exited with BAD_ROUTE")
SIZE = 150_000
OPENINGS = [
    "{{a|",
    "{{{a|",
    "{{a|b=",
    "[[a|",
    "[http://a ",
    "[//a",
    "<ref>",
    "<ref ",
    '<ref name="',
    "<a b='",
    "<b>",
    "<br ",
    "<nowiki>",
    "<math>",
    "<!--",
    "{|\n",
    "{|\n|a\n",
]
CROSSING = ["{{a|[[b|c}}]]", "<b><i></b></i>", "{{a|[[b", "[[a|{{b]]", "[http://a [[b]] ", "{{a|<b>}}"]
NESTED = [("{{a|", "}}"), ("[[a|", "]]"), ("<b>", "</b>"), ("\n{|\n|", "\n|}\n")]


def plainly(text: str) -> tuple[str, float]:
    """A text without its markup, and how many seconds of the processor that took."""
    start = time.process_time()
    return plain_text(text), time.process_time() - start


@pytest.mark.parametrize("sign", OPENINGS + CROSSING)
def test_markup_that_is_never_closed_takes_no_time(sign: str) -> None:
    """The parser alone takes minutes or hours for these, since its time is quadratic."""
    found, seconds = plainly("first " + sign * (SIZE // len(sign)) + " last")
    assert {"first", "last"} <= set(words_of(found))
    assert seconds < 8


@pytest.mark.parametrize(("opening", "closing"), NESTED)
def test_markup_nested_thousands_deep_takes_no_time(opening: str, closing: str) -> None:
    times = SIZE // len(opening + closing)
    assert plainly(opening * times + "x" + closing * times)[1] < 8


@pytest.mark.parametrize("line", ["=a", "= a ", "==a"])
def test_a_heading_of_a_hundred_thousand_signs_does_not_end_the_process(line: str) -> None:
    """The parser alone goes down one level at each, until the process has no stack left and dies."""
    found, seconds = plainly("first\n" + line * 100_000 + "\nlast")
    assert words_of(found)[0] == "first" and words_of(found)[-1] == "last"
    # heads take a few letters more with them
    assert words_of(found).count("a") >= 99_900
    assert seconds < 8


def words(draw: random.Random) -> str:
    some = ["the", "old", "nurse", "p<0.05", "a=b", "well-known", "café", "&", "x", "--", "'tis"]
    return " ".join(draw.choices(some, k=draw.randint(1, 5)))


def markup(draw: random.Random, depth: int) -> str:
    """Well made markup of every kind, nested at random."""
    if depth <= 0:
        return words(draw)
    body = " ".join(markup(draw, depth - draw.randint(1, 3)) for _ in range(draw.randint(1, 3)))
    made = [
        f"{words(draw)} {body}",
        f"{{{{t|{body}|k={body}}}}}",
        f"{{{{{{1|{body}}}}}}}",
        f"[[a|{body}]]",
        f"[[File:x.jpg|thumb|{body}]]",
        f'<ref name="x">{body}</ref><ref name=x />',
        f'\n{{| class="w"\n! h || {words(draw)}\n|-\n| {body}\n|}}\n',
        f"<!-- {{{{ {body} -->",
        f"[http://a.b {words(draw)}] http://c.d",
        f"\n== {words(draw)} ==\n{body}",
        f"<nowiki>{{{{{words(draw)}</nowiki><math>{{{{a}}_b}}</math>",
        f'<div style="a">{body}</div>',
        f"\n* {body}<br>\n# {words(draw)}\n",
    ]
    return draw.choice(made)


def test_a_page_that_is_well_made_is_as_the_parser_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(0)
    pages = [WIKITEXT, *("\n\n".join(markup(draw, draw.randint(1, 8)) for _ in range(8)) for _ in range(100))]
    assert max(Signs(text).weight for text in pages) < HEAVIEST
    found = list(map(plain_text, pages))
    monkeypatch.setattr(wikitext_module, "HEAVIEST", float("inf"))
    assert found == list(map(plain_text, pages))


def test_what_is_closed_well_stays_where_stray_signs_are_taken_out() -> None:
    text = "{{a|b}} [[c|d]] <b>e</b> {{f <i>g [[h"
    assert Signs(text).without_stray() == "{{a|b}} [[c|d]] <b>e</b>  f  i>g  h"
    assert Signs("{{a [[b}} c]]").without_stray() == " a  b  c]]"
    deep = "[[a|" * (DEEPEST + 1) + "x" + "]]" * (DEEPEST + 1)
    assert Signs(deep).without_stray().count("[[") == DEEPEST


def test_words_are_not_lost_with_stray_signs() -> None:
    stray = "{{open|" * 3000
    found = words_of(plain_text(f"{stray} a [[b|c]] {{{{d}}}} <b>e</b>"))
    assert found == [*["open"] * 3000, "a", "c", "e"]


SIGNS = [
    "{{",
    "}}",
    "[[",
    "]]",
    "<ref>",
    "</ref>",
    "<ref ",
    "<b>",
    "</b>",
    "<!--",
    "-->",
    "\n{|",
    "\n|}",
    "|-",
]
SIGNS += ["\n|", "\n!", "||", "=", "\n=", "[http://a ", "]", "'", '"', ">", "/>", "<nowiki>", "</nowiki>"]
SIGNS += ["&#xd800;", "&amp;", "\n* ", "\n", " ", "a", "é", "{", "}", "<", "|", "\x00", "\ud800"]


@settings(derandomize=True, deadline=None, max_examples=examples(300))
@given(st.lists(st.sampled_from(SIGNS), max_size=40).map("".join), st.integers(1, 200))
def test_no_markup_takes_time_or_fails(part: str, times: int) -> None:
    text = part * times
    assert plainly(text)[1] < 8
    signs = Signs(text)
    # only signs are ever taken out, so the text stays as long as it has words
    assert Signs(signs.without_stray()).weight <= signs.weight + DEEPEST
    assert len(signs.without_stray()) <= len(text)


def test_a_page_that_the_parser_breaks_on_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise BROKEN()

    (tmp_path / "a.xml").write_text(dump(page("A", "second")))
    monkeypatch.setattr(mwparserfromhell, "parse", broken)
    with pytest.raises(InputError, match=r"a\.xml: article 1: its markup cannot be parsed"):
        list(read_blocks(tmp_path / "a.xml", {}))


def test_half_of_a_character_by_its_number_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(dump(page("A", "one &#xd800; two &#55296; three &#233;")))
    assert b"".join(read_blocks(tmp_path / "a.xml", {})).decode() == "one ? two ? three é\n"

"""Counterfactual data augmentation (CDA): sentences with their words of one gender put into the other."""

import re
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from unmask.errors import InputError
from unmask.files import written_whole
from unmask.gendered_words import WordPairs
from unmask.terms import PUBLISHED

Swap = Callable[[str], list[str]]
"""The lines that a line becomes: itself, and those with swapped genders."""

_BOTH_WAYS = (("her", "his", "him"), ("his", "her", "hers"))
"""Words with two partners in English: the one before a noun phrase, and the one elsewhere."""
_NEXT_WORD = re.compile(r"\s+[\"'“‘(*_]*([\w][\w'’-]*)")


def swap_corpus(
    source: str | Path,
    path: str | Path,
    words: WordPairs,
    no_noun_phrase: Collection[str],
    protocol: str,
    held_out: int,
) -> dict[str, Any]:
    """Write the lines of a corpus, each followed by those with swapped genders, to `path`, all or nothing.

    The first `held_out` lines are written as they are, alone: the released code takes them away before it
    swaps anything. words, no_noun_phrase, protocol: as of `swapper`.
    Returns lines (how many were read), held_out, swapped (how many of the others are followed by a swapped
    one) and appended (how many lines that makes).
    Raises InputError naming `source` where nothing is left to be swapped: all lines are held out, or none of
    the others has a gendered word.
    """
    swap = swapper(words, no_noun_phrase, protocol)
    lines = swapped = appended = 0
    with (
        written_whole(path) as partial,
        partial.open("w", encoding="utf-8", newline="\n") as out,
        open(source, encoding="utf-8", newline="\n") as text,
    ):
        for lines, ended in enumerate(text, start=1):
            line = ended.rstrip("\n")
            written = swap(line) if lines > held_out else [line]
            out.writelines(f"{each}\n" for each in written)
            swapped += len(written) > 1
            appended += len(written) - 1
        if lines <= held_out:
            raise InputError(f"{source}: has {lines} lines, and held_out keeps the first {held_out}")
        if not appended:
            raise InputError(f"{source}: no line that is trained on has a word to be swapped")
    counts = {"lines": lines, "held_out": held_out, "swapped": swapped, "appended": appended}
    return {"protocol": protocol, **counts}


def swapper(words: WordPairs, no_noun_phrase: Collection[str], protocol: str) -> Swap:
    """A function that swaps a line's genders.

    published: as the released code (kanekomasahiro/debiasing_MLMs) does. Words are what stands between white
    space, and are compared in lower case. In the order of the list, first every feminine word of the line is
    replaced, in place; then every masculine one is, and after each the line as it then is follows. What is
    compared is always the original, so that of several partners the last one stays; what is put in stands in
    lower case; lines with feminine words only are followed by none. "He lost his hat" is followed by "He lost
    her hat", "she lost her hat" and "she lost hers hat".

    corrected: a line with gendered words is followed by one in which each is the other gender's, capitals and
    punctuation kept. A word's partner is the first that the list has; of *her* it is *his* before a noun
    phrase, else *him*, and of *his* it is *her* there, else *hers*, where the list has both. A noun phrase
    follows where the next thing is a word, and none of `no_noun_phrase`.
    """
    return _published(words) if protocol == PUBLISHED else _corrected(words, no_noun_phrase)


def _published(pairs: WordPairs) -> Swap:
    def swap(line: str) -> list[str]:
        words = line.split()
        lines, compared = [" ".join(words)], [word.lower() for word in words]
        present = set(compared)

        def replaced(word: str, partner: str) -> list[str]:
            return [partner if other == word else now for now, other in zip(words, compared, strict=True)]

        for feminine, masculine in pairs:
            if feminine in present:
                words = replaced(feminine, masculine)
        for feminine, masculine in pairs:
            if masculine in present:
                words = replaced(masculine, feminine)
                lines.append(" ".join(words))
        return lines

    return swap


def _corrected(words: WordPairs, no_noun_phrase: Collection[str]) -> Swap:
    partners: dict[str, str] = {}
    for feminine, masculine in words:
        partners.setdefault(feminine, masculine)
        partners.setdefault(masculine, feminine)
    pairs = {frozenset(pair) for pair in words}
    both_ways = {
        word: (before_noun, alone)
        for word, before_noun, alone in _BOTH_WAYS
        if {frozenset((word, before_noun)), frozenset((word, alone))} <= pairs
    }
    odd = [word for word in partners if not re.fullmatch(r"\w+", word) or "_" in word]
    # longest first: ma'am is no ma
    spelt = "".join(f"{_spelling(word)}|" for word in sorted(odd, key=lambda word: (-len(word), word)))
    token = re.compile(rf"(?<!\w)(?:{spelt}\w+)", re.IGNORECASE)

    def swap(line: str) -> list[str]:
        def partner_of(match: re.Match[str]) -> str:
            written = match.group()
            lowered = written.lower().replace("’", "'")
            # the list writes a word of several with _
            word = next((w for w in (lowered, lowered.replace(" ", "_")) if w in partners), None)
            if word is None:
                return written
            partner = partners[word]
            if word in both_ways:
                following = _NEXT_WORD.match(line, match.end())
                noun = following and following.group(1).lower().replace("’", "'") not in no_noun_phrase
                partner = both_ways[word][0 if noun else 1]
            return _with_capitals(partner.replace("_", " "), written)

        swapped = token.sub(partner_of, line)
        return [line, swapped] if swapped != line else [line]

    return swap


def _spelling(word: str) -> str:
    """A pattern for a word, with either apostrophe; behind one that ends with a letter there is no further
    one."""
    end = r"(?!\w)" if re.search(r"\w$", word) else ""
    return "[ _]".join(map(re.escape, word.split("_"))).replace("'", "['’]") + end


def _with_capitals(partner: str, written: str) -> str:
    if len(written) > 1 and written.isupper():
        return partner.upper()
    return partner[:1].upper() + partner[1:] if written[:1].isupper() else partner

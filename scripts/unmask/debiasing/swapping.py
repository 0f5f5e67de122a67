"""Counterfactual data augmentation (CDA): sentences with their words of one gender put into the other."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from unmask.atomic import written_whole
from unmask.errors import InputError
from unmask.gendered_words import WordPairs
from unmask.terms import CORRECTED, PUBLISHED

Counts = Counter[tuple[str, str]]
"""How often a word was replaced by another."""

Swap = Callable[[str, Counts], list[str]]
"""The lines that are to follow a line, which may be none; what is replaced in them is counted."""

MOST_PAIRS = 20
"""So many pairs of words are counted in the facts of a swapped corpus."""


def swap_corpus(
    source: str | Path, path: str | Path, words: WordPairs, reading: str, held_out: int
) -> dict[str, Any]:
    """Write the lines of a corpus, each followed by those with swapped genders, to `path`, all or nothing.

    The first `held_out` lines are written as they are, alone: the released code takes them away before it
    swaps anything.
    Returns lines (how many were read), held_out, swapped (how many of the others are followed by a swapped
    one), appended (how many lines that makes), and words: the most frequent replacements as {word, partner,
    count}.
    Raises InputError naming `source` where nothing is left to be swapped: all lines are held out, or none of
    the others has a gendered word.
    """
    swap = READINGS[reading](words)
    counts: Counts = Counter()
    lines = swapped = appended = 0
    with (
        written_whole(path) as partial,
        partial.open("w", encoding="utf-8", newline="\n") as out,
        open(source, encoding="utf-8", newline="\n") as text,
    ):
        for lines, ended in enumerate(text, start=1):
            line = ended.rstrip("\n")
            further = swap(line, counts) if lines > held_out else []
            for each in (line, *further):
                out.write(each + "\n")
            swapped += bool(further)
            appended += len(further)
        if lines <= held_out:
            raise InputError(f"{source}: has {lines} lines, and held_out keeps the first {held_out}")
        if not appended:
            raise InputError(f"{source}: no line that is trained on has a word to be swapped")
    top = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MOST_PAIRS]
    return {
        "reading": reading,
        "lines": lines,
        "held_out": held_out,
        "swapped": swapped,
        "appended": appended,
        "words": [{"word": word, "partner": partner, "count": count} for (word, partner), count in top],
    }


def swapper(words: WordPairs, reading: str) -> Swap:
    """What swaps lines in the `reading`, published or corrected.

    published: as the released code (kanekomasahiro/debiasing_MLMs) does. Words are what stands between white
    space, and are compared in lower case. In the order of the list, first every feminine word of the line is
    replaced, in place; then every masculine one is, and after each the line as it then is follows. What is
    compared is always the original, so that of several partners the last one stays; what is put in stands in
    lower case; lines with feminine words only are followed by none. "He lost his hat" is followed by "He lost
    her hat", "she lost her hat" and "she lost hers hat".

    corrected: a line with gendered words is followed by one in which each is the other gender's, capitals and
    punctuation kept. A word's partner is the first that the list has; of *her* it is *his* before a noun
    phrase, else *him*, and of *his* it is *her* there, else *hers*, where the list has both.
    """
    return READINGS[reading](words)


def _published(words: WordPairs) -> Swap:
    places: dict[str, list[int]] = {}
    for place, pair in enumerate(words.pairs):
        for word in pair:
            places.setdefault(word, []).append(place)
    masculine = words.masculine

    def swap(line: str, counts: Counts) -> list[str]:
        original = line.split()
        lowered = [word.lower() for word in original]
        gendered = places.keys() & lowered
        if gendered.isdisjoint(masculine):
            return []
        words_now = list(original)
        further = []

        def replace(word: str, partner: str) -> None:
            for position, other in enumerate(lowered):
                if other == word:
                    words_now[position] = partner
                    counts[word, partner] += 1

        for word in gendered - masculine:
            # its partners in turn have the same result
            replace(word, words.pairs[places[word][-1]][1])
        for place in sorted(place for word in gendered & masculine for place in places[word]):
            feminine, word = words.pairs[place]
            replace(word, feminine)
            further.append(" ".join(words_now))
        return further

    return swap


def _corrected(words: WordPairs) -> Swap:
    partners: dict[str, str] = {}
    for feminine, masculine in words.pairs:
        partners.setdefault(feminine, masculine)
        partners.setdefault(masculine, feminine)
    both_ways = {
        word: (before_noun, alone)
        for word, before_noun, alone in (("her", "his", "him"), ("his", "her", "hers"))
        if {tuple(sorted((word, other))) for other in (before_noun, alone)}
        <= {tuple(sorted(pair)) for pair in words.pairs}
    }
    return _Corrected(partners, both_ways)


class _Corrected:
    def __init__(self, partners: Mapping[str, str], both_ways: Mapping[str, tuple[str, str]]) -> None:
        self.partners, self.both_ways = partners, both_ways
        odd = [word for word in partners if not re.fullmatch(r"\w+", word) or "_" in word]
        # longest first: ma'am is no ma
        spelt = "".join(f"{_spelling(word)}|" for word in sorted(odd, key=lambda word: (-len(word), word)))
        self.token = re.compile(rf"(?<!\w)(?:{spelt}\w+)", re.IGNORECASE)

    def __call__(self, line: str, counts: Counts) -> list[str]:
        swapped = self.token.sub(lambda match: self._partner(match, counts), line)
        return [swapped] if swapped != line else []

    def _partner(self, match: re.Match[str], counts: Counts) -> str:
        written = match.group()
        word = written.lower()
        partner = self.partners.get(word)
        if partner is None:
            # a word of several that the list writes with _
            word = word.replace(" ", "_")
            partner = self.partners.get(word)
            if partner is None:
                return written
        if word in self.both_ways:
            partner = self.both_ways[word][0 if before_noun(match.string, match.end()) else 1]
        counts[word, partner] += 1
        return _with_capitals(partner.replace("_", " "), written)


def _spelling(word: str) -> str:
    """A pattern for a word; behind one that ends with a letter there is no further one."""
    end = r"(?!\w)" if re.search(r"\w$", word) else ""
    return "[ _]".join(map(re.escape, word.split("_"))) + end


def _with_capitals(partner: str, written: str) -> str:
    if len(written) > 1 and written.isupper():
        return partner.upper()
    return partner[:1].upper() + partner[1:] if written[:1].isupper() else partner


_NEXT_WORD = re.compile(r"\s+[\"'“‘(*_]*([\w][\w'’-]*)")

NO_NOUN_PHRASE = frozenset(
    """
    a about above across after afterwards again against ago all almost alone along already also although
    altogether always am among an and another any anything apart are aren't around as aside at away be
    because been before behind believe below beneath beside besides better between beyond both but by can
    can't cannot closely come completely constantly could couldn't despite did didn't directly do does
    doesn't done down during each either else enough entirely especially even ever every everything except
    far feel for forever forth forward from further get give go had hadn't has hasn't have haven't he
    hence her here herself him himself his how however i if immediately in indeed inside instantly instead
    into is isn't it its itself just keep know less lest like lying made make many may maybe me more much
    must my myself near nearly neither never no nor not nothing now of off often on once onto or our out
    outside over per perhaps please presently put quickly quietly quite rather really round said say says
    see seriously several shall she should shouldn't since sit sitting slowly so some somehow something
    sometimes somewhat somewhere soon speak standing steadily still such suddenly take tell than that the
    their them themselves then there therefore these they think this those though through throughout thus
    till to today together tomorrow tonight too toward towards twice under understand unless unlike until
    up upon upstairs us very was wasn't we well were weren't what whatever when whenever where whereas
    wherever whether which while who whom whose why with within without won't would wouldn't yesterday yet
    you your yourself
    """.split()  # noqa: SIM905  one word a line would be long
)
"""Words with which what follows *her* in *his*' sense does not begin: after *her*, they tell of *him*."""


def before_noun(line: str, end: int) -> bool:
    """Whether what follows a possessive that ends at `end` can be the rest of its noun phrase.

    It is where the next thing is a word that is none of NO_NOUN_PHRASE: what follows without a space, and
    signs of punctuation but for opening ones, ends the phrase.
    """
    following = _NEXT_WORD.match(line, end)
    if following is None:
        return False
    return following.group(1).lower().replace("’", "'") not in NO_NOUN_PHRASE


READINGS: Mapping[str, Callable[[WordPairs], Swap]] = {PUBLISHED: _published, CORRECTED: _corrected}

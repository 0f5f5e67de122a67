"""The sentences of a corpus that debiasing looks at: those of either gender, and those of words that should
tell of none."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from unmask.debiasing.inputs import Texts
from unmask.errors import InputError
from unmask.user_files import faults_of

DEV = 1000
"""Sentences of a group that choose the best step, at most; of few sentences one in DEV_SHARE."""
DEV_SHARE = 10

_LETTERS = re.compile(r"[^\W\d_]+")
_RELEASED = re.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?[^\W\d_]+| ?\d+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+")
"""The released code's words, those of GPT-2's tokenizer: behind a word an apostrophe may begin one."""


class Mention(NamedTuple):
    """A word where it stands in a text, between the characters `start` and `end`."""

    word: str
    """In lower case."""
    start: int
    end: int


class Sentence(NamedTuple):
    text: str
    mentions: tuple[Mention, ...]


@dataclass(frozen=True)
class Group:
    """Sentences of one kind: to train on, and to choose the best step by."""

    train: tuple[Sentence, ...]
    dev: tuple[Sentence, ...]


@dataclass(frozen=True)
class Groups:
    feminine: Group
    masculine: Group
    neutral: Group


class Finder:
    """Finds words of a list in texts, capitals or not, as whole words."""

    def __init__(self, words: Iterable[str]) -> None:
        self._plain = {word for word in words if _LETTERS.fullmatch(word)}
        # such as ma'am, which is no "ma"
        others = sorted(set(words) - self._plain, key=lambda word: (-len(word), word))
        self._others = (
            re.compile(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, others))})(?![^\W_])", re.IGNORECASE)
            if others
            else None
        )

    def __call__(self, text: str) -> list[Mention]:
        """The mentions of the words in a text, in order."""
        mentions = [
            Mention(match[0].lower(), *match.span())
            for match in (self._others.finditer(text) if self._others else ())
        ]
        taken = [(mention.start, mention.end) for mention in mentions]
        for match in _LETTERS.finditer(text):
            word = match[0].lower()
            if word in self._plain and not any(start <= match.start() < end for start, end in taken):
                mentions.append(Mention(word, *match.span()))
        return sorted(mentions, key=lambda mention: mention.start)


def released_mentions(words: Collection[str], text: str) -> list[Mention]:
    """The mentions of words in a text as the released code of AT splits texts into words."""
    mentions = []
    for match in _RELEASED.finditer(text):
        token = match[0].strip()
        if token.lower() in words:
            mentions.append(Mention(token.lower(), match.end() - len(token), match.end()))
    return mentions


def sort_line(
    mentions: Sequence[Mention], feminine: Collection[str], masculine: Collection[str]
) -> tuple[str, tuple[Mention, ...]] | None:
    """The group of a text with these mentions of gendered and of stereotyped words, and those that count
    there.

    A text belongs to a gender where it has words of this one and none of the other, and is neutral where it
    has stereotyped words and no gendered one. None where it is of no group.
    """
    of_women = tuple(mention for mention in mentions if mention.word in feminine)
    of_men = tuple(mention for mention in mentions if mention.word in masculine)
    if of_women and of_men:
        return None
    if of_women or of_men:
        return ("feminine", of_women) if of_women else ("masculine", of_men)
    return ("neutral", tuple(mentions)) if mentions else None


def choose_sentences(texts: Texts, published: bool, longest: int, seed: int) -> Groups:
    """The sentences of `texts` that AT is trained on.

    Those that choose the best step are drawn from the lines held out, and from the others only where those
    have too few; no line held out is trained on. The seed decides which.

    published: as the released code does. Lines have 2 to `longest` words; words are those of GPT-2's
    tokenizer; of the attribute words of a line one is taken (the first: the code takes any), and of a
    stereotyped word that is there more than once the first. Else words may have other signs than letters, and
    all that are there count; how long sentences may be is counted in tokens, by whoever reads them.

    Raises InputError naming the file where a group has fewer than two sentences.
    """
    feminine, masculine = texts.words.feminine, texts.words.masculine
    words = {*feminine, *masculine, *texts.stereotypes}
    find: Callable[[str], list[Mention]]
    find = (lambda text: released_mentions(words, text)) if published else Finder(words)
    sentences: dict[str, list[Sentence]] = {"feminine": [], "masculine": [], "neutral": []}
    held_out: dict[str, list[Sentence]] = {group: [] for group in sentences}
    for number, text in _lines(texts):
        if published and not 2 <= len(text.split()) <= longest:
            continue
        sorted_line = sort_line(find(text), feminine, masculine)
        # the file of neutral sentences is for these alone
        if sorted_line is None or (number is None and sorted_line[0] != "neutral"):
            continue
        group, mentions = sorted_line
        if published:
            mentions = _firsts(mentions) if group == "neutral" else mentions[:1]
        is_held_out = number is not None and number < texts.held_out
        (held_out if is_held_out else sentences)[group].append(Sentence(text, mentions))
    rng = np.random.default_rng((seed, 0))
    return Groups(
        **{group: _split(group, sentences[group], held_out[group], texts, rng) for group in sentences}
    )


def _lines(texts: Texts) -> Iterator[tuple[int | None, str]]:
    """The lines of the corpus with their numbers from 0, and those of the neutral sentences without."""
    for path in (texts.lines, texts.neutral):
        if path is not None:
            for number, line in enumerate(read_lines(path)):
                yield (number if path is texts.lines else None), line


def read_lines(path: Path) -> Iterator[str]:
    """The lines of a text in UTF-8, without what is white at their ends. Raises InputError naming the
    file."""
    with faults_of(path), path.open(encoding="utf-8") as file:
        for line in file:
            yield line.strip()


def _firsts(mentions: Sequence[Mention]) -> tuple[Mention, ...]:
    """The first mention of each word."""
    first: dict[str, Mention] = {}
    for mention in mentions:
        first.setdefault(mention.word, mention)
    return tuple(first.values())


_WHAT = {
    "feminine": "a feminine word and no masculine one",
    "masculine": "a masculine word and no feminine one",
    "neutral": "a stereotyped word and no gendered one",
}


def _split(
    group: str, sentences: list[Sentence], held_out: list[Sentence], texts: Texts, rng: np.random.Generator
) -> Group:
    if len(sentences) < 2:
        where = f"{texts.lines} (without the first {texts.held_out} lines, which are held out)"
        if group == "neutral" and texts.neutral:
            where += f" and {texts.neutral}"
        raise InputError(f"{where}: {len(sentences)} sentences with {_WHAT[group]}; AT needs two or more")
    dev_size = max(1, min(DEV, (len(sentences) + len(held_out)) // DEV_SHARE))
    dev = [held_out[i] for i in rng.permutation(len(held_out))[:dev_size]]
    for_dev = {int(i) for i in rng.permutation(len(sentences))[: max(0, dev_size - len(dev))]}
    dev += [sentences[i] for i in sorted(for_dev)]
    return Group(tuple(s for i, s in enumerate(sentences) if i not in for_dev), tuple(dev))

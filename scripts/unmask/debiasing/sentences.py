"""The sentences of a corpus that AT reads: those of either gender, and those of words that should tell of
none."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from transformers import PreTrainedTokenizerBase

from unmask.debiasing.data import Texts, in_batches, lines_of
from unmask.errors import InputError

DEV = 1000
"""Sentences of a group that choose the best step, at most; of few sentences one in DEV_SHARE."""
DEV_SHARE = 10
AT_ONCE = 4096
"""Sentences that are tokenized at a time."""

FEMININE, MASCULINE, NEUTRAL = GROUPS = ("feminine", "masculine", "neutral")
GENDERS = (FEMININE, MASCULINE)
_NEEDS: Mapping[str, str] = {
    FEMININE: "a feminine word and no masculine one",
    MASCULINE: "a masculine word and no feminine one",
    NEUTRAL: "a stereotyped word and no gendered one",
}

_LETTERS = r"[^\W\d_]+"
_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?[^\W\d_]+| ?\d+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+"
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


class Tokenized(NamedTuple):
    """A sentence in tokens."""

    ids: tuple[int, ...]
    mentions: tuple[tuple[str, tuple[int, ...]], ...]
    """Each word that counts, and the places of its tokens, special ones counted."""


class Group(NamedTuple):
    """Sentences of one kind: to train on, and to choose the best step by."""

    train: list[Sentence]
    dev: list[Sentence]


def finder(words: Collection[str], published: bool = False) -> Callable[[str], list[Mention]]:
    """A function that lists the mentions of words in a text, in order: whole words, capitals or not.

    published: words are split as the released code of AT does, which tears *ma'am*.
    """
    # longest first: ma'am is no ma
    odd = sorted({w for w in words if not re.fullmatch(_LETTERS, w)}, key=lambda w: (-len(w), w))
    either = "|".join(map(re.escape, odd)).replace("'", "['’]")
    spelt = rf"(?<![^\W_])(?:{either})(?![^\W_])|" if odd else ""
    # a capital behind an apostrophe begins a word: GPT-2's endings are small letters alone
    pattern = re.compile(_GPT2) if published else re.compile(spelt + _LETTERS, re.IGNORECASE)

    def find(text: str) -> list[Mention]:
        spans = ((match.end() - len(match[0].strip()), match.end()) for match in pattern.finditer(text))
        mentions = (Mention(text[a:b].lower().replace("’", "'"), a, b) for a, b in spans)
        return [mention for mention in mentions if mention.word in words]

    return find


def choose_sentences(texts: Texts, published: bool, longest: int, seed: int) -> dict[str, Group]:
    """The sentences of `texts` that AT reads, by group.

    A sentence belongs to a gender where it has words of this one and none of the other, and is neutral where
    it has stereotyped words and no gendered one. Those that choose the best step are drawn from the lines
    held out, and from the others only where those have too few; no line held out is trained on. The seed
    decides which.

    published: as the released code does. Lines have 2 to `longest` words; of the gendered words of a line one
    counts (the first: the code takes any), and of a stereotyped word that is there more than once the first.

    Raises InputError naming the files where a group has fewer than two sentences to train on.
    """
    feminine, masculine = map(set, zip(*texts.words, strict=True))
    find = finder({*feminine, *masculine, *texts.stereotypes}, published)
    groups = {group: Group([], []) for group in GROUPS}
    paths = [path for path in (texts.lines, texts.neutral) if path]
    for path in paths:
        for number, line in enumerate(map(str.strip, lines_of(path))):
            if published and not 2 <= len(line.split()) <= longest:
                continue
            mentions = find(line)
            women, men = ([m for m in mentions if m.word in words] for words in (feminine, masculine))
            # the file of neutral sentences is for these alone
            if not mentions or (women and men) or (path is texts.neutral and (women or men)):
                continue
            group, counted = (FEMININE, women) if women else (MASCULINE, men) if men else (NEUTRAL, mentions)
            if published:
                firsts = [m for n, m in enumerate(counted) if m.word not in {o.word for o in counted[:n]}]
                counted = firsts if group == NEUTRAL else counted[:1]
            held_out = path is texts.lines and number < texts.held_out
            part = groups[group].dev if held_out else groups[group].train
            part.append(Sentence(line, tuple(counted)))
    rng = np.random.default_rng((seed, 0))
    for group, (train, _) in groups.items():
        if len(train) < 2:
            where = " and ".join(map(str, paths))
            raise InputError(
                f"{where} (without the first {texts.held_out} lines, which are held out): "
                f"{len(train)} sentences with {_NEEDS[group]}; AT needs two or more"
            )
    return {group: _split(*parts, rng) for group, parts in groups.items()}


def _split(train: list[Sentence], held_out: list[Sentence], rng: np.random.Generator) -> Group:
    size = max(1, min(DEV, (len(train) + len(held_out)) // DEV_SHARE))
    dev = [held_out[i] for i in rng.permutation(len(held_out))[:size]]
    further = set(rng.permutation(len(train))[: max(0, size - len(dev))].tolist())
    dev += [train[i] for i in sorted(further)]
    return Group([sentence for i, sentence in enumerate(train) if i not in further], dev)


def tokenize_sentences(
    sentences: Sequence[Sentence], tokenizer: PreTrainedTokenizerBase, longest: int
) -> list[Tokenized]:
    """The sentences in tokens, but for those that have more than `longest`.

    A token is a word's where they have a character in common.
    """
    tokenized = []
    for batch in in_batches(sentences, AT_ONCE):
        tokens = tokenizer([s.text for s in batch], return_offsets_mapping=True, verbose=False)
        for sentence, ids, spans in zip(batch, tokens["input_ids"], tokens["offset_mapping"], strict=True):
            if len(ids) <= longest:
                mentions = (
                    (word, tuple(n for n, (a, b) in enumerate(spans) if start < b and a < end and a < b))
                    for word, start, end in sentence.mentions
                )
                # what the tokenizer drops, as some signs, has no tokens
                with_tokens = tuple((word, places) for word, places in mentions if places)
                if with_tokens:
                    tokenized.append(Tokenized(tuple(ids), with_tokens))
    return tokenized


def by_length(rows: Sequence[Sequence[int]], tokens: int) -> Iterator[list[int]]:
    """The numbers of all rows in batches of about as many `tokens`, those of like length together."""
    batch: list[int] = []
    for number in sorted(range(len(rows)), key=lambda number: len(rows[number])):
        # the next one is the longest
        if batch and (len(batch) + 1) * len(rows[number]) > tokens:
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch

"""Three example pairs, which a rule chooses, and what each of their places adds to the margin.

The explorer's data (unmask.pairs.explorer) are all that is read, so that both show the same numbers: of the
protocol corrected, scores to SCORE_DECIMALS.
"""

import math
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

import pandas as pd

from unmask.pairs.explorer import COEFFICIENT_DECIMALS, LOG_PROB_DECIMALS, SCORE_DECIMALS
from unmask.report.sheets import MINUS
from unmask.terms import ANTISTEREOTYPE, SIDES, STEREOTYPE
from unmask.words import CHARACTER, UNSEGMENTED, is_unsegmented, words_of

MOST_WORDS = 15
"""Pairs with a longer sentence are no examples."""

DECIMALS, MOST_DECIMALS = 3, 4
"""Of numbers, as in the explorer: as many as the largest of a pair needs to have three digits."""

_WITH_SPACE = re.compile(rf" *(?:{CHARACTER}|[^ {UNSEGMENTED}]+|[^ ])| +$")
"""A word with the spaces before it, or the spaces at the end."""

NOTHING, PIECE = "\N{EMPTY SET}", "\N{MIDDLE DOT}"


@dataclass(frozen=True)
class ExampleRows:
    """The rows of the examples among the pairs of a model on a benchmark.

    short: how many pairs have at most MOST_WORDS words in both sentences, and differ in more than punctuation
    and spaces; for_it, against: how many of these are decided for and against the stereotype.
    largest, median, opposite: rows of the examples, None where there is none: the largest margin for the
    stereotype; the median one of those decided for it, where that is another pair, the smaller of two in the
    middle; and the largest margin against it.
    """

    short: int
    for_it: int
    against: int
    largest: int | None
    median: int | None
    opposite: int | None

    @property
    def count(self) -> int:
        """How many examples there are."""
        return 3 - [self.largest, self.median, self.opposite].count(None)


def example_rows(pairs: pd.DataFrame, scores: Mapping[str, Any]) -> ExampleRows:
    """The examples, by a rule that looks at lengths, at whether words differ, and at margins; of equal
    margins, the first pair's.

    pairs: those of the explorer. scores: of one measure, as unmask.pairs.explorer.score_columns has them.
    """
    short = [
        row
        for row, (one, other) in enumerate(_texts(pairs))
        if max(_words(one), _words(other)) <= MOST_WORDS and _letters(one) != _letters(other)
    ]
    margins = {row: margin for row in short if (margin := margin_of(scores, row)) is not None}
    outcome = scores["outcome"]
    order = sorted(
        (row for row in margins if outcome[row] == STEREOTYPE[0]), key=lambda row: (-margins[row], row)
    )
    against = [row for row in margins if outcome[row] == ANTISTEREOTYPE[0]]
    return ExampleRows(
        len(short),
        len(order),
        len(against),
        order[0] if order else None,
        order[len(order) // 2] if len(order) > 1 else None,
        min(against, key=lambda row: (margins[row], row), default=None),
    )


def margin_of(scores: Mapping[str, Any], row: int) -> float | None:
    """The score of the stereotype less that of the antistereotype, to SCORE_DECIMALS; None without either."""
    stereotype, antistereotype = (scores[side][row] for side in SIDES)
    if stereotype is None or antistereotype is None:
        return None
    return float(round(stereotype - antistereotype, SCORE_DECIMALS))


@dataclass
class Token:
    """A token of a sentence: its text, whether it goes on with the word before it, whether the other sentence
    lacks it, and what it adds to the score (None where the measure does not count it)."""

    text: str
    piece: bool
    modified: bool
    adds: float | None


@dataclass
class Place:
    """Tokens of both sentences at one place: a token that both share, or those between two such tokens."""

    sides: tuple[list[Token], list[Token]]
    total: float | None = field(init=False)
    """What the place adds to the margin; None where no token of it counts."""

    def __post_init__(self) -> None:
        signed = [
            sign * token.adds
            for sign, tokens in zip((1, -1), self.sides, strict=True)
            for token in tokens
            if token.adds is not None
        ]
        self.total = math.fsum(signed) if signed else None

    @property
    def text(self) -> str:
        """Its text, that of both sentences where they differ."""
        texts = [_written(tokens) or NOTHING for tokens in self.sides]
        return " / ".join(dict.fromkeys(texts))


def tokens_of(columns: Mapping[str, Any], row: int, measure: str) -> tuple[list[Token], list[Token]]:
    """The tokens of both sides of a pair. columns: as unmask.pairs.explorer.token_columns has them."""
    texts, words = [*columns["words"], *columns["pieces"]], len(columns["words"])
    start = sum(columns["lengths"][: len(SIDES) * row])
    sides = []
    for length in columns["lengths"][len(SIDES) * row : len(SIDES) * (row + 1)]:
        places = range(start, start + length)
        numbers = [(place, columns["token"][place]) for place in places]
        sides.append(
            [
                Token(
                    texts[number],
                    number >= words,
                    columns["modified"][place] == "1",
                    _adds(columns, place, measure),
                )
                for place, number in numbers
            ]
        )
        start += length
    return sides[0], sides[1]


def aligned(first: list[Token], second: list[Token]) -> Iterator[Place]:
    """Both sentences beside each other: tokens that they share one by one, what is between these together."""
    one = two = 0
    while one < len(first) or two < len(second):
        between = tuple(
            list(takewhile(lambda token: token.modified, tokens[start:]))
            for tokens, start in ((first, one), (second, two))
        )
        if any(between):
            yield Place((between[0], between[1]))
        one, two = one + len(between[0]), two + len(between[1])
        shared = first[one : one + 1], second[two : two + 1]
        if any(shared):
            yield Place(shared)
        one, two = one + 1, two + 1


def differing(first: str, second: str) -> tuple[tuple[str, str, str], tuple[str, str, str]]:
    """Two sentences, each in three parts: how both begin, what differs, and how both end, in words.

    The parts of a sentence together are the sentence; a space before what differs belongs to the beginning.
    Where a script has no spaces between words, each of its characters is a word.
    """
    one, other = _WITH_SPACE.findall(first), _WITH_SPACE.findall(second)
    words = [[part.strip(" ") for part in parts] for parts in (one, other)]
    shortest = min(len(one), len(other))
    start = sum(1 for _ in takewhile(lambda place: words[0][place] == words[1][place], range(shortest)))
    end = sum(
        1
        for _ in takewhile(
            lambda place: words[0][-1 - place] == words[1][-1 - place], range(shortest - start)
        )
    )
    return _parts(one, start, end), _parts(other, start, end)


def signed_number(value: float | None, decimals: int = DECIMALS) -> str:
    """A number with its sign, as the explorer shows what a place adds."""
    if value is None:
        return "\N{EN DASH}"
    text = f"{abs(value):.{decimals}f}"
    return f"{MINUS if value < 0 else '+'}{text}" if float(text) else "0"


def decimals_for(largest: float) -> int:
    """How many decimals the numbers of a pair have."""
    return min(max(DECIMALS, math.ceil(2 - math.log10(max(largest, 1e-9)))), MOST_DECIMALS)


def _texts(pairs: pd.DataFrame) -> Iterator[tuple[str, str]]:
    return zip(pairs[STEREOTYPE].astype(str), pairs[ANTISTEREOTYPE].astype(str), strict=True)


def _words(text: str) -> int:
    return len(words_of(text)) if is_unsegmented(text) else len(text.split())


def _letters(text: str) -> str:
    """A text without punctuation and spaces."""
    return "".join(sign for sign in text if unicodedata.category(sign)[0] not in "PZC")


def _written(tokens: Sequence[Token]) -> str:
    """Tokens as a text; a piece that is not behind its word has a dot before it."""
    text = ""
    for token in tokens:
        text += token.text if token.piece and text else f" {PIECE if token.piece else ''}{token.text}"
    return text.strip()


def _adds(columns: Mapping[str, Any], place: int, measure: str) -> float | None:
    parts = [
        -columns["surprisal"][masking][place]
        * 10.0**-LOG_PROB_DECIMALS
        * coefficient
        * 10.0**-COEFFICIENT_DECIMALS
        for masking, coefficients in columns["coefficient"][measure].items()
        if (coefficient := coefficients[place]) and columns["surprisal"][masking][place] is not None
    ]
    return math.fsum(parts) if parts else None


def _parts(words: Sequence[str], start: int, end: int) -> tuple[str, str, str]:
    stop = len(words) - end
    before, between, after = ("".join(part) for part in (words[:start], words[start:stop], words[stop:]))
    trimmed = between.lstrip(" ")
    return before + " " * (len(between) - len(trimmed)), trimmed, after

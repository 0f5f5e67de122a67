"""Scores that were made elsewhere: the file that has them, as a log of lm-evaluation-harness or as a table.

A table has two sentences and two scores a row (`columns: sentences, scores`), the name of a pair and two
scores (`columns: pair_id, scores`), or one sentence and its score (`columns: sentence, score`). In place of
two scores it may have their `difference`, the first less the second. Beside scores may stand `tokens`: over
how many tokens each is taken. Without `columns` the file is the `samples_*.jsonl` that
lm-evaluation-harness writes with --log_samples.
Rules read these files before anything runs, so that nothing here loads pandas.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from unmask.close_names import no_column
from unmask.errors import InputError
from unmask.user_files import quoted, text_of
from unmask.user_tables import Column, Row, Table, columns_of, identifier

SENTENCES, PAIR_ID, SENTENCE = "sentences", "pair_id", "sentence"
"""What rows are matched with pairs by: both sentences, the name of the pair, or one sentence a row."""

LOG_COLUMNS = ("arguments", "filtered_resps")
"""What is read of a log of lm-evaluation-harness: the requests of a row, and what each was answered."""

FLOAT_ERROR = 1e-3
"""Scores of the same sentences that differ by no more than this share of 1 + |score| are one score: networks
read in batches, whose padding moves the last digits, those of half precision the most."""

MOST_TOKENS = 10**9
"""Of a sentence; more is no number of tokens."""

Key = tuple[str, ...]
"""What a row is matched by: two sentences in order of the alphabet, one sentence, or the name of a pair."""


@dataclass(frozen=True)
class Scores:
    """The scores of a row: of two sentences in the order of its key, or one.

    place: of the row, in words. tokens: over how many tokens each score is taken; empty where it is not said.
    """

    values: tuple[float, ...]
    place: str
    tokens: tuple[int, ...] = ()


@dataclass(frozen=True)
class ScoreFile:
    """What a file says of sentences.

    by: SENTENCES, PAIR_ID or SENTENCE. scores: by key, each once. rows: of the file; repeated: those beyond
    the first of each key. decimals: the most that a score is printed with. of_differences: whether one number
    stands for both scores of a row. has_tokens: whether each score has its number of tokens.
    """

    path: Path
    by: str
    scores: Mapping[Key, Scores]
    rows: int
    repeated: int
    decimals: int
    of_differences: bool = False
    has_tokens: bool = False

    @property
    def resolution(self) -> float:
        """How far a score may be from the number that was printed; each has half of a difference's."""
        return (0.25 if self.of_differences else 0.5) * 10.0**-self.decimals


def one_line(text: str) -> str:
    """A sentence as it is compared: whatever white space is in it is one space."""
    return " ".join(text.split())


def printed(cell: Any) -> Decimal:
    """A score with the digits that it is printed with. Raises ValueError for what is no finite number."""
    text = cell if isinstance(cell, str) else repr(cell)
    is_number = isinstance(cell, int | float | str) and not isinstance(cell, bool)
    try:
        number = Decimal(text.strip()) if is_number and text.isascii() and "_" not in text else Decimal("nan")
    except InvalidOperation:
        number = Decimal("nan")
    # what double precision cannot hold is infinite there
    if not number.is_finite() or abs(float(number)) == float("inf"):
        raise ValueError(f"{quoted(cell)} is no number")
    return number


def token_count(cell: Any) -> int:
    """A number of tokens. Raises ValueError for what is no positive whole number."""
    try:
        number = printed(cell)
    except ValueError:
        number = Decimal(0)
    if not 1 <= number <= MOST_TOKENS or number != int(number):
        raise ValueError(f"{quoted(cell)} is no number of tokens (1, 2, …)")
    return int(number)


def read_score_file(path: str | Path, entry: Mapping[str, Any]) -> ScoreFile:
    """The scores of a file.

    entry: of the model in a study, of which `columns`, `type`, `delimiter` and `quotes` count.
    Raises InputError, one line naming the file and the row, for a column that is not there, a score that is
    no number, a number of tokens that is none, and two rows that say different things of the same sentences.
    """
    path, columns = Path(path), entry.get("columns")
    by = _matched_by(columns)
    rows = _of_log(path) if columns is None else _of_table(path, entry, by)
    repeats: dict[Key, list[Scores]] = {}
    count = decimals = 0
    for row, key, numbers, tokens in rows:
        count += 1
        exponents = [number.as_tuple().exponent for number in numbers]
        decimals = max(decimals, *(-each for each in exponents if isinstance(each, int)))
        read = Scores(tuple(map(float, numbers)), row.place, tuple(tokens))
        if by == SENTENCES and key[0] > key[1]:
            key, read = key[::-1], Scores(read.values[::-1], row.place, read.tokens[::-1])
        repeats.setdefault(key, []).append(read)
    scores = {key: _together(path, by, same) for key, same in repeats.items()}
    named = columns or {}
    return ScoreFile(
        path,
        by,
        scores,
        count,
        count - len(scores),
        decimals,
        of_differences="difference" in named,
        has_tokens="tokens" in named,
    )


def _together(path: Path, by: str, same: Sequence[Scores]) -> Scores:
    """The scores of rows that have one key: their mean.

    Raises InputError beyond FLOAT_ERROR, and for different numbers of tokens.
    """
    first = same[0]
    for each in same:
        if each.tokens != first.tokens:
            places = f"{first.place} and {each.place}"
            raise InputError(f"{path}: {places} have different numbers of tokens {_WHOSE[by]}")
    if len(same) == 1:
        return first
    for values in zip(*(each.values for each in same), strict=True):
        low, high = min(values), max(values)
        if high - low > FLOAT_ERROR * (1 + abs(low)):
            one, other = (same[values.index(value)].place for value in (low, high))
            raise InputError(f"{path}: {one} and {other} have different scores {_WHOSE[by]}")
    means = (math.fsum(values) / len(values) for values in zip(*(each.values for each in same), strict=True))
    return Scores(tuple(means), first.place, first.tokens)


_WHOSE = {
    SENTENCES: "of the same sentences",
    PAIR_ID: "of the same pair",
    SENTENCE: "of the same sentence",
}


def _matched_by(columns: Mapping[str, Any] | None) -> str:
    named = columns if columns is not None else {SENTENCES: LOG_COLUMNS}
    return next(each for each in (SENTENCES, PAIR_ID, SENTENCE) if each in named)


Read = tuple[Row, Key, Sequence[Decimal], Sequence[int]]
"""A row, its key, its scores, and the tokens of each."""


def _of_table(path: Path, entry: Mapping[str, Any], by: str) -> Iterator[Read]:
    columns = entry["columns"]
    names = columns_listed(columns[by])
    numbers = columns_listed(
        next(columns[each] for each in ("score", "scores", "difference") if each in columns)
    )
    counts = columns_listed(columns.get("tokens", []))
    of_second = [Decimal(0)] if "difference" in columns else []
    kind = identifier if by == PAIR_ID else text_of
    table = Table(
        [
            *(Column(f"key {place}", kind, header=name, required=True) for place, name in enumerate(names)),
            *(
                Column(f"score {place}", printed, header=name, required=True)
                for place, name in enumerate(numbers)
            ),
            *(
                Column(f"tokens {place}", token_count, header=name, required=True)
                for place, name in enumerate(counts)
            ),
        ]
    )
    for row in table.rows(path, entry):
        key = tuple(one_line(row[f"key {place}"]) for place in range(len(names)))
        scores = [*(row[f"score {place}"] for place in range(len(numbers))), *of_second]
        yield row, key, scores, [row[f"tokens {place}"] for place in range(len(counts))]


def columns_listed(names: str | Sequence[str]) -> list[str]:
    """The columns that a key names, one or several."""
    return [names] if isinstance(names, str) else list(names)


def _of_log(path: Path) -> Iterator[Read]:
    jsonl = {"type": "jsonl"}
    known = columns_of(path, jsonl)
    if known is not None and (missing := [name for name in LOG_COLUMNS if name not in known]):
        raise InputError(
            f"{path}: without the key columns it is read as a log of lm-evaluation-harness, and it has "
            f"{no_column(missing[0], known)}"
        )
    table = Table(
        [
            Column("arguments", _requests, required=True),
            Column("filtered_resps", _answers, required=True),
        ]
    )
    for row in table.rows(path, jsonl):
        yield row, row["arguments"], row["filtered_resps"], []


def _requests(cell: Any) -> Key:
    """Both sentences, of {"gen_args_0": {"arg_0": context, "arg_1": text}, …} or [[context, text], …]."""
    requests = list(cell.values()) if isinstance(cell, dict) else cell
    texts = [list(each.values()) if isinstance(each, dict) else each for each in _two(requests)]
    if not all(
        isinstance(each, list) and len(each) >= 2 and all(isinstance(text, str) for text in each[:2])
        for each in texts
    ):
        raise ValueError("its requests are not a context and a text each")
    return tuple(one_line(text_of("".join(each[:2]))) for each in texts)


def _answers(cell: Any) -> list[Decimal]:
    """The log-likelihoods of both answers: [[log-likelihood, is greedy], …]."""
    return [printed(each[0] if isinstance(each, list) and each else each) for each in _two(cell)]


def _two(each: Any) -> list[Any]:
    if not isinstance(each, list) or len(each) != 2:
        number = len(each) if isinstance(each, list) else "no"
        raise ValueError(f"{number} requests, where a pair of sentences has 2")
    return each

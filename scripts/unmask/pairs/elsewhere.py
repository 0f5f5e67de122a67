"""Scores that were made elsewhere: what a study says of them, and their file.

A table has two scores a row, with both sentences (`columns: sentences, scores`) or with the name of the pair
(`columns: pair_id, scores`). Without `columns` the file is the `samples_*.jsonl` that lm-evaluation-harness
writes with --log_samples, or one JSON list of its rows. Rules read these files before anything runs, so no
library of tables is loaded here.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unmask.errors import InputError, known_names
from unmask.measures.formulas import is_free
from unmask.user_files import read_document, read_text, text_of
from unmask.user_tables import Column, Row, Table, identifier

SENTENCES, PAIR_ID = "sentences", "pair_id"
"""What rows are matched with pairs by: both sentences, or the name of the pair."""

FLOAT_ERROR = 1e-3
"""Scores of the same sentences that differ by no more than this share of 1 + |score| are one score: networks
read in batches, whose padding moves the last digits, those of half precision the most."""

Key = tuple[str, ...]
"""What a row is matched by: two sentences in order of the alphabet, or the name of a pair."""


MEANS = ("AUL", "AllMasked", "LLMean", "StartAlone")
"""The measures that are the mean over all tokens of a sentence. As the number of tokens cancels, scores under
these names have a band of word choice."""


def check_score_files(models: Mapping[str, Mapping[str, Any]], house: Sequence[str]) -> None:
    """Check the files of all models whose scores were made elsewhere, and what these are scores of.

    models: entries by name; house: the names of Unmask's measures. Raises InputError, one line naming the
    model's key or the file and its row.
    """
    for model, entry in models.items():
        name, key = entry["measure"], f"config key models.{model}.measure"
        # a free name is like none of a measure
        if name not in house and (not is_free(name) or name.casefold() in map(str.casefold, house)):
            known = known_names(name, house)
            raise InputError(f"{key}: {name!r} is no measure ({known}); any other begins with a small letter")
        if "columns" not in entry and name in MEANS:
            log = "a log of lm-evaluation-harness, whose scores are sums"
            raise InputError(f"{key}: without columns the file is {log}, not means")
        read_score_file(entry["path"], entry)


@dataclass(frozen=True)
class Scores:
    """The scores of a row, in the order of its key. place: of the row, in words."""

    values: tuple[float, ...]
    place: str


@dataclass(frozen=True)
class ScoreFile:
    """What a file of so many rows says. by: SENTENCES or PAIR_ID. scores: by key, each once."""

    path: Path
    by: str
    scores: Mapping[Key, Scores]
    rows: int


def read_score_file(path: str | Path, entry: Mapping[str, Any]) -> ScoreFile:
    """The scores of a file.

    entry: of the model in a study, of which `columns`, `type`, `delimiter` and `quotes` count.
    Raises InputError, one line naming the file and the row, for a column that is not there, a score that is
    no number, and two rows with different scores of the same sentences.
    """
    path, columns = Path(path), entry.get("columns", {})
    by = PAIR_ID if PAIR_ID in columns else SENTENCES
    repeats: dict[Key, list[Scores]] = {}
    count = 0
    for key, read in _of_table(path, entry, by) if columns else _of_log(path):
        count += 1
        if key != tuple(sorted(key)):
            key, read = key[::-1], Scores(read.values[::-1], read.place)
        repeats.setdefault(key, []).append(read)
    whose = "of the same pair" if by == PAIR_ID else "of the same sentences"
    scores = {key: _together(path, whose, same) for key, same in repeats.items()}
    return ScoreFile(path, by, scores, count)


def _together(path: Path, whose: str, same: Sequence[Scores]) -> Scores:
    """The scores of rows that have one key: their mean. Raises InputError beyond FLOAT_ERROR."""
    means = []
    for values in zip(*(each.values for each in same), strict=True):
        low, high = min(values), max(values)
        if high - low > FLOAT_ERROR * (1 + abs(low)):
            one, other = (same[values.index(value)].place for value in (low, high))
            raise InputError(f"{path}: {one} and {other} have different scores {whose}")
        means.append(low if low == high else math.fsum(values) / len(values))
    return Scores(tuple(means), same[0].place)


def _of_table(path: Path, entry: Mapping[str, Any], by: str) -> Iterator[tuple[Key, Scores]]:
    """The key and the scores of each row of a table."""
    columns = entry["columns"]
    keys = [columns[PAIR_ID]] if by == PAIR_ID else columns[SENTENCES]
    kind = identifier if by == PAIR_ID else str
    table = Table(
        [
            *(Column(f"key {name}", kind, required=True, header=name) for name in keys),
            *(Column(name, float, required=True) for name in columns["scores"]),
        ]
    )
    for row in table.rows(path, entry):
        scores = tuple(row[name] for name in columns["scores"])
        yield tuple(one_line(row[f"key {name}"]) for name in keys), Scores(scores, row.place)


def _of_log(path: Path) -> Iterator[tuple[Key, Scores]]:
    """The same of each row of a log of lm-evaluation-harness."""
    kinds = {"arguments": _requests, "filtered_resps": _answers}
    table = Table(Column(name, kind, required=True) for name, kind in kinds.items())
    try:
        for row in _rows_of_log(path, table):
            yield row["arguments"], Scores(row["filtered_resps"], row.place)
    except InputError as error:
        why = "without the key columns it is read as a log of lm-evaluation-harness"
        raise InputError(f"{error}; {why}") from None


def _rows_of_log(path: Path, table: Table) -> Iterator[Row]:
    if not read_text(path).lstrip().startswith("["):
        yield from table.rows(path, {"type": "jsonl"})
        return
    for number, item in enumerate(read_document(path).parts()):
        cells = {name: each.value for name, each in item.mapping().items()}
        yield table.check(path, f"row {number}", cells)


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


def _answers(cell: Any) -> tuple[float, ...]:
    """The log-likelihoods of both answers: [[log-likelihood, is greedy], …]."""
    number = Column("log-likelihood", float, required=True)
    return tuple(number.read(each[0] if isinstance(each, list) and each else each) for each in _two(cell))


def _two(each: Any) -> list[Any]:
    if not isinstance(each, list) or len(each) != 2:
        number = len(each) if isinstance(each, list) else "no"
        raise ValueError(f"{number} requests, where a pair of sentences has 2")
    return each


def one_line(text: str) -> str:
    """A sentence as it is compared: whatever white space is in it is one space."""
    return " ".join(text.split())

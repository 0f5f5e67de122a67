"""Scores that were made elsewhere: what a study says of them, their file, and the pairs that they are of.

A table has two scores a row, with both sentences (`columns: sentences, scores`) or with the name of the pair
(`columns: pair_id, scores`). Beside them may stand `tokens`: over how many tokens each score is taken.
Without `columns` the file is the `samples_*.jsonl` that lm-evaluation-harness writes with --log_samples.
Rules read these files before anything runs, so that pandas is loaded for matching alone.
"""

import itertools
import logging
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unmask.close_names import known_names
from unmask.errors import InputError
from unmask.measures.formulas import is_free, measure
from unmask.terms import ANTISTEREOTYPE, CORRECTED, MEAN, PROTOCOLS, STEREOTYPE, SUM
from unmask.user_files import quoted, text_of
from unmask.user_tables import Column, Row, Table, identifier

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd

logger = logging.getLogger(__name__)

SENTENCES, PAIR_ID = "sentences", "pair_id"
"""What rows are matched with pairs by: both sentences, or the name of the pair."""

LOG_COLUMNS = ("arguments", "filtered_resps")
"""What is read of a log of lm-evaluation-harness: the requests of a row, and what each was answered."""

FLOAT_ERROR = 1e-3
"""Scores of the same sentences that differ by no more than this share of 1 + |score| are one score: networks
read in batches, whose padding moves the last digits, those of half precision the most."""

MOST_TOKENS = 10**9
"""Of a sentence; more is no number of tokens."""

NAMED = 20
"""So many pairs without a score, and rows without a pair, are named; all are counted."""

Key = tuple[str, ...]
"""What a row is matched by: two sentences in order of the alphabet, or the name of a pair."""


# what a study says


def check_score_files(models: Mapping[str, Mapping[str, Any]], house: Sequence[str]) -> None:
    """Check the files of all models whose scores were made elsewhere, and what these are scores of.

    models: entries by name; house: the names of Unmask's measures. Raises InputError, one line naming the
    model's key or the file and its row.
    """
    for name, entry in models.items():
        for key, fault in _faults(entry, house):
            raise InputError(f"config key models.{name}.{key}: {fault}")
        read_score_file(entry["path"], entry)


def reduction_of(entry: Mapping[str, Any]) -> str:
    """How the scores of an entry are made of tokens, if they are: SUM or MEAN."""
    reduction: str = _reduction_of_all(entry["measure"]) or entry.get("reduction", SUM)
    return reduction


def has_band(entry: Mapping[str, Any]) -> bool:
    """Whether an entry that `check_score_files` passes says enough for a band of word choice.

    Sums need their numbers of tokens; of means these cancel.
    """
    return "tokens" in entry.get("columns", {}) or reduction_of(entry) == MEAN


def _reduction_of_all(name: str) -> str | None:
    """That of a measure of all tokens of a sentence with equal weights; None of others."""
    return measure(name).reduction if measure(name).of_all_tokens else None


def _faults(entry: Mapping[str, Any], house: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each key of an entry with what is wrong with it; after the first nothing is to be asked for."""
    name, columns = entry["measure"], entry.get("columns", {})
    # a free name is like none of a measure
    if name not in house and (not is_free(name) or name.casefold() in map(str.casefold, house)):
        known = known_names(name, house)
        yield "measure", f"{name!r} is no measure ({known}); any other name begins with a small letter"
    if "columns" not in entry and reduction_of(entry) == MEAN:
        why = "without columns the file is a log of lm-evaluation-harness, whose scores are sums, not means"
        yield "reduction" if "reduction" in entry else "measure", why
    of_all = None if is_free(name) else _reduction_of_all(name)
    for key, stated in (("columns.tokens", "tokens" in columns), ("reduction", "reduction" in entry)):
        if stated and of_all is None and not is_free(name):
            yield key, f"{name} is neither the plain sum nor the mean over all tokens of a sentence"
    if "reduction" in entry:
        if of_all not in (None, entry["reduction"]):
            yield "reduction", f"{name} is a {of_all}"
        if entry["reduction"] == SUM and "tokens" not in columns:
            yield "reduction", "a sum takes numbers of tokens, too: name their columns in columns.tokens"


# the file


@dataclass(frozen=True)
class Scores:
    """The scores of a row, in the order of its key.

    place: of the row, in words. tokens: over how many tokens each score is taken; empty where it is not said.
    """

    values: tuple[float, ...]
    place: str
    tokens: tuple[int, ...] = ()


@dataclass(frozen=True)
class ScoreFile:
    """What a file says of sentences.

    by: SENTENCES or PAIR_ID. scores: by key, each once. rows: of the file; repeated: those beyond the first
    of each key. decimals: the most that a score is printed with. has_tokens: whether each score has its
    number of tokens.
    """

    path: Path
    by: str
    scores: Mapping[Key, Scores]
    rows: int
    repeated: int
    decimals: int
    has_tokens: bool = False

    @property
    def resolution(self) -> float:
        """How far a score may be from the number that was printed."""
        return 0.5 * 10.0**-self.decimals


def read_score_file(path: str | Path, entry: Mapping[str, Any]) -> ScoreFile:
    """The scores of a file.

    entry: of the model in a study, of which `columns`, `type`, `delimiter` and `quotes` count.
    Raises InputError, one line naming the file and the row, for a column that is not there, a score that is
    no number, a number of tokens that is none, and two rows that say different things of the same sentences.
    """
    path, columns = Path(path), entry.get("columns")
    by = PAIR_ID if columns and PAIR_ID in columns else SENTENCES
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
    whose = "of the same pair" if by == PAIR_ID else "of the same sentences"
    scores = {key: _together(path, whose, same) for key, same in repeats.items()}
    return ScoreFile(path, by, scores, count, count - len(scores), decimals, "tokens" in (columns or {}))


def _together(path: Path, whose: str, same: Sequence[Scores]) -> Scores:
    """The scores of rows that have one key: their mean.

    Raises InputError beyond FLOAT_ERROR, and for different numbers of tokens.
    """
    first = same[0]
    for each in same:
        if each.tokens != first.tokens:
            places = f"{first.place} and {each.place}"
            raise InputError(f"{path}: {places} have different numbers of tokens {whose}")
    means = []
    for values in zip(*(each.values for each in same), strict=True):
        low, high = min(values), max(values)
        if high - low > FLOAT_ERROR * (1 + abs(low)):
            one, other = (same[values.index(value)].place for value in (low, high))
            raise InputError(f"{path}: {one} and {other} have different scores {whose}")
        means.append(low if low == high else math.fsum(values) / len(values))
    return Scores(tuple(means), first.place, first.tokens)


_Read = tuple[Row, Key, Sequence[Decimal], Sequence[int]]
"""A row, its key, its scores, and the tokens of each."""


def _of_table(path: Path, entry: Mapping[str, Any], by: str) -> Iterator[_Read]:
    columns = entry["columns"]
    kinds = {by: identifier if by == PAIR_ID else text_of, "scores": _printed, "tokens": _token_count}
    names = {key: columns.get(key, []) for key in kinds}
    names = {key: [each] if isinstance(each, str) else list(each) for key, each in names.items()}
    table = Table(
        Column(f"{key} {place}", kind, header=header, required=True)
        for key, kind in kinds.items()
        for place, header in enumerate(names[key])
    )
    for row in table.rows(path, entry):
        cells = {key: [row[f"{key} {place}"] for place in range(len(each))] for key, each in names.items()}
        yield row, tuple(map(_one_line, cells[by])), cells["scores"], cells["tokens"]


def _of_log(path: Path) -> Iterator[_Read]:
    kinds = zip(LOG_COLUMNS, (_requests, _answers), strict=True)
    rows = Table(Column(name, kind, required=True) for name, kind in kinds).rows(path, {"type": "jsonl"})
    try:
        first = next(rows)
    except InputError as error:
        why = "without the key columns it is read as a log of lm-evaluation-harness"
        raise InputError(f"{error}; {why}") from None
    for row in itertools.chain([first], rows):
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
    return tuple(_one_line(text_of("".join(each[:2]))) for each in texts)


def _answers(cell: Any) -> list[Decimal]:
    """The log-likelihoods of both answers: [[log-likelihood, is greedy], …]."""
    return [_printed(each[0] if isinstance(each, list) and each else each) for each in _two(cell)]


def _two(each: Any) -> list[Any]:
    if not isinstance(each, list) or len(each) != 2:
        number = len(each) if isinstance(each, list) else "no"
        raise ValueError(f"{number} requests, where a pair of sentences has 2")
    return each


def _one_line(text: str) -> str:
    """A sentence as it is compared: whatever white space is in it is one space."""
    return " ".join(text.split())


def _printed(cell: Any) -> Decimal:
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


def _token_count(cell: Any) -> int:
    """A number of tokens. Raises ValueError for what is no positive whole number."""
    try:
        number = _printed(cell)
    except ValueError:
        number = Decimal(0)
    if not 1 <= number <= MOST_TOKENS or number != int(number):
        raise ValueError(f"{quoted(cell)} is no number of tokens (1, 2, …)")
    return int(number)


# the pairs


@dataclass(frozen=True)
class Matched:
    """The scores of both sides of all pairs, and what does not match.

    sides: shape (2, pairs), stereotype and antistereotype, nan where the file has no score of a pair.
    without_score: the pairs that it has none of. without_pair: the places of rows that match no pair.
    tokens: over how many tokens each score is taken, of the same shape; None where the file does not say.
    """

    sides: "npt.NDArray[np.float64]"
    without_score: list[str]
    without_pair: list[str]
    tokens: "npt.NDArray[np.float64] | None" = None

    def facts(self, file: ScoreFile) -> dict[str, Any]:
        """The same as metadata: what was matched by what, and how much was not."""
        return {
            "by": file.by,
            "rows": file.rows,
            "repeated": file.repeated,
            "decimals": file.decimals,
            "pairs": int(self.sides.shape[1]),
            "pairs_without_score": len(self.without_score),
            "rows_without_pair": len(self.without_pair),
            "named_pairs": self.without_score[:NAMED],
            "named_rows": self.without_pair[:NAMED],
        }


def match(pairs: "pd.DataFrame", file: ScoreFile, benchmark: str) -> Matched:
    """The scores of the pairs (PAIRS) of a benchmark.

    Neither the order of rows counts nor that of the sentences in them.
    Raises InputError where no pair has a score.
    """
    import numpy as np

    used: set[Key] = set()
    sides, tokens = np.full((2, len(pairs)), np.nan), np.full((2, len(pairs)), np.nan)
    without: list[str] = []
    columns = ["pair_id", STEREOTYPE, ANTISTEREOTYPE]
    for place, (pair_id, *texts) in enumerate(pairs[columns].itertuples(index=False, name=None)):
        first, second = map(_one_line, texts)
        key: Key = (_one_line(pair_id),) if file.by == PAIR_ID else (min(first, second), max(first, second))
        if key in file.scores:
            used.add(key)
            order = -1 if file.by == SENTENCES and first > second else 1
            sides[:, place] = file.scores[key].values[::order]
            if file.has_tokens:
                tokens[:, place] = file.scores[key].tokens[::order]
        else:
            without.append(str(pair_id))
    rows = [scores.place for key, scores in file.scores.items() if key not in used]
    if len(without) == len(pairs):
        raise InputError(
            f"{file.path}: none of its {file.rows} rows is of a pair of {benchmark}, by {file.by}; "
            "--benchmark, or the key benchmarks of the model, names those that it has scores of"
        )
    of = f"pairs of {benchmark}"
    logger.info("%s: %d of %d %s have a score", file.path, len(pairs) - len(without), len(pairs), of)
    if file.repeated:
        logger.info("%s: %d rows repeat others, with the same scores", file.path, file.repeated)
    if without:
        names = ", ".join(without[:NAMED])
        logger.warning("%s: %s without a score: %d (%s)", file.path, of, len(without), names)
    if rows:
        places = "; ".join(rows[:NAMED])
        logger.warning("%s: rows of no pair of %s: %d (%s)", file.path, benchmark, len(rows), places)
    return Matched(sides, without, rows, tokens if file.has_tokens else None)


def scores_table(pairs: "pd.DataFrame", matched: Matched, name: str, resolution: float) -> "pd.DataFrame":
    """The rows of SCORES of a file's scores, under the name of a measure.

    resolution: how far each score may be from the number that was printed; a near-tie is a pair that so much
    could turn. Sentences that are the same have no such error. The protocol `published` counts a pair
    without a score as one that does not prefer the stereotype, so where some have none there is `corrected`
    alone.
    """
    import numpy as np
    import pandas as pd

    from unmask.measures.scoring import decided

    same = (pairs[STEREOTYPE] == pairs[ANTISTEREOTYPE]).to_numpy(bool)
    error = np.where(same, 0.0, np.full_like(matched.sides, resolution))
    protocols = [CORRECTED] if matched.without_score else list(PROTOCOLS)
    nothing = np.zeros(len(pairs), bool)
    ids = list(pairs["pair_id"])
    parts = [decided(ids, measure(name), protocol, matched.sides, error, nothing) for protocol in protocols]
    return pd.concat(parts, ignore_index=True)

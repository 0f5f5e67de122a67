"""What a study says of scores that were made elsewhere: which measure they are, and what of tokens."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from unmask.close_names import known_names
from unmask.errors import InputError
from unmask.measures.formulas import is_free, measure
from unmask.pairs.score_file import SENTENCE, columns_listed, read_score_file
from unmask.terms import MEAN, SUM


def check_score_files(models: Mapping[str, Mapping[str, Any]], house: Sequence[str]) -> None:
    """Check the files of all models whose scores were made elsewhere, and what these are scores of.

    models: entries by name; house: the names of Unmask's measures. Raises InputError, one line naming the
    model's key or the file and its row.
    """
    for name, entry in models.items():
        for key, fault in _faults(entry, house):
            if fault:
                raise InputError(f"config key models.{name}.{key}: {fault}")
        read_score_file(entry["path"], entry)


def _faults(entry: Mapping[str, Any], house: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    """What is wrong with each key, if anything is; what follows a fault is not to be asked for."""
    yield "measure", _fault_of_measure(entry["measure"], house)
    yield "reduction" if "reduction" in entry else "measure", _fault_of_log(entry)
    yield "columns.tokens", _fault_of_tokens(entry)
    yield "reduction", _fault_of_reduction(entry)


def _fault_of_measure(name: str, house: Sequence[str]) -> str | None:
    """None for one of Unmask's measures, and for a free name that no measure is like."""
    if name in house:
        return None
    if name[:1].islower() and name.casefold() not in map(str.casefold, house):
        return None
    return f"{name!r} is no measure ({known_names(name, house)}); any other name begins with a small letter"


def reduction_of(entry: Mapping[str, Any]) -> str:
    """How the scores of an entry are made of tokens, if they are: SUM or MEAN."""
    reduction: str = _reduction_of_all(entry["measure"]) or entry.get("reduction", SUM)
    return reduction


def _reduction_of_all(name: str) -> str | None:
    """That of a measure of all tokens of a sentence with equal weights; None of others."""
    return measure(name).reduction if measure(name).of_all_tokens else None


def has_band(entry: Mapping[str, Any]) -> bool:
    """Whether an entry that `check_score_files` passes says enough for a band of word choice.

    Sums need their numbers of tokens; of means these cancel.
    """
    columns = entry.get("columns", {})
    return "tokens" in columns or (reduction_of(entry) == MEAN and "difference" not in columns)


def _fault_of_log(entry: Mapping[str, Any]) -> str | None:
    """None but for means that are read of a log of lm-evaluation-harness, whose log-likelihoods are sums."""
    if "columns" not in entry and reduction_of(entry) == MEAN:
        return "without columns the file is a log of lm-evaluation-harness, whose scores are sums, not means"
    return None


def _fault_of_tokens(entry: Mapping[str, Any]) -> str | None:
    """None for an entry without numbers of tokens, and for one whose scores are of so many tokens each."""
    columns = entry.get("columns", {})
    if "tokens" not in columns:
        return None
    if "difference" in columns:
        return "differences have no numbers of tokens; name the scores of both sentences (scores)"
    scores = 1 if SENTENCE in columns else 2
    if len(columns_listed(columns["tokens"])) != scores:
        return f"a row has {scores} score{'s' * (scores > 1)}, so name {scores} column{'s' * (scores > 1)}"
    return _fault_of_part(entry["measure"])


def _fault_of_part(name: str) -> str | None:
    """None for what is a measure of all tokens, as far as is known."""
    if is_free(name) or _reduction_of_all(name) is not None:
        return None
    return f"{name} is neither the plain sum nor the mean over all tokens of a sentence"


def _fault_of_reduction(entry: Mapping[str, Any]) -> str | None:
    """None where it is not stated, or fits the scores, their measure and the numbers of tokens."""
    if "reduction" not in entry:
        return None
    name, columns = entry["measure"], entry.get("columns", {})
    if fault := _fault_of_part(name):
        return fault
    if "difference" in columns:
        return "it is of scores of sentences, and a file of differences has none"
    of_measure = _reduction_of_all(name)
    if of_measure is not None and entry["reduction"] != of_measure:
        return f"{name} is a {of_measure}"
    if entry["reduction"] == SUM and "tokens" not in columns:
        return "a sum takes numbers of tokens, too: name their columns in columns.tokens"
    return None

"""CrowS-Pairs (Nangia et al. 2020): one csv row per pair."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from unmask.benchmarks.delimited import read_delimited
from unmask.errors import InputError

_COLUMNS = {
    "": "pair_id",
    "sent_more": "stereotype",
    "sent_less": "antistereotype",
    "stereo_antistereo": "direction",
    "bias_type": "bias_type",
}
_ANNOTATIONS, _WRITER = "annotations", "anon_writer"


def read(path: Path, entry: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place and the Pairs columns of every row.

    `sent_more` is the stereotypical sentence in every row, whatever the direction: `stereo_antistereo`
    says only whose stereotype it is. The ratings are the validators', in the order of `annotations`. The
    writer of a pair is named apart (`anon_writer`), but is one of its validators (`anon_annotators`) too in
    61 of the 1508 rows of the authors' file; that vote counts like the others.
    """
    for place, fields in read_delimited(path):
        missing = [name for name in (*_COLUMNS, _ANNOTATIONS) if name not in fields]
        if missing:
            # the column of ids has no name
            names = ", ".join(repr(name) for name in missing)
            raise InputError(f"{path}: no column {names}: not a CrowS-Pairs file")
        row: dict[str, Any] = {column: fields[source] for source, column in _COLUMNS.items()}
        try:
            row["ratings"] = _ratings(fields[_ANNOTATIONS])
        except ValueError as error:
            raise InputError(f"{path}: {place}: {error}") from None
        row["writer"] = fields.get(_WRITER) or None
        yield place, row


def _ratings(annotations: str) -> list[str | None]:
    """`[['gender'], [], …]`, a list for each validator, as what each chose: None for an empty list."""
    try:
        lists = ast.literal_eval(annotations)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise ValueError(f"annotations are not a list of lists: {annotations[:60]!r}") from None
    if not (isinstance(lists, list) and all(isinstance(choices, list) for choices in lists)):
        raise ValueError(f"annotations are not a list of lists: {annotations[:60]!r}")
    for validator, choices in enumerate(lists):
        if len(choices) > 1:
            raise ValueError(
                f"validator {validator} has {len(choices)} choices in annotations, not one at most"
            )
        if not all(isinstance(choice, str) and choice for choice in choices):
            raise ValueError(f"validator {validator} has a choice in annotations that is not a bias type")
    return [choices[0] if choices else None for choices in lists]

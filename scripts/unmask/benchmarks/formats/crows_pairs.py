"""CrowS-Pairs (Nangia et al. 2020): one csv row per pair."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from unmask.terms import DIRECTIONS
from unmask.user_tables import Column, Row, Table, unnamed_column


def ratings_of(annotations: str) -> list[str | None]:
    """`[['gender'], [], …]`, a list for each validator, as what each chose: None for an empty list.

    Raises ValueError where it is something else.
    """
    try:
        lists = ast.literal_eval(annotations)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        lists = None
    if not (isinstance(lists, list) and all(isinstance(choices, list) for choices in lists)):
        raise ValueError(f"not a list of lists: {annotations[:60]!r}")
    for validator, choices in enumerate(lists):
        if len(choices) > 1:
            raise ValueError(f"validator {validator} has {len(choices)} choices, not one at most")
        if not all(isinstance(choice, str) and choice for choice in choices):
            raise ValueError(f"validator {validator} has a choice that is not a bias type")
    return [choices[0] if choices else None for choices in lists]


COLUMNS = (
    # the column of ids has no name
    Column("pair_id", header="", required=True),
    Column("stereotype", header="sent_more", required=True),
    Column("antistereotype", header="sent_less", required=True),
    Column("direction", header="stereo_antistereo", required=True, choices=DIRECTIONS),
    Column("bias_type", required=True),
    Column("ratings", ratings_of, header="annotations", required=True),
    Column("writer", header="anon_writer", optional=True),
)


def read(path: Path, entry: Mapping[str, Any]) -> Iterator[tuple[str, Row]]:
    """Yield the place and the Pairs columns of every row.

    `sent_more` is the stereotypical sentence in every row, whatever the direction: `stereo_antistereo`
    says only whose stereotype it is. The ratings are the validators', in the order of `annotations`. The
    writer of a pair is named apart (`anon_writer`), but is one of its validators (`anon_annotators`) too in
    61 of the 1508 rows of the authors' file; that vote counts like the others. In a file that pandas has
    written again, the column of ids may have the name that it gives to one without.
    """
    ids, *others = COLUMNS
    for row in Table([replace(ids, header=unnamed_column(path)), *others]).rows(path):
        yield row.place, row

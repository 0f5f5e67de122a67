"""Evidence that stays valid although its inputs or its code have changed, since no row of it would change.

Evidence states the code that made it. A change of this code makes it anew, unless it is known that no row
would be another: then the table states the new code, and the one that made its rows (`rows_by`).
"""

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from unmask.evidence.alignment import POPULAR_FROM
from unmask.evidence.cache import cached, digest_file, is_intact
from unmask.evidence.sharding import is_table_done, rewrite_facts
from unmask.evidence.survey import Survey
from unmask.tables import read_metadata
from unmask.terms import ALL, MODIFIED, NONE, ONE_MODIFIED, ONE_SHARED

ALIKE: Mapping[str, frozenset[str]] = {
    ALL: frozenset({"827b3ac0fee803b1", "bdfa34a7b87c7e0a", "c60c802a1fe4f47c", "f29572d4c1fa68bd"}),
    MODIFIED: frozenset({"6e177f802ef4a1ae", "52eb188647c1296b", "c8c8767f6fd4326f", "a1ce2d6127f4114f"}),
    NONE: frozenset({"d3038b2ff7bb175a", "15500c3a620fe1a7", "6409c449d1549f6f", "be7002f0b2d9b3fe"}),
    ONE_MODIFIED: frozenset({"aeb4fc3b2a917344", "c8e6e0ebdaf6939d", "375a37cfc280a4f6", "ed7a4dc12bf10b83"}),
    ONE_SHARED: frozenset({"f45baa2253792b0c", "0a77976c40bf0d01", "281f1d67217ebb8e", "2f1f3d733b8c37b6"}),
}
"""By masking: digests of code that makes the rows of today's code, whatever the sentences.

They are from before plumbing was left out of digests, from before names were those of the field, from before
code of a model's own could be run, and from before causal language models were read. A change that moves a
row empties this list.
"""

EARLIER: Mapping[str, frozenset[str]] = {
    ALL: frozenset({"0389a6c47428e65f"}),
    MODIFIED: frozenset({"9b0a7126ea2a21bf"}),
    NONE: frozenset({"f6e2e01f7944aaac"}),
    ONE_MODIFIED: frozenset({"1c01046758031ae5"}),
    ONE_SHARED: frozenset({"632364a161de66d4"}),
}
"""By masking: digests of the code before long pairs were aligned rightly and special tokens were text.

That code makes the rows of today's code where no sentence has POPULAR_FROM tokens or spells out a special
token. A change that moves any other row empties this list.
"""

ADDED = ("unknown_tokens",)
"""Facts that tables by that code do not have."""

ROWS_BY = "rows_by"
"""The fact that names the code that made the rows, where `code` names another."""

UPDATED = ("made_from", "code", *ADDED)
"""Facts of a table that may be updated: others say what its rows and its model are."""


class Table(NamedTuple):
    """A table that a job has to write, with the facts that it has to state."""

    path: Path
    schema: pa.Schema
    facts: Mapping[str, Any]


def valid_codes(masking: str, of: Survey) -> Collection[str]:
    """The digests of earlier code by which evidence of such a benchmark is as today's code makes it."""
    digests = ALIKE.get(masking, frozenset())
    if of.longest < POPULAR_FROM and not of.literal:
        digests |= EARLIER.get(masking, frozenset())
    return digests


def are_valid(tables: Iterable[Table], earlier: Collection[str]) -> bool:
    """Whether all these tables are in the cache, whole and with their facts; NOTED facts are then updated.

    They may have been made from other files of the same sentences and model, and by one of the `earlier`
    codes.
    """
    updated: list[tuple[Table, dict[str, Any]]] = []
    for table in tables:
        facts = _updated(table, earlier) if is_intact(table.path) else None
        if facts is None:
            return False
        updated.append((table, facts))
    for table, facts in updated:
        if facts != read_metadata(cached(table.path)):
            # its digest is written when it is given out
            digest_file(table.path).unlink(missing_ok=True)
            rewrite_facts(cached(table.path), table.schema, facts)
    return True


def _updated(table: Table, earlier: Collection[str]) -> dict[str, Any] | None:
    """The facts that a table in the cache has to state; None where it has to be made anew."""
    path = cached(table.path)
    try:
        stated = read_metadata(path)
    except (OSError, ValueError, pa.ArrowException):
        return None
    rows_by = stated.get(ROWS_BY, stated.get("code"))
    # rows of one earlier code stand whatever code has noted them since
    free = ["made_from", ROWS_BY, *(["code", *ADDED] if rows_by in earlier else [])]
    expected = {key: value for key, value in table.facts.items() if key not in free}
    if not is_table_done(path, {**expected, **{key: stated[key] for key in free if key in stated}}):
        return None
    updated = stated | {key: table.facts[key] for key in UPDATED if key in table.facts}
    return updated if rows_by == updated["code"] else updated | {ROWS_BY: rows_by}

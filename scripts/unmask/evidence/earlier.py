"""Evidence that need not be made anew: what it was made of, or by, has changed, and no row of it would.

Evidence says which code has made it. A change of this code makes it anew, but where it is known that
no row would be another: then the table says the new code, and by which its rows are (`rows_by`).
"""

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from unmask.evidence.alignment import POPULAR_FROM
from unmask.evidence.keeping import digest_of, is_intact, kept
from unmask.evidence.sharding import is_table_done
from unmask.evidence.survey import Survey
from unmask.tables import opened_table, read_metadata, write_batches
from unmask.terms import ALL, MODIFIED, NONE, ONE_MODIFIED, ONE_SHARED

ALIKE: Mapping[str, frozenset[str]] = {
    ALL: frozenset({"bdfa34a7b87c7e0a"}),
    MODIFIED: frozenset({"52eb188647c1296b"}),
    NONE: frozenset({"15500c3a620fe1a7"}),
    ONE_MODIFIED: frozenset({"c8e6e0ebdaf6939d"}),
    ONE_SHARED: frozenset({"0a77976c40bf0d01"}),
}
"""By masking: digests of code that makes the rows of today's code, whatever the sentences.

That of before plumbing stood outside of digests. A change that moves a row empties this list.
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
"""The fact of the code that has made the rows, where that is not the one that `code` says."""

NOTED = ("made_from", "code", *ADDED)
"""Facts that a table may be given anew: others have what its rows and its model are."""


class Table(NamedTuple):
    """A table that a job is to give, with what it has to say of itself."""

    path: Path
    schema: pa.Schema
    facts: Mapping[str, Any]


def standing(masking: str, of: Survey) -> Collection[str]:
    """The digests of earlier code by which evidence of such a benchmark is as today's code makes it."""
    found = ALIKE.get(masking, frozenset())
    if of.longest < POPULAR_FROM and not of.literal:
        found |= EARLIER.get(masking, frozenset())
    return found


def stand(tables: Iterable[Table], earlier: Collection[str]) -> bool:
    """Whether all these tables are kept whole, and of their facts; they then say what is new of NOTED.

    What they were made from may be other files of the same sentences and model, and the code one of
    `earlier`.
    """
    noted: list[tuple[Table, dict[str, Any]]] = []
    for table in tables:
        facts = _noted(table, earlier) if is_intact(table.path) else None
        if facts is None:
            return False
        noted.append((table, facts))
    for table, facts in noted:
        if facts != read_metadata(kept(table.path)):
            # until it is given out it is as its job wrote it
            digest_of(table.path).unlink(missing_ok=True)
            with opened_table(kept(table.path), table.schema) as file:
                groups = (file.read_row_group(number) for number in range(file.num_row_groups))
                write_batches(kept(table.path), groups, table.schema, facts)
    return True


def _noted(table: Table, earlier: Collection[str]) -> dict[str, Any] | None:
    """What a kept table is to say of itself; None where it has to be made anew."""
    path = kept(table.path)
    try:
        found = read_metadata(path)
    except (OSError, ValueError, pa.ArrowException):
        return None
    rows_by = found.get(ROWS_BY, found.get("code"))
    # rows of one earlier code stand whatever code has noted them since
    free = ["made_from", ROWS_BY, *(["code", *ADDED] if rows_by in earlier else [])]
    wanted = {key: value for key, value in table.facts.items() if key not in free}
    if not is_table_done(path, {**wanted, **{key: found[key] for key in free if key in found}}):
        return None
    noted = found | {key: table.facts[key] for key in NOTED if key in table.facts}
    return noted if rows_by == noted["code"] else noted | {ROWS_BY: rows_by}

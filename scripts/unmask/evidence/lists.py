"""Tables that outlast the job that writes them, under a list.

A job's output for Snakemake is the list of its tables with the SHA-256 of each. So Snakemake removes no table
before a job, and a job reads again only what is not there with the facts that it should have.
"""

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa

from unmask.errors import InputError
from unmask.files import read_facts, sha256_of_file, write_facts
from unmask.tables import read_arrow, read_metadata, write_table

logger = logging.getLogger(__name__)

LIST = "digests.json"
"""The name of a list, in the folder of its tables."""

CIRCUMSTANCES = ("device", "versions", "made_from")
"""Facts of a table whose change makes no row anew: others say what its rows and its model are."""

SOURCE_KEYS = ("source", "repo", "revision", "commit", "architecture", "world", "from", "scale", "seed")
"""What evidence says of where its model is from: keys of the model's entry."""


def model_facts(manifest: Mapping[str, Any], device: str) -> dict[str, Any]:
    """What a table states of the model that made it, and of the device by its name."""
    entry = manifest["entry"]
    return {
        "device": device,
        "weights": manifest["weights_digest"],
        "tokenizer": manifest["tokenizer_digest"],
        "model_source": {key: entry[key] for key in SOURCE_KEYS if key in entry},
    }


@dataclass(frozen=True)
class Table:
    """A table to write, and the facts that it has to state."""

    path: Path
    schema: pa.Schema
    facts: Mapping[str, Any]


def missing(list_: Path, tables: Iterable[Table]) -> set[Path]:
    """The tables that are still to be made: the others are as the job before has listed or left them."""
    of_list = {list_.parent / name: digest for name, digest in (_digests(list_) or {}).items()}
    return {each.path for each in tables if not is_done(each, of_list.get(each.path))}


def is_done(table: Table, sha256: str | None = None) -> bool:
    """Whether a table is there with its facts, CIRCUMSTANCES aside, and has this digest.

    Without one, as after a job that was killed, it has to be readable to its end.
    """
    there, wanted = stated(table.path), as_stated(table.facts)
    if there is None or there | dict.fromkeys(CIRCUMSTANCES) != wanted | dict.fromkeys(CIRCUMSTANCES):
        return False
    if sha256 is not None:
        return sha256_of_file(table.path) == sha256
    try:
        read_arrow(table.path, table.schema)
    except InputError:
        return False
    return True


def is_renewed(table: Table) -> bool:
    """Whether a table is done; then it states its facts, CIRCUMSTANCES too, as they are now."""
    if not is_done(table):
        return False
    write_table(table.path, read_arrow(table.path, table.schema), table.schema, table.facts)
    logger.info("%s is there, of just these facts: nothing is left to do", table.path)
    return True


def stated(table: Path) -> dict[str, Any] | None:
    """The facts of a table; None where there is none that can be read."""
    try:
        return read_metadata(table)
    except (InputError, ValueError):
        return None


def as_stated(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts as they come back from a table."""
    as_stored: dict[str, Any] = json.loads(json.dumps(dict(facts)))
    return as_stored


def write_list(list_: Path, tables: Iterable[Path], facts: Mapping[str, Any]) -> None:
    """List tables of the list's folder with their digests, beside facts of the job."""
    digests = {str(path.relative_to(list_.parent)): sha256_of_file(path) for path in tables}
    write_facts(list_, {**facts, "tables": digests})


def listed(list_: str | Path) -> dict[str, Path]:
    """The tables of a list by their names there, as paths.

    Raises InputError where one is not as its job wrote it.
    """
    digests = _digests(Path(list_))
    if digests is None:
        raise InputError(f"{list_}: not a readable list of tables; delete it and run again")
    tables = {name: Path(list_).parent / name for name in digests}
    for name, table in tables.items():
        if not table.is_file() or sha256_of_file(table) != digests[name]:
            problem = "was altered after its job wrote it" if table.is_file() else "is missing"
            raise InputError(f"{table}: {problem}; delete it and {list_} and run again")
    return tables


def check_one_origin(tables: Sequence[str | Path], keys: Sequence[str]) -> None:
    """Check that tables of scores, which keep the facts of their evidence, agree in these facts.

    Raises InputError naming two tables that do not.
    """
    first: dict[str, tuple[Any, str | Path]] = {}
    for path in tables:
        for key, facts in product(keys, read_metadata(path)["evidence"].values()):
            here, (there, other) = facts.get(key), first.setdefault(key, (facts.get(key), path))
            if here != there:
                what = f"{key} differs: {here} here, {there} in {other}"
                raise InputError(f"{path}: {what}; delete both and run again")


def _digests(list_: Path) -> dict[str, str] | None:
    """The digests of a list; None where there is none that can be read."""
    try:
        digests: dict[str, str] = read_facts(list_)["tables"]
    except (OSError, ValueError, KeyError):
        return None
    return digests

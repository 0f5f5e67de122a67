"""The files of tables, out of the files of results.

Files and settings are those of unmask.associations.results.Found:

- files: associations (list), captions, published; draws, bias, truths (lists) and constructed (a path or an
  empty list), which may be empty.
- settings: encoders (a list with name and source), alpha, confidence, poolings (list), published ({encoder:
  name in published.yaml}), released (the suites whose tests have published values), pairs (list of
  measures).
- names of files made: {table}_{csv,md,tex}, table of unmask.associations.shown.TABLES.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from unmask.associations import tables
from unmask.associations.results import Found
from unmask.report.table_files import Made, table_texts

MAKERS: Mapping[str, Callable[[Found], Made]] = {
    "table1": tables.table1,
    "overview": tables.overview,
    "published": tables.published,
    "grounded": tables.grounded,
    "experiments": tables.experiments,
    "poolings": tables.poolings,
    "differences": tables.differences,
    "pairs": tables.pairs,
    "constructed": tables.constructed,
    "planted": tables.planted,
}


def made_tables(
    files: Mapping[str, Any], settings: Mapping[str, Any], wanted: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """The tables of these names as text, each with its name.

    A name is {table}_{form}, with a table of unmask.associations.shown.TABLES and a form of
    unmask.report.table_files.FORMS. A table that the study has nothing for has no rows. Raises KeyError for
    an unknown name (a defect of the caller).
    """
    found = Found(files, settings)
    yield from table_texts({name: partial(make, found) for name, make in MAKERS.items()}, wanted)

"""The files of tables, out of the files of results.

Files and settings are those of unmask.calibration.results.Found. Names of files made: {table}_{csv,md,tex},
table of unmask.calibration.shown.TABLES.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from unmask.calibration.results import Found
from unmask.calibration.shown import TABLES
from unmask.calibration.tables import captioned
from unmask.report.table_files import table_texts


def made_tables(
    files: Mapping[str, Any], settings: Mapping[str, Any], wanted: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """The tables of these names as text, each with its name.

    A name is {table}_{form}, with a form of unmask.report.table_files.FORMS. A table that the study has
    nothing for has no rows. Raises KeyError for an unknown name (a defect of the caller).
    """
    found = Found(files, settings)
    yield from table_texts({name: partial(captioned, found, name) for name in TABLES}, wanted)

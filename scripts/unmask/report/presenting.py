"""Presenting a family of measures: its tables, its figures and its sections of the report, of one
reading of its files.

A family's own part is its module unmask/{family}/presenting.py, which may have

- Found: what its files say, as Given, with properties that read them when they are first asked for;
- made_tables(found, names): the texts of tables, each with its name (as unmask.report.table_files has it);
- drawn_charts(found, names): the charts of these names, each with its name; a text where there is none.

A family that has sections alone needs no such module.
"""

import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unmask.by_name import load, names
from unmask.files import write_text
from unmask.report.sections import write_section

MODULE = "presenting"
"""The name of a family's own part."""


@dataclass(frozen=True)
class Given:
    """What a family is presented from. files: of results, by name, a path or a list of paths each; settings:
    of the study."""

    files: Mapping[str, Any]
    settings: Mapping[str, Any]


def present(family: str, given: Given, wanted: Mapping[str, str], made: Mapping[str, Any]) -> None:
    """Write what is wanted of a family, each file whole or not at all.

    wanted: paths by name. A section (.json) has the name of its module in unmask/{family}/sections; a figure
    is wanted as {figure}_svg and {figure}_png; all else are tables. made: what sections say of how they were
    made (unmask.record.record). Raises InputError for a section that the family has not.
    """
    own: Any = load(family, MODULE) if MODULE in names(family) else None
    found = getattr(own, "Found", Given)(given.files, given.settings)
    sections = {name: path for name, path in wanted.items() if Path(path).suffix == ".json"}
    pictures = {name: path for name, path in wanted.items() if Path(path).suffix in (".svg", ".png")}
    tables = {name: path for name, path in wanted.items() if name not in {*sections, *pictures}}
    if tables:
        for name, text in own.made_tables(found, tables):
            write_text(tables[name], text)
    if pictures:
        # Altair is loaded only where something is drawn
        from unmask.report.chart_files import names_of, save_charts

        with charts_unchecked():
            save_charts(own.drawn_charts(found, names_of(pictures)), pictures)
    for name, path in sections.items():
        module = load(f"{family}/sections", name)
        with charts_unchecked():
            write_section(path, module.section(found), made)


def charts_unchecked() -> AbstractContextManager[None]:
    """A block in which Altair does not validate each part of a chart by the schema of Vega-Lite.

    That is a fifth of the time of presenting pairs, and tests validate the charts. Where nothing has loaded
    Altair, this does nothing.
    """
    schemapi: Any = sys.modules.get("altair.utils.schemapi")
    return schemapi.debug_mode(False) if schemapi else nullcontext()

"""The page docs/tables.md: what the columns of declared tables mean.

    python -m unmask.report.data_dictionary

writes it anew.
"""

from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path

from unmask.files import write_text
from unmask.plugins import load
from unmask.report.declared_tables import Table
from unmask.report.rendering import markdown
from unmask.report.sheets import Sheet

LIBRARY = Path(__file__).resolve().parents[1]
PAGE = LIBRARY.parents[1] / "docs" / "tables.md"

INTRODUCTION = """# The tables of the report

A table of the report is declared once, in the module that is named here; the page, Markdown and LaTeX come
from that, and the CSV has the tidy columns behind the cells. Headings are names in the code: `table1` of
associations is `tables/associations_table1.csv`, and pairs have no prefix. Rows: the columns that name a row.
Across: values that stand side by side, with each column below each of them. The caption of a table says more.
Made by `python -m unmask.report.data_dictionary`.
"""


def declared_tables() -> Mapping[str, list[Table]]:
    """The tables that modules of this library declare, by the path of the module."""
    tables: dict[str, list[Table]] = {}
    for path in sorted(LIBRARY.rglob("*.py")):
        if "report.declared_tables import" in path.read_text(encoding="utf-8"):
            folder = path.parent.relative_to(LIBRARY).as_posix()
            values = vars(load(folder, path.stem)).values()
            if declared := [value for value in values if isinstance(value, Table)]:
                tables[f"{folder}/{path.stem}"] = declared
    return tables


def page() -> str:
    """The text of the page."""
    return "\n".join([INTRODUCTION, *_families()])


def _families() -> Iterator[str]:
    tables = declared_tables()
    for family, modules in groupby(tables, key=lambda name: name.partition("/")[0]):
        yield f"## {family.capitalize()}\n"
        for module in modules:
            yield f"`scripts/unmask/{module}.py`\n"
            yield from map(_section, tables[module])


def _section(table: Table) -> str:
    rows = f"Rows: {', '.join(filter(None, table.stubs))}."
    across = (
        f" Across: {', '.join(table.heads.get(name, name) for name in table.across)}." if table.across else ""
    )
    lines = tuple((column.group, column.label, column.meaning) for column in table.columns)
    text = markdown(Sheet(f"{rows}{across}", ("group", "column"), (("", "meaning"),), lines))
    # text, not numbers: to the left
    return f"### {table.name}\n\n{text.replace('---:', '---')}"


if __name__ == "__main__":
    write_text(PAGE, page())

"""The page docs/columns.md, from the schemas of all tables: python -m unmask.columns_page

Not part of the workflow: it is written anew when a schema has changed.
"""

import ast
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa

from unmask.files import write_text
from unmask.plugins import LIBRARY
from unmask.plugins import load as load_module
from unmask.result_files import ResultFiles
from unmask.study_results import MODULE, columns_of

PAGE = LIBRARY.parents[1] / "docs" / "columns.md"

HEAD = """# The columns of all tables

Written by `python -m unmask.columns_page` from the schemas; Parquet files have what columns mean as well.
[`unmask.load`](notebooks.md) gives these tables by name. Keys, which are no columns of the files, come first.
"""

EXAMPLE_FACTS = {"width": 1}
"""Metadata for schemas that depend on those of a file."""


def page() -> str:
    """The text of the page."""
    return "\n".join([HEAD, *_lines()])


def _lines() -> Iterator[str]:
    first: dict[int, str] = {}
    for path in sorted(LIBRARY.glob(f"*/{MODULE}.py")):
        module = load_module(path.parent.name, MODULE)
        yield from (f"## {path.parent.name.capitalize()}", "", str(module.__doc__).strip(), "")
        for name, files in module.TABLES.items():
            yield from (f"### {name}", "", f"`{files.path}`", "")
            same = first.setdefault(id(files.schema), name)
            if same != name:
                keys = ", ".join(files.keys) or "none"
                yield from (f"The columns are those of [{same}](#{same}); keys: {keys}.", "")
                continue
            yield from (_about(files.schema), "")
            columns = columns_of(files, schema_of(files))
            rows = [(f"`{name}`", type_, meaning) for name, type_, meaning in columns.itertuples(index=False)]
            yield from (*lines_of_table(("column", "type", "meaning"), rows), "")


def schema_of(files: ResultFiles) -> pa.Schema:
    """The schema of a table without a file of it."""
    return files.schema if isinstance(files.schema, pa.Schema) else files.schema(EXAMPLE_FACTS)


def lines_of_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table in Markdown, line by line."""
    yield from (f"| {' | '.join(head)} |", f"|{len(head) * '---|'}")
    for cells in rows:
        text = " | ".join(cell.replace("|", r"\|") for cell in cells)
        yield f"| {text} |"


def _about(schema: pa.Schema | Callable[[Mapping[str, Any]], pa.Schema]) -> str:
    """What stands under a schema where it is defined."""
    if not isinstance(schema, pa.Schema):
        return inspect.getdoc(schema) or ""
    for module in [each for name, each in sys.modules.items() if name.startswith(f"{LIBRARY.name}.")]:
        for name in [name for name, value in vars(module).items() if value is schema]:
            if text := _docstring(Path(str(module.__file__)), name):
                return text
    raise ValueError(f"a schema without a docstring: {schema.names}")


def _docstring(path: Path, name: str) -> str | None:
    """The string below the line that gives a module's name its value; None where that is none."""
    body = ast.parse(path.read_bytes()).body
    for node, after in pairwise(body):
        if (
            isinstance(node, ast.Assign)
            and [target.id for target in node.targets if isinstance(target, ast.Name)] == [name]
            and isinstance(after, ast.Expr)
            and isinstance(after.value, ast.Constant)
        ):
            return inspect.cleandoc(str(after.value.value))
    return None


if __name__ == "__main__":
    write_text(PAGE, page())

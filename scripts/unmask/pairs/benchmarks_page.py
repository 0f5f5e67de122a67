"""The page docs/named-benchmarks.md: python -m unmask.pairs.benchmarks_page

It is made of resources/pairs/benchmarks.yaml. Not part of the workflow: it is written anew when a benchmark
has been added or changed.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from unmask.files import write_text
from unmask.keys_page import DOCS, lines_of_table
from unmask.pairs.named_benchmarks import known_benchmarks

PAGE = DOCS / "named-benchmarks.md"

HEAD = """# Benchmarks that a study can name

Written by `python -m unmask.pairs.benchmarks_page` from `resources/pairs/benchmarks.yaml`. A study names them
([how](command.md#benchmarks-by-name)), and `unmask score --benchmark` takes the names, too. Each file is
downloaded from its address and compared with its checksum. One on disk is compared with it as well.
"""


def page() -> str:
    """The text of the page."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield HEAD
    for name, known in known_benchmarks().items():
        yield from (f"## {name}", "", f"{known['about']}.", "")
        yield from (*lines_of_table(("", ""), _rows(known)), "")


def _rows(known: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    entry = known["entry"]
    yield "format", f"`{entry['format']}`"
    yield "licence", entry["licence"]
    yield "address", entry["url"]
    yield from ((key, f"`{entry[key]}`") for key in ("sha256", "git_blob") if key in entry)
    if encoding := entry.get("encoding"):
        yield "encoding", f"`{encoding}`"
    if columns := entry.get("columns"):
        # a column without a name is called so
        stated = [f"`{column}`: " + (f"`{of}`" if of else "without a name") for column, of in columns.items()]
        yield "columns", "; ".join(stated)
    if left_out := entry.get("without"):
        yield "left out", ", ".join(f"`{pair}`" for pair in left_out)
    if original := known.get("version_of"):
        yield "a version of", f"`{original}`, by `pair_id`"
    yield "in a data directory", " or ".join(f"`{file}`" for file in known["files"])


if __name__ == "__main__":
    write_text(PAGE, page())

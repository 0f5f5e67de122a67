"""What of a study's results may be cleaned away: the families' patterns, left in the results by each run.

A pattern has the keys

- kind: what it is in words; name: which one, with wildcards such as `{model} on {benchmark}`;
- files: a path below the study's results with the same wildcards: `{model}` stands for a part of a path, and
  `{shard,REGEX}` for what the regular expression matches;
- needed_by: the file that is made of these; once that is there and younger, they may go;
- again: true for what is removed only when asked for, as it has to be fetched again.
"""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from unmask.errors import InputError
from unmask.files import write_text

FILE = "register.json"
"""Its name in the study's folder of results."""

_WILDCARD = re.compile(r"\{(\w+)(?:,([^{}]+))?\}")


def write_register(results: str | Path, patterns: Iterable[Mapping[str, Any]]) -> None:
    """Leave the patterns in a study's results. Raises InputError where nothing can be written."""
    text = json.dumps(list(patterns), indent=1, sort_keys=True) + "\n"
    path = Path(results, FILE)
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        write_text(path, text)


def read_register(results: str | Path) -> list[dict[str, Any]]:
    """The patterns of a study's results. Raises InputError where no run has left any."""
    path = Path(results, FILE)
    try:
        found: list[dict[str, Any]] = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise InputError(f"{results}: no results of a study in this folder; give results/STUDY") from None
    except ValueError as error:
        raise InputError(f"{path}: no register ({error}); delete it and run the study again") from None
    return found


def matcher(pattern: str) -> re.Pattern[str]:
    """A regular expression for paths that fit a pattern, with a group for each wildcard."""
    start, *rest = _WILDCARD.split(pattern)
    expression = re.escape(start)
    for name, matched, literal in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        expression += f"(?P<{name}>{matched or '[^/]+'}){re.escape(literal)}"
    return re.compile(expression)

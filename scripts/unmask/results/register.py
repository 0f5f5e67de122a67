"""What of a study's results may be cleaned away: patterns of its families, written down among the results.

A pattern has the keys

- kind: what it is in words; name: which one, with wildcards such as `{model} on {benchmark}`;
- files: a path below the study's results with the same wildcards: `{model}` stands for a part of a path, and
  `{shard,REGEX}` for what the regular expression matches;
- needed_by: the file that is made of these, or a list of them; once all are there and younger, they may go;
- again: there, and true, for what is removed only when asked for, as it has to be fetched again.
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


def write_register(path: str | Path, patterns: Iterable[Mapping[str, Any]]) -> None:
    """Write the patterns down, whole or not at all."""
    write_text(path, json.dumps(list(patterns), indent=1, sort_keys=True) + "\n")


def read_register(results: str | Path) -> list[dict[str, Any]]:
    """The patterns of a study's results.

    Raises InputError where there are none, or what is there are no patterns.
    """
    path = Path(results, FILE)
    try:
        patterns = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise InputError(
            f"{results}: there is no {FILE} in it; give results/STUDY of a study that was run"
        ) from None
    except ValueError as error:
        raise InputError(f"{path}: cannot be read ({error}); delete it and run the study again") from None
    try:
        if not isinstance(patterns, list):
            raise TypeError
        for pattern in patterns:
            names = dict.fromkeys(matcher(pattern["files"]).groupindex, "")
            for text in (pattern["name"], *needing(pattern)):
                text.format(**names)
    except (TypeError, AttributeError, KeyError, IndexError, ValueError, re.error):
        raise InputError(f"{path}: not a register; delete it and run the study again") from None
    return patterns


def needing(pattern: Mapping[str, Any]) -> list[str]:
    """The files that are made of what a pattern fits."""
    files = pattern["needed_by"]
    return files if isinstance(files, list) else [files]


def matcher(pattern: str) -> re.Pattern[str]:
    """A regular expression for paths that fit a pattern, with a group for each wildcard."""
    start, *rest = _WILDCARD.split(pattern)
    expression = re.escape(start)
    for name, matched, literal in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        expression += f"(?P<{name}>{matched or '[^/]+'}){re.escape(literal)}"
    return re.compile(expression)

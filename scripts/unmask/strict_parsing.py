"""JSON and YAML as they are meant: what other readers pass over or change in silence is an error."""

import json
import math
import re
from collections.abc import Callable
from typing import Any, NoReturn

import yaml

MOST_DIGITS = 1000
"""Of a whole number: more are no number of anything."""

LONE_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a character: JSON and YAML can say it, and no file can hold it."""


def parse_json(text: str, read_object: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """What JSON says. Raises ValueError, in one line, also for a key given twice, NaN, infinity and numbers
    too long to be meant, and where it is nested too deeply.

    read_object: what becomes of the keys and values of an object, where a key may be given twice.
    """
    try:
        return json.loads(
            text,
            object_pairs_hook=read_object or _object,
            parse_constant=_no_number,
            parse_int=_integer,
            parse_float=_finite,
        )
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON ({error})") from None
    except RecursionError:
        raise ValueError("not JSON that can be read (nested too deeply)") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise ValueError(f"the key {twice!r} is there twice in one object")
    return values


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits, {digits[:10]}…")
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"the number {digits[:20]} is too large")
    return number


class _TwiceError(ValueError):
    pass


class _Loader(yaml.SafeLoader):
    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        # here a mapping is as it was written: later `<<` has put keys of others into it
        node: yaml.MappingNode = super().compose_mapping_node(anchor)
        lines: dict[str, int] = {}
        for key, _ in node.value:
            # 1 and "1" would be one name
            name, line = str(key.value), key.start_mark.line + 1
            if name in lines:
                raise _TwiceError(f"the key {name!r} is there twice, in lines {lines[name]} and {line}")
            lines[name] = line
        return node


def parse_yaml(text: str) -> Any:
    """What YAML says. Raises ValueError, in one line, also for a key given twice and for what is no value."""
    try:
        return _Loader(text).get_single_data()
    except _TwiceError:
        raise
    except RecursionError:
        raise ValueError("not valid YAML: nested too deeply") from None
    except Exception as error:  # besides its own errors, whatever a value that is not of its tag leads to
        raise ValueError(f"not valid YAML: {' '.join(str(error).split())}") from None

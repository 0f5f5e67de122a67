"""A study: completed and checked by the keys of its families, each fault in one line that names the key."""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from unmask.close_names import known_names, meant
from unmask.configuration import Config
from unmask.errors import InputError
from unmask.files import sha256_of_file
from unmask.keys import (
    NO_SUCH_NAME,
    Context,
    Family,
    Name,
    Runtime,
    Statistics,
    as_data,
    keys_of,
    load_families,
)
from unmask.models.detecting import with_kinds
from unmask.models.states import with_states
from unmask.retired import retired
from unmask.user_files import LONE_SURROGATE

DEEPEST, MOST_VALUES = 50, 100_000
"""How deeply the values of a study may be nested, and how many there may be."""


class Study(Family):
    """What to measure, on which models, with which data. Every key that has a default may be left out, and a
    family of measures whose keys are left out is no part of the study."""

    heading = "A study"

    study: Name
    """Name of the study; all that it makes lies under results/{study}/."""
    title: str = "Social bias in language models"
    """Heading of the report."""
    data: str | None = None
    """A directory; `{data}` in any path below stands for it. Give it as `--config data=DIR`."""
    statistics: Statistics = Statistics()
    runtime: Runtime = Runtime()

    @classmethod
    def spelt_out(cls, study: Config) -> Config:
        return with_kinds(with_states(study))


@cache
def families() -> dict[str, type[Family]]:
    """The keys of each family by its name, those of all studies first."""
    load_families()
    others = {each.__module__.split(".")[1]: each for each in Family.__subclasses__() if each is not Study}
    return {"study": Study} | dict(sorted(others.items()))


@cache
def _composed(names: tuple[str, ...]) -> type[Family]:
    """The keys of several families in one. Raises InputError for a key that two of them state."""
    every, stated = [families()[name] for name in names], dict(Study.__annotations__)
    for family in every[1:]:
        for key, of in family.__annotations__.items():
            # an object of all studies may have further keys
            is_more = isinstance(of, type) and issubclass(of, Statistics) and stated.get(key) is Statistics
            if key in stated and key in family.model_fields and not is_more:
                raise InputError(f"keys: two families state {key}")
        stated |= family.__annotations__
    return type("Keys", tuple(reversed(every)), {"__doc__": Study.__doc__})


def families_of(config: Config) -> list[str]:
    """The families that a study has: those whose keys are all there.

    Raises InputError for a key of no family, or of one that the study lacks another key for.
    """
    known = families()
    present = [name for name, family in known.items() if set(family.needs) <= set(config)]
    for key in config:
        owners = [name for name, family in known.items() if key in keys_of(family)]
        if not owners:
            names = dict.fromkeys(each for family in known.values() for each in keys_of(family))
            advice = retired([key]) or f"unknown key {key} ({known_names(key, names)})"
            raise InputError(f"config key (top level): {advice}")
        if not set(owners) & set(present):
            lacking = [each for each in known[owners[0]].needs if each not in config]
            raise InputError(f"config key {key}: it needs {lacking[0]}, which the study lacks")
    return present


def complete(config: Config, root: str | Path | None = None) -> Config:
    """The configuration with what it is short for spelt out, the defaults of its families filled in, `{data}`
    resolved, and texts read where numbers, booleans or null are wanted.

    root: of the workflow; a path of its resources/ that is not in the working directory is the workflow's.
    Raises InputError naming the first key at fault.
    """
    if "study" not in config:
        raise InputError("config key study: is missing; it names the study and its folder of results")
    _check_plain(config)
    for name in families_of(config):
        config = families()[name].spelt_out(dict(config))
    completed = _checked(config, Context(config, Path(root) if root is not None else None))
    _check_circles(completed.get("models", {}))
    return completed


def check_files(config: Config, sha256_of: Callable[[str | Path], str] = sha256_of_file) -> None:
    """Check that every file that a completed configuration names is there and has the checksum it states.

    `sha256_of` gives the SHA-256 of a file. Raises InputError naming the key and the file.
    """
    _checked(config, Context(config, None, sha256_of))


def _checked(config: Config, context: Context) -> Config:
    try:
        keys = _composed(tuple(families_of(config))).model_validate(config, context=context)
    except ValidationError as error:
        # the cause, which is above what follows from it
        faults = error.errors(include_url=False)
        fault = min(faults, key=lambda each: (each["type"] == NO_SUCH_NAME, len(each["loc"])))
        place = _place(fault, config)
        raise InputError(f"config key {_shown(place)}: {_shortened(_reason(fault, place))}") from None
    data: Config = as_data(keys, config)
    return data


def _place(fault: ErrorDetails, config: Any) -> list[str | int]:
    """The keys that lead to what is wrong; besides these pydantic names the members of unions."""
    place: list[str | int] = []
    *_, last = fault["loc"] or ("",)
    for part in fault["loc"]:
        inside = dict(enumerate(config)) if isinstance(config, list) else config
        if isinstance(inside, dict) and part in inside:
            place.append(part)
            config = inside[part]
    if last == "[key]":
        return place[:-1]
    return [*place, last] if fault["type"] == "missing" else place


_WANTED = {
    "str": "text",
    "string": "text",
    "int": "an integer",
    "float": "a number",
    "bool": "true or false",
    "dict": "a mapping",
    "model": "a mapping",
    "list": "a list",
}
_BOUNDS = {"greater_than": ">", "greater_than_equal": "≥", "less_than": "<", "less_than_equal": "≤"}


def _reason(fault: ErrorDetails, place: Sequence[str | int]) -> str:
    """What is wrong, in the words of this project for what pydantic finds."""
    kind, value, more = fault["type"], fault["input"], fault.get("ctx", {})
    gone = [advice for key in more.get("unknown", [value]) if (advice := retired([*place, key]))]
    of, _, what = kind.partition("_")
    if gone:
        return gone[0]
    if kind == "missing":
        return "is missing"
    if kind == "literal_error":
        known = [each.strip("'") for each in more["expected"].replace(" or ", ", ").split(", ")]
        return f"{value!r} is not one of {', '.join(known)}{meant(value, known)}"
    if kind == "value_error":
        return str(more["error"])
    if kind == "union_tag_invalid":
        wanted = (_WANTED[each.strip("'")] for each in more["expected_tags"].split(", "))
        return f"{value!r} is not {' or '.join(wanted)}"
    if kind == "string_pattern_mismatch":
        return f"{value!r} does not match {more['pattern']!r}"
    if kind in _BOUNDS:
        return f"{value!r} is not {_BOUNDS[kind]} {next(iter(more.values()))}"
    if of in _WANTED and what in ("type", "from_float", "attributes_type"):
        return f"{value!r} is not {_WANTED[of]}"
    if kind.endswith(("too_short", "too_long")):
        size = (
            f"fewer than {more['min_length']}"
            if kind.endswith("short")
            else f"more than {more['max_length']}"
        )
        return f"{value!r} has {size} {'characters' if of == 'string' else 'values'}"
    return fault["msg"]


def _check_plain(config: Config) -> None:
    """Raise InputError where a study holds what JSON has no word for: YAML has more, and aliases."""
    waiting: list[tuple[Sequence[object], Any]] = [((), config)]
    for count in itertools.count():
        if not waiting:
            return
        place, value = waiting.pop()
        inside: Iterable[tuple[object, Any]] = ()
        plain = [value]
        if isinstance(value, Mapping):
            inside, plain = value.items(), list(value)
        elif isinstance(value, list):
            inside, plain = enumerate(value), []
        reasons = [reason for each in plain if (reason := _no_value(each))]
        if len(place) > DEEPEST or count > MOST_VALUES:
            reasons = ["too much in it, or something in itself"]
        if reasons:
            raise InputError(f"config key {_shown(place)}: {reasons[0]}")
        waiting += [((*place, key), each) for key, each in inside]


def _no_value(value: object) -> str | None:
    """Why a value is none that a study may have."""
    if isinstance(value, float) and not math.isfinite(value):
        return f"{value} is not a finite number"
    if isinstance(value, int | float) and abs(value) >= 2**63:
        return "too large a number"
    if isinstance(value, str):
        return f"{value!r} has half a character" if LONE_SURROGATE.search(value) else None
    if value is None or isinstance(value, bool | int | float):
        return None
    return f"{value!r} is neither text nor a number; text goes in quotes"


def _check_circles(models: Mapping[str, Any]) -> None:
    """Raise InputError where a model is made from itself, however far back."""
    for name in models:
        line = [name]
        while base := models[line[-1]].get("from"):
            if base in line:
                circle = " from ".join([*line[line.index(base) :], base])
                raise InputError(f"config key models.{base}.from: a model cannot come from itself ({circle})")
            line.append(base)


def _shown(place: Iterable[object]) -> str:
    return _shortened(".".join(map(str, place))) or "(top level)"


def _shortened(text: str, most: int = 400) -> str:
    return text if len(text) <= most else f"{text[: most // 2]} … {text[-most // 2 :]}"

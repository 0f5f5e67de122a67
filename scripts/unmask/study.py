"""A study: completed and checked by the keys of its families, each fault in one line that names the key."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from unmask.configuration import Config
from unmask.errors import InputError, known_names
from unmask.files import sha256_of_file
from unmask.keys import (
    CHOOSING,
    NO_SUCH_NAME,
    Context,
    Family,
    Name,
    Runtime,
    Statistics,
    keys_of,
    load_families,
)
from unmask.models.detecting import with_kinds
from unmask.models.states import with_states
from unmask.retired import retired
from unmask.user_files import quoted


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
    """The keys of each family by its name, those of all studies first, which others may state anew.

    Raises ValueError where two others state one key, of which one would hold (a defect of theirs).
    """
    load_families()
    others = {each.__module__.split(".")[1]: each for each in Family.__subclasses__() if each is not Study}
    owners: dict[str, str] = {}
    for name, key in ((name, key) for name, family in others.items() for key in keys_of(family)):
        if owners.setdefault(key, name) != name and key not in keys_of(Study):
            raise ValueError(f"key {key}: stated by both {owners[key]} and {name}")
    return {"study": Study} | dict(sorted(others.items()))


@cache
def _composed(names: tuple[str, ...]) -> type[Family]:
    """The keys of several families in one; what a later one states of a key holds."""
    return type("Keys", tuple(families()[name] for name in reversed(names)), {"__doc__": Study.__doc__})


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
    for key, value in config.items():
        try:
            json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
        except (TypeError, ValueError, RecursionError) as error:
            # as YAML has: dates, infinity, a list that is in itself
            raise InputError(f"config key {key}: has a value in it that JSON has not: {error}") from None
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
        raise InputError(f"config key {_shown(place)}: {_reason(fault, place)}") from None
    return keys.model_dump(serialize_as_any=True)


def _place(fault: ErrorDetails, config: Any) -> list[str | int]:
    """The keys that lead to what is wrong; besides these pydantic names the members of unions."""
    place: list[str | int] = []
    chosen = None
    for part in fault["loc"]:
        inside = dict(enumerate(config)) if isinstance(config, list) else config
        if not isinstance(inside, dict):
            break
        if part in map(inside.get, CHOOSING) and chosen != place:
            # the member that an entry chooses, which may have the name of a key of its
            chosen = list(place)
        elif part in inside:
            place.append(part)
            config = inside[part]
    if fault["type"] == "missing":
        place.append(fault["loc"][-1])
    elif (key := fault.get("ctx", {}).get("discriminator", "").strip("'")) in CHOOSING:
        place.append(key)
    return place[:-1] if fault["loc"][-1:] == ("[key]",) else place


_WANTED = {
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), "a mapping"),
    "list_type": "a list",
    "string_type": "text",
}
"""Of the types of pydantic's errors, which would name Python's types."""


def _reason(fault: ErrorDetails, place: Sequence[str | int]) -> str:
    """What is wrong: of what is gone what to do instead, else what pydantic says of the value."""
    kind, value, more = fault["type"], fault["input"], fault.get("ctx", {})
    value = more.get("tag", value)
    gone = [advice for key in more.get("unknown", [value]) if (advice := retired([*place, key]))]
    if gone:
        return gone[0]
    if kind in ("missing", "union_tag_not_found"):
        return "is missing"
    if known := re.findall("'(.*?)'", str(more.get("expected") or more.get("expected_tags") or "")):
        return f"{quoted(value)} is not one of these ({known_names(value, known)})"
    if kind == "value_error":
        return str(more["error"])
    if kind in _WANTED:
        return f"{quoted(value)} is not {_WANTED[kind]}"
    return re.sub("^(Input|Value|String|List|Dictionary)(?= )", lambda _: quoted(value), fault["msg"])


def _check_circles(models: Mapping[str, Any]) -> None:
    """Raise InputError where a model is made from itself, however far back."""
    try:
        TopologicalSorter({name: [of["from"]] for name, of in models.items() if "from" in of}).prepare()
    except CycleError as error:
        circle = error.args[1]
        what = f"a model cannot come from itself ({' from '.join(circle)})"
        raise InputError(f"config key models.{circle[0]}.from: {what}") from None


def _shown(place: Iterable[object]) -> str:
    return ".".join(map(str, place)) or "(top level)"

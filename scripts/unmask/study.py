"""A study: chosen, completed and checked by the keys of its families, each fault in a line with the key."""

import copy
import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from unmask import workflow_root
from unmask.errors import InputError, known_names
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
from unmask.models.keys import with_states
from unmask.urls import without_secrets
from unmask.user_files import quoted, read_config

Config = dict[str, Any]

_TYPES = {"str": "text", "dict": "a mapping", "int": "a whole number", "list": "a list"}
"""What the types are called of which a value may be one or the other (BY_TYPE)."""


class Study(Family):
    """What to measure, on which models, with which data. Every key that has a default may be left out, and a
    family of measures whose keys are left out is no part of the study."""

    study: Name
    """Name of the study; all that it makes lies under results/{study}/."""
    title: str = "Social bias in language models"
    """Heading of the report."""
    data: str | None = None
    """A directory; `{data}` in any path below stands for it. Give it as `--config data=DIR`."""
    statistics: Statistics = Statistics()
    runtime: Runtime = Runtime()


def choose_study(
    config: Mapping[str, Any], root: Path, files: Sequence[str] = (), as_module: bool = False
) -> Config:
    """The configuration asked for, complete with the command line's overrides.

    config: what came from `--config` and `--configfile`; files: the latter's paths. A file named whole
    is the study; else the word `study` picks configs/{study}.yaml or is itself the path of a YAML file, and
    without it config.yaml is the study. Two studies are never merged.

    as_module: `config` is what another workflow gives this one as its module; config files are not of this
    one. It is a study of its own where it has more than the keys study, data and runtime, and the name of no
    study of this workflow.

    Raises InputError where no study can be chosen, and where a file has the name of a study that comes with
    the workflow: the two would share a folder of results.
    """
    default = root / "config.yaml"
    shipped = {str(read_config(default).get("study")): default}
    shipped |= {path.stem: path for path in sorted((root / "configs").glob("*.yaml"))}
    name, over = str(config.get("study")), copy.deepcopy(dict(config))
    files = () if as_module else files
    if len(files) > 1:
        raise InputError(f"a study is one file: give --configfile {files[0]} or {files[1]}, not both")
    if files:
        file = Path(files[0])
    elif name.endswith((".yaml", ".yml", ".json")):
        file = Path(over.pop("study"))
    elif "study" not in config or name in shipped:
        file = shipped.get(name, default)
    elif as_module and set(config) - {"study", "data", "runtime"}:
        return over
    else:
        names = known_names(name, sorted(shipped))
        raise InputError(f"config key study: there is no configs/{name}.yaml ({names})")
    study = read_config(file)
    if files and name != (stated := str(study.get("study"))):
        raise InputError(f"config key study: {name} is not the study of {file}, {stated}")
    chosen = dict(_merged(study, over))
    stated = str(chosen.get("study"))
    if stated in shipped and not shipped[stated].samefile(file):
        place = shipped[stated].relative_to(root)
        raise InputError(f"{file}: its study is named {stated}, as that of {place} is; give it another name")
    return chosen


def _merged(base: Any, over: Any) -> Any:
    if not (isinstance(base, dict) and isinstance(over, Mapping)):
        return over
    return base | {key: _merged(base.get(key), value) for key, value in over.items()}


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
    needs = {name: [*family.needs, *keys_of(family, needed=True)] for name, family in known.items()}
    present = [name for name in known if name == "study" or set(needs[name]) <= set(config)]
    for key in config:
        owners = [name for name, family in known.items() if key in keys_of(family)]
        if not owners:
            names = dict.fromkeys(each for family in known.values() for each in keys_of(family))
            advice = _advice([key]) or f"unknown key {key} ({known_names(key, names)})"
            raise InputError(f"config key (top level): {advice}")
        if not set(owners) & set(present):
            lacking = [each for each in needs[owners[0]] if each not in config]
            raise InputError(f"config key {key}: it needs {lacking[0]}, which the study lacks")
    return present


def complete(
    config: Config, root: Path | None = None, sha256_of: Callable[[str | Path], str] | None = None
) -> Config:
    """The configuration with what it is short for spelt out, the defaults of its families filled in, `{data}`
    resolved, and texts read where numbers, booleans or null are wanted.

    root: of the workflow; a path of its resources/ that is not in the working directory is the workflow's.
    sha256_of: gives the SHA-256 of a file; every file that is named is then to be there, with the checksum
    that is stated. Raises InputError naming the first key at fault.
    """
    for key, value in config.items():
        try:
            json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
        except (TypeError, ValueError, RecursionError) as error:
            # as YAML has: dates, infinity, a list that is in itself
            raise InputError(f"config key {key}: has a value in it that JSON has not: {error}") from None
    config = with_states(config)
    names = families_of(config)
    try:
        for name in names:
            config = families()[name].spelt_out(dict(config))
        keys = _composed(tuple(names)).model_validate(config, context=Context(config, root, sha256_of))
    except InputError as error:
        raise InputError(without_secrets(str(error))) from None
    except ValidationError as error:
        # the cause, which is above what follows from it; some defaults are of keys that are in order
        faults = [each for each in error.errors() if each["type"] != "default_factory_not_called"]
        fault = min(faults, key=lambda each: (each["type"] == NO_SUCH_NAME, len(each["loc"])))
        place = _place(fault, config)
        key = ".".join(map(str, place)) or "(top level)"
        raise InputError(without_secrets(f"config key {key}: {_reason(fault, place)}")) from None
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


def _reason(fault: ErrorDetails, place: Sequence[str | int]) -> str:
    """What is wrong: of what is gone what to do instead, else what pydantic says of the value."""
    kind, value, more = fault["type"], fault["input"], fault.get("ctx", {})
    value = more.get("tag", value)
    if advice := next(filter(None, (_advice([*place, key]) for key in more.get("unknown", [value]))), None):
        return advice
    if kind in ("missing", "union_tag_not_found"):
        return "is missing"
    if known := re.findall("'(.*?)'", str(more.get("expected") or more.get("expected_tags") or "")):
        if set(known) <= set(_TYPES):
            return f"{quoted(fault['input'])} is not {' or '.join(_TYPES[each] for each in known)}"
        return f"{quoted(value)} is not one of these ({known_names(value, known)})"
    spelling = read_config(workflow_root() / "resources/spelling.yaml")
    if (pattern := more.get("pattern")) in spelling:
        return f"{quoted(value)} is not {spelling[pattern]}"
    if kind == "value_error":
        return str(more["error"])
    # of mappings pydantic says what else could be one in Python
    wanted = re.sub("valid dictionary.*", "mapping", fault["msg"])
    return re.sub("^(Input|Value|String|List|Dictionary)(?= )", lambda _: quoted(value), wanted)


def _advice(place: Sequence[object]) -> str | None:
    """What to do instead of a key or a value that is gone, the last of its place."""
    keys = "\n".join(map(str, place))
    for pattern, advice in read_config(workflow_root() / "resources/retired.yaml").items():
        if re.fullmatch(pattern.replace(".", "\n").replace("*", ".*"), keys):
            return f"{place[-1]} is no longer there: {advice}"
    return None

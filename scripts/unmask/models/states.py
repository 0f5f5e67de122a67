"""One model in many states: what the keys `states` of a model, and `series` of a study, are short for.

A series names its states, and a model of the study for each. Every state is a model like any other.
"""

import glob
import re
from collections.abc import Mapping, Sequence
from typing import Any

from unmask.errors import InputError, known_names
from unmask.keys import keys_of
from unmask.models.keys import sources

STATE = "{state}"
"""What stands for the name of the state in `published`."""

LEAST = 2
"""States of a series."""

NO_STATE = ("source", "published")
"""Keys of a model that are the same in all states, or follow from them."""

Study = Mapping[str, Any]


def with_states(study: Study) -> dict[str, Any]:
    """The study with a model {model}-{state} for each of the `states` of a model. Under `series` each such
    model, and each list of models there, is a mapping of the names of states to models.

    What is not of the right shape is left as it is, to be refused. Raises InputError naming the
    key for states that a model cannot have, for fewer than LEAST and for names that are there twice.
    """
    study, models, series = dict(study), study.get("models"), study.get("series", {})
    if not isinstance(models, Mapping) or not isinstance(series, Mapping):
        return study
    series = {
        # the models of a list are called as they are
        str(name): _named(f"config key series.{name}", listed, listed)
        if isinstance(listed, list) and all(isinstance(model, str) for model in listed)
        else listed
        for name, listed in series.items()
    }
    expanded: dict[str, Any] = {}
    for name, entry in models.items():
        source = sources().get(str(entry.get("source"))) if isinstance(entry, Mapping) else None
        if source is None or "states" not in entry:
            expanded[name] = entry
            continue
        key = f"config key models.{name}.states"
        entries = _entries(key, entry, [each for each in keys_of(source) if each not in NO_STATE], study)
        of_states = {state: f"{name}-{state}" for state in entries}
        for state, model in of_states.items():
            if model in models or model in expanded:
                raise InputError(f"{key}: {model} is among the models already")
            expanded[model] = entries[state]
        if name in series:
            raise InputError(f"{key}: there is a series {name} already (key series)")
        series[name] = of_states
    return study | {"models": expanded} | ({"series": series} if series else {})


def _entries(key: str, entry: Study, keys: list[str], study: Study) -> dict[str, dict[str, Any]]:
    """The entry of each state, by name. keys: those that such an entry may have."""
    states = entry["states"]
    if not isinstance(states, Mapping) or len(states) != 1:
        raise InputError(f"{key}: give one key of the model with its states, as in revision: [main, other]")
    ((varied, listed),) = states.items()
    if varied not in keys:
        source, known = entry["source"], known_names(varied, keys)
        raise InputError(f"{key}: states of a model of source {source} cannot differ in {varied!r} ({known})")
    if varied in entry:
        raise InputError(f"{key}: the model has {varied} already, which is what the states differ in")
    common = {name: value for name, value in entry.items() if name != "states"}
    entries = {}
    for state, value in _values(f"{key}.{varied}", listed, study.get("data")).items():
        entries[state] = {**common, varied: value}
        if isinstance(published := entry.get("published"), str):
            entries[state]["published"] = published.replace(STATE, state)
    return entries


def _values(key: str, listed: Any, data: Any) -> dict[str, Any]:
    """The values of states by name: of a mapping, a list or, of paths, a pattern."""
    if isinstance(listed, Mapping):
        return _named(key, list(map(str, listed)), list(listed.values()))
    if isinstance(listed, str) and glob.has_magic(listed):
        pattern = listed.replace("{data}", data.rstrip("/")) if isinstance(data, str) else listed
        # those with a number in the order of that, 500 before 1000: text and digits take turns
        parts = {path: re.split(r"(\d+)", path) for path in glob.glob(pattern)}
        listed = sorted(parts, key=lambda path: [int(n) if n.isdigit() else n for n in parts[path]])
        if not listed:
            raise InputError(f"{key}: no path matches {pattern}")
    if not isinstance(listed, list):
        raise InputError(f"{key}: give a list of states, or a mapping of their names")
    if not all(isinstance(value, str | int | float) and not isinstance(value, bool) for value in listed):
        raise InputError(f"{key}: a list has texts or numbers; give a mapping of names to anything else")
    # what has slashes is a path, whose last part tells it apart
    return _named(key, [str(value).rstrip("/").rsplit("/", 1)[-1] for value in listed], listed)


def _named(key: str, names: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    """Values by name. Raises InputError for fewer than LEAST, and for a name that is there twice."""
    if len(names) < LEAST:
        what = f"there is only {names[0]}" if names else "there is none"
        raise InputError(f"{key}: a series needs at least {LEAST} states, and {what}")
    if twice := [name for name in names if names.count(name) > 1]:
        raise InputError(f"{key}: {twice[0]} occurs twice; give a mapping of names to tell them apart")
    return dict(zip(names, values, strict=True))

"""Which configuration is the study: read and chosen, never merged with another."""

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from unmask.errors import InputError

Config = dict[str, Any]

_ENDINGS = (".yaml", ".yml", ".json")
"""Of a study that is given by the path of its file."""


class _StrictLoader(yaml.SafeLoader):
    """YAML as it is meant: a key that is given twice is an error, not a silent loss of the first."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: dict[str, int] = {}
        for key, _ in node.value:
            line = key.start_mark.line + 1
            if key.value in seen:
                raise InputError(
                    f"{self.name}: the name {key.value} is given twice, on lines {seen[key.value]} and {line}"
                )
            seen[key.value] = line
        return super().construct_mapping(node, deep)


def read_config(path: str | Path) -> Config:
    """Read one YAML file. Raises InputError for a missing file, broken YAML or a name given twice."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text ({error.reason} at byte {error.start})") from None
    try:
        loader = _StrictLoader(text)
        loader.name = str(path)
        config = loader.get_single_data()
    except InputError:
        raise
    except RecursionError:
        raise InputError(f"{path}: not valid YAML: nested too deeply") from None
    except Exception as error:  # besides its own errors, whatever a value that is not of its tag leads to
        raise InputError(f"{path}: not valid YAML: {error}") from None
    if not isinstance(config, dict):
        raise InputError(f"{path}: holds no configuration")
    return config


def choose_study(given: Mapping[str, Any], root: Path, files: list[str]) -> Config:
    """The configuration asked for, complete with the command line's overrides.

    `given` is what came from `--config` and `--configfile`, `files` the latter's paths. A file
    given whole is the study; else the word `study` picks configs/{study}.yaml or is itself the path of a YAML
    file, and without it config.yaml is the study. Two studies are never merged.
    """
    if files:
        if len(files) > 1:
            raise InputError(f"a study is one file: give --configfile {files[0]} or {files[1]}, not both")
        own = read_config(files[0])
        if given.get("study") != own.get("study"):
            raise InputError(
                f"config key study: {given.get('study')} is not the study of {files[0]}, {own.get('study')}"
            )
        return copy.deepcopy(dict(given))
    default = root / "config.yaml"
    if "study" not in given:
        return _merged(read_config(default), given)
    name = str(given["study"])
    if name.endswith(_ENDINGS):
        return _merged(read_config(name), {key: value for key, value in given.items() if key != "study"})
    known = {path.stem: path for path in sorted((root / "configs").glob("*.yaml"))}
    if name not in known and name != (shown := str(read_config(default).get("study"))):
        told = ", ".join(sorted([*known, shown]))
        raise InputError(f"config key study: there is no configs/{name}.yaml (known: {told})")
    return _merged(read_config(known.get(name, default)), given)


def _merged(base: Config, over: Mapping[str, Any]) -> Config:
    for key, value in over.items():
        if isinstance(value, Mapping) and isinstance(base.get(key), dict):
            base[key] = _merged(base[key], value)
        else:
            base[key] = value
    return base

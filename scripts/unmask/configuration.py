"""Which configuration is the study: read and chosen, never merged with another."""

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from unmask.errors import InputError, known_names
from unmask.user_files import parse_yaml, read_document

Config = dict[str, Any]

CHOICE = frozenset({"study", "data", "runtime"})
"""The keys with which a study is chosen and run, and which alone are none."""

_ENDINGS = (".yaml", ".yml", ".json")
"""Of a study that is given by the path of its file."""


def read_config(path: str | Path) -> Config:
    """Read one YAML file. Raises InputError for a missing file, broken YAML or a key given twice."""
    config = read_document(path, parse_yaml).value
    if not isinstance(config, dict):
        raise InputError(f"{path}: holds no configuration")
    return config


def choose_study(
    config: Mapping[str, Any], root: Path, files: Sequence[str] = (), as_module: bool = False
) -> Config:
    """The configuration asked for, complete with the command line's overrides.

    config: what came from `--config` and `--configfile`; files: the latter's paths. A file named whole
    is the study; else the word `study` picks configs/{study}.yaml or is itself the path of a YAML file, and
    without it config.yaml is the study. Two studies are never merged.

    as_module: `config` is what another workflow gives this one as its module; config files are not of this
    one. It is a study of its own where it has more than CHOICE and the name of no study of this workflow.

    Raises InputError where no study can be chosen, and where a file has the name of a study that comes with
    the workflow: the two would share a folder of results.
    """
    known, name = _shipped(root), str(config.get("study"))
    is_path = name.endswith(_ENDINGS)
    if as_module:
        if "study" in config and set(config) - CHOICE and not is_path and name not in known:
            return copy.deepcopy(dict(config))
    elif files:
        if len(files) > 1:
            raise InputError(f"a study is one file: give --configfile {files[0]} or {files[1]}, not both")
        file = read_config(files[0])
        if config.get("study") != file.get("study"):
            what = f"{config.get('study')} is not the study of {files[0]}, {file.get('study')}"
            raise InputError(f"config key study: {what}")
        _check_name(files[0], file, root, known)
        return copy.deepcopy(dict(config))
    if "study" not in config:
        return _merged(read_config(next(iter(known.values()))), config)
    if is_path:
        file = read_config(name)
        _check_name(name, file, root, known)
        return _merged(file, {key: value for key, value in config.items() if key != "study"})
    if name not in known:
        names = known_names(name, sorted(known))
        raise InputError(f"config key study: there is no configs/{name}.yaml ({names})")
    return _merged(read_config(known[name]), config)


def _shipped(root: Path) -> dict[str, Path]:
    """The files of the workflow's studies by name, first that of the one that is run where none is named."""
    default = root / "config.yaml"
    of_configs = {path.stem: path for path in sorted((root / "configs").glob("*.yaml"))}
    return {str(read_config(default).get("study")): default} | of_configs


def _check_name(file: str, config: Config, root: Path, known: Mapping[str, Path]) -> None:
    """Raise InputError where a file is not of the workflow and has the name of one of its studies."""
    name = str(config.get("study"))
    if name in known and not known[name].samefile(file):
        place = known[name].relative_to(root)
        raise InputError(f"{file}: its study is named {name}, as that of {place} is; give it another name")


def _merged(base: Config, over: Mapping[str, Any]) -> Config:
    for key, value in over.items():
        if isinstance(value, Mapping) and isinstance(base.get(key), dict):
            base[key] = _merged(base[key], value)
        else:
            base[key] = value
    return base

"""Which configuration is the study: read and chosen, never merged with another."""

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from unmask.errors import InputError

Config = dict[str, Any]


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
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error})") from None
    try:
        loader = _StrictLoader(text)
        loader.name = str(path)
        config = loader.get_single_data()
    except (yaml.YAMLError, TypeError, ValueError) as error:
        raise InputError(f"{path}: not valid YAML: {error}") from None
    if not isinstance(config, dict):
        raise InputError(f"{path}: holds no configuration")
    return config


def choose_study(given: Mapping[str, Any], root: Path, files: list[str]) -> Config:
    """The configuration asked for, complete with the command line's overrides.

    `given` is what came from `--config` and `--configfile`, `files` the latter's paths. A file
    given whole is the study; else the word `study` picks configs/{study}.yaml, and without it
    config.yaml is the study. Two studies are never merged.
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
    name = given.get("study")
    path = default if name is None else root / "configs" / f"{name}.yaml"
    if not path.exists():
        base = read_config(default)
        if base.get("study") != name:
            known = sorted([*(p.stem for p in (root / "configs").glob("*.yaml")), str(base.get("study"))])
            raise InputError(f"config key study: there is no configs/{name}.yaml (known: {', '.join(known)})")
        return _merged(base, given)
    return _merged(read_config(path), given)


def _merged(base: Config, over: Mapping[str, Any]) -> Config:
    for key, value in over.items():
        if isinstance(value, Mapping) and isinstance(base.get(key), dict):
            base[key] = _merged(base[key], value)
        else:
            base[key] = value
    return base

"""A study's configuration: chosen, read, completed with defaults and checked before any work starts."""

import copy
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import yaml
from jsonschema.exceptions import ValidationError, best_match
from jsonschema.protocols import Validator

from unmask.corpora.shards import files_of
from unmask.errors import InputError
from unmask.files import git_blob_of_file, sha256_of_file

Config = dict[str, Any]


class _StrictLoader(yaml.SafeLoader):
    """YAML as it is meant: a key given twice is an error, not a silent loss of the first."""

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
    loader = _StrictLoader(text)
    loader.name = str(path)
    try:
        config = loader.get_single_data()
    except yaml.YAMLError as error:
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


def complete(config: Config, schema: Mapping[str, Any]) -> Config:
    """The configuration with its defaults filled in and `{data}` resolved.

    Raises InputError naming the first key at fault.
    """
    completed = copy.deepcopy(config)
    validator = _with_defaults(jsonschema.Draft202012Validator)(schema)
    error = best_match(validator.iter_errors(completed))
    if error is not None:
        raise InputError(f"config key {_place(error)}: {_reason(error)}")
    _check_planted(completed)
    return {key: _with_data(value, completed["data"], key) for key, value in completed.items()}


def _with_defaults(base: type[Validator]) -> type[Validator]:
    """A validator that writes a property's default where the property is missing."""
    check_properties = base.VALIDATORS["properties"]

    def properties(
        validator: Validator, props: Mapping[str, Any], instance: Any, schema: Mapping[str, Any]
    ) -> Iterator[ValidationError]:
        if isinstance(instance, dict):
            for name, sub in props.items():
                if isinstance(sub, Mapping) and "default" in sub and name not in instance:
                    instance[name] = copy.deepcopy(sub["default"])
        yield from check_properties(validator, props, instance, schema)

    extend: Callable[..., type[Validator]] = jsonschema.validators.extend
    return extend(base, {"properties": properties})


def _place(error: ValidationError) -> str:
    return ".".join(str(part) for part in error.absolute_path) or "(top)"


def _reason(error: ValidationError) -> str:
    schema: Any = error.schema
    if error.validator == "additionalProperties" and isinstance(error.instance, Mapping):
        known = schema.get("properties", {})
        unknown = [key for key in error.instance if key not in known]
        return f"unknown key {', '.join(map(str, unknown))} (known: {', '.join(known)})"
    if error.validator == "oneOf":
        keys = [option["required"][0] for option in schema["oneOf"]]
        return f"give exactly one of {', '.join(keys)}"
    return error.message


def _check_planted(config: Config) -> None:
    for name, entry in config["benchmarks"].items():
        if entry.get("planted", entry["format"]) != entry["format"]:
            place = f"benchmarks.{name}.planted"
            raise InputError(f"config key {place}: {entry['planted']} is not its format, {entry['format']}")


def _with_data(value: Any, data: str | None, place: str) -> Any:
    if isinstance(value, dict):
        return {key: _with_data(item, data, f"{place}.{key}") for key, item in value.items()}
    if (
        isinstance(value, str)
        and "{data}" in value
        and place.rsplit(".", 1)[-1] in ("path", "tokenizer", "url", "listed_words")
    ):
        if data is None:
            raise InputError(f"config key {place}: needs a data directory; give one with --config data=DIR")
        return value.replace("{data}", data.rstrip("/"))
    return value


def check_files(config: Config) -> None:
    """Check that every file the configuration names is there and has the checksum it states.

    Raises InputError naming the key and the file.
    """
    for name, entry in config["benchmarks"].items():
        if "path" in entry:
            _check_file(f"benchmarks.{name}", entry)
    for name, entry in config["corpora"].items():
        if "path" in entry and not files_of(entry["path"]):
            raise InputError(f"config key corpora.{name}.path: no file matches {entry['path']}")
    listed = config["frequency"]["listed_words"]
    if listed is not None and not Path(listed).is_file():
        raise InputError(f"config key frequency.listed_words: {listed} is missing")
    for name, entry in config["models"].items():
        key = "path" if entry["source"] == "path" else "tokenizer"
        if key in entry and not Path(entry[key]).is_dir():
            raise InputError(f"config key models.{name}.{key}: {entry[key]} is not a directory")
        if entry["source"] == "path" and not (Path(entry["path"]) / "config.json").is_file():
            raise InputError(f"config key models.{name}.path: {entry['path']} holds no config.json")


def _check_file(place: str, entry: Mapping[str, Any]) -> None:
    path = Path(entry["path"])
    if not path.is_file():
        raise InputError(f"config key {place}.path: {path} is missing")
    for key, digest in (("sha256", sha256_of_file), ("git_blob", git_blob_of_file)):
        if key in entry and (found := digest(path)) != entry[key]:
            raise InputError(f"config key {place}.{key}: {path} has {found}, not {entry[key]}")

"""The schema of a study, put together from one file a family; a study is completed and checked by it.

A family's file (rules/schemas/{family}.yaml) is a JSON Schema of its keys, and `required` names those that
bring the family into a study. Keywords of our own:

- `discriminator: KEY` in `$defs: x`: an x is one of the alternatives `$defs: x/NAME` of all families, which
  its KEY names;
- `like: NAME`: the same as `$defs: NAME`; `partial: NAME`: the same, but no key has a default;
- `among: KEY`: the value is a name under that key of the study;
- `modules: FOLDER`: the value is the name of a module of that folder of the library (`unmask.plugins`);
- `format: file | files | directory | model-directory | url`: `{data}` in the value stands for the study's
  data directory, and a path is there (`files`: a pattern that something matches); Snakemake would take other
  braces for wildcards;
- `pattern`: of the whole text, in which $ never stands before a line break;
- `because: TEXT`: why what the schema refuses is refused;
- `checksums: KEY`: the keys sha256 and git_blob beside KEY are those of its file;
- `directory: false` in `$defs: model/SOURCE`: such a model has no files (see `alternative`);
- `shorthand: SCHEMA`: what may stand instead, until `expands` has spelt it out;
- `expands: FAMILY/MODULE` at the top: that module's `expand(study, families)` spells out what the family's
  keys are short for, before anything is checked.
"""

import copy
import itertools
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import jsonschema
from jsonschema.exceptions import ValidationError, best_match
from jsonschema.protocols import Validator

from unmask import plugins
from unmask.close_names import known_names, meant
from unmask.configuration import Config, read_config
from unmask.corpora.shards import files_of
from unmask.errors import InputError
from unmask.files import git_blob_of_file, sha256_of_file
from unmask.retired import retired
from unmask.strict_parsing import LONE_SURROGATE, parse_yaml
from unmask.urls import check_url, shown_url

FORMATS = ("file", "files", "directory", "model-directory", "url")
"""What may hold `{data}`."""

RESOURCES = "resources/"
"""The folder of the workflow with files that a study may name."""

DEEPEST, MOST_VALUES = 50, 100_000
"""How deeply the values of a study may be nested, and how many there may be."""

_BRACES = re.compile(r"\{[^{}]*\}|[{}]")

Keyword = Callable[[Any, Any, Any, Mapping[str, Any]], Iterator[ValidationError]]
Families = Mapping[str, Mapping[str, Any]]
"""The schema of each family by its name."""


def read_families(folder: str | Path) -> Families:
    """The families' schemas. Raises InputError where two of them state the same key."""
    families = {path.stem: read_config(path) for path in _study_first(folder)}
    put_together(families)
    return families


def _study_first(folder: str | Path) -> list[Path]:
    return sorted(Path(folder).glob("*.yaml"), key=lambda path: (path.stem != "study", path.stem))


def put_together(families: Families) -> dict[str, Any]:
    """One schema of several families, whose alternatives are spelt out.

    Families may add keys to an object that another one states. Raises InputError for what two of them state.
    """
    parts = [
        {key: schema[key] for key in ("properties", "$defs") if key in schema} for schema in families.values()
    ]
    merged: dict[str, Any] = {}
    for part in parts:
        merged = _merged(merged, part)
    whole = copy.deepcopy(merged)
    whole |= {"type": "object", "additionalProperties": False}
    for name, schema in whole["$defs"].items():
        if "discriminator" in schema:
            _spell_out(name, schema, whole["$defs"])
        if "partial" in schema:
            schema |= _without_defaults(whole["$defs"][schema.pop("partial")]) | schema | {"default": {}}
        if "like" in schema:
            schema |= whole["$defs"][schema.pop("like")] | schema
    return whole


def _without_defaults(schema: Mapping[str, Any]) -> dict[str, Any]:
    inner = {name: _without_defaults(each) for name, each in schema.get("properties", {}).items()}
    kept = {key: value for key, value in schema.items() if key not in ("default", "required")}
    return kept | ({"properties": inner} if inner else {})


def _merged(one: Mapping[str, Any], other: Mapping[str, Any], place: str = "") -> dict[str, Any]:
    merged = dict(one)
    for key, value in other.items():
        if key not in merged:
            merged[key] = value
        elif isinstance(value, Mapping) and isinstance(merged[key], Mapping):
            merged[key] = _merged(merged[key], value, f"{place}{key}.")
        else:
            raise InputError(f"schemas: two families state {place}{key}")
    return merged


def _spell_out(name: str, schema: dict[str, Any], defs: Mapping[str, Any]) -> None:
    """Make alternatives known to JSON Schema: which there are, and what each has to be."""
    key = schema["discriminator"]
    alternatives = [each.removeprefix(f"{name}/") for each in defs if each.startswith(f"{name}/")]
    schema["required"] = [key]
    schema["properties"] = {key: {"enum": alternatives}}
    schema["allOf"] = [
        {
            "if": {"properties": {key: {"const": each}}},
            "then": {"$ref": f"#/$defs/{name.replace('/', '~1')}~1{each}"},
        }
        for each in alternatives
    ]


def families_of(config: Config, families: Families) -> list[str]:
    """The families that a study has: those whose required keys are all there.

    Raises InputError for a key of no family, or of one that the study lacks another key for.
    """
    present = [name for name, schema in families.items() if set(schema.get("required", [])) <= set(config)]
    keys = {name: list(schema.get("properties", {})) for name, schema in families.items()}
    for key in config:
        owners = [name for name in families if key in keys[name]]
        if not owners:
            known = dict.fromkeys(each for name in families for each in keys[name])
            raise InputError(f"config key (top level): {_unknown([], [key], known)}")
        if not set(owners) & set(present):
            lacking = [each for each in families[owners[0]]["required"] if each not in config]
            raise InputError(f"config key {key}: it needs {lacking[0]}, which the study lacks")
    return present


def complete(config: Config, families: Families, root: str | Path | None = None) -> Config:
    """The configuration with the defaults of its families filled in, `{data}` resolved, and texts read where
    the schema wants numbers, booleans or null.

    root: of the workflow; a path of its resources/ that is not in the working directory is the workflow's.
    Raises InputError naming the first key at fault.
    """
    if "study" not in config:
        raise InputError("config key study: is missing; it names the study and its folder of results")
    _check_plain(config)
    config = _expanded(config, families)
    schema = put_together({name: families[name] for name in families_of(config, families)})
    # alternatives that a family has are known, whether or not the study has the family
    schema["$defs"] = put_together(families)["$defs"]
    completed = copy.deepcopy(config)
    errors = list(_Completing(completed, schema, root).errors())
    while _read_texts(completed, errors):
        errors = list(_Completing(completed, schema, root).errors())
    _raise_first(iter(errors))
    _check_circles(completed.get("models", {}))
    return completed


def _expanded(config: Config, families: Families) -> Config:
    """The configuration with what its families have shorthand for spelt out."""
    for name in families_of(config, families):
        if module := families[name].get("expands"):
            folder, _, stem = module.rpartition("/")
            config = plugins.load(folder, stem).expand(config, families)
    return config


def _read_texts(config: Config, errors: Iterable[ValidationError]) -> bool:
    """Whether texts had to be numbers, booleans or null; what YAML reads of them then takes their places.

    In `--config 'runtime={threads: 2}'` Snakemake reads no numbers.
    """
    waiting, read = list(errors), False
    while waiting:
        error = waiting.pop()
        waiting += error.context
        path = [*error.absolute_path]
        if error.validator != "type" or not isinstance(error.instance, str) or not path:
            continue
        try:
            value = parse_yaml(error.instance)
        except ValueError:
            continue
        if _no_value(value) is None and jsonschema.Draft202012Validator(
            {"type": error.validator_value}
        ).is_valid(value):
            place: Any = config
            for key in path[:-1]:
                place = place[key]
            place[path[-1]], read = value, True
    return read


def check_files(
    config: Config, families: Families, sha256_of: Callable[[str | Path], str] = sha256_of_file
) -> None:
    """Check that every file that a completed configuration names is there and has the checksum it states.

    `sha256_of` gives the SHA-256 of a file. Raises InputError naming the key and the file.
    """
    schema = put_together(families)
    checker = jsonschema.FormatChecker(formats=())
    for name, check in _CHECKS.items():
        checker.checks(name, raises=InputError)(_of_paths(check))
    validator = _extended(
        {"checksums": partial(_checksums, {"sha256": sha256_of, "git_blob": git_blob_of_file})}
    )
    _raise_first(validator(schema, format_checker=checker).iter_errors(config))


def alternative(families: Families, name: str, chosen: str) -> Mapping[str, Any]:
    """The schema of an alternative: what its family says of a model of that source, for instance."""
    schema: Mapping[str, Any] = put_together(families)["$defs"][f"{name}/{chosen}"]
    return schema


def _extended(keywords: Mapping[str, Keyword]) -> type[Validator]:
    extend: Callable[..., type[Validator]] = jsonschema.validators.extend
    return extend(jsonschema.Draft202012Validator, {"pattern": _pattern, **keywords})


@dataclass
class _Completing:
    """Validates a configuration and meanwhile fills in what it lacks."""

    config: Config
    schema: Mapping[str, Any]
    root: str | Path | None

    def errors(self) -> Iterator[ValidationError]:
        keywords: dict[str, Keyword] = {
            "properties": self._properties,
            "additionalProperties": self._additional,
            "among": self._among,
            "modules": _modules,
        }
        validator = _extended(keywords)
        return validator(self.schema).iter_errors(self.config)

    def _properties(
        self, validator: Any, props: Mapping[str, Any], instance: Any, schema: Mapping[str, Any]
    ) -> Iterator[ValidationError]:
        if isinstance(instance, dict):
            for name, stated in props.items():
                if not isinstance(stated, Mapping):
                    continue
                sub = self._resolved(stated)
                if "default" in sub and name not in instance:
                    instance[name] = copy.deepcopy(sub["default"])
                value = instance.get(name)
                if sub.get("type") == "integer" and isinstance(value, float) and value.is_integer():
                    instance[name] = value = int(value)
                yield from self._path(instance, name, sub)
        check = jsonschema.Draft202012Validator.VALIDATORS["properties"]
        yield from check(validator, props, instance, schema)

    def _additional(
        self, validator: Any, stated: Any, instance: Any, schema: Mapping[str, Any]
    ) -> Iterator[ValidationError]:
        if isinstance(instance, dict) and isinstance(stated, Mapping):
            for name in instance.keys() - schema.get("properties", {}).keys():
                yield from self._path(instance, name, self._resolved(stated))
        check = jsonschema.Draft202012Validator.VALIDATORS["additionalProperties"]
        yield from check(validator, stated, instance, schema)

    def _path(self, instance: dict[str, Any], name: str, sub: Mapping[str, Any]) -> Iterator[ValidationError]:
        """Put the data directory into what is a path or the like."""
        value = instance.get(name)
        format_ = sub.get("format") or sub.get("then", {}).get("format")
        if format_ not in FORMATS or not isinstance(value, str):
            return
        if "{data}" in value:
            data = self.config.get("data")
            if not isinstance(data, str):
                why = "needs a data directory; give one with --data DIR (snakemake: --config data=DIR)"
                yield ValidationError(why, path=[name])
                return
            instance[name] = value = value.replace("{data}", data.rstrip("/"))
        if braces := _BRACES.search(value):
            text = _shortened(repr(shown_url(value) if format_ == "url" else value))
            why = f"{text} has {braces[0]}: braces are for {{data}} alone"
            yield ValidationError(why, path=[name])
        if self.root is not None and value.startswith(RESOURCES) and not _is_there(value):
            shipped = Path(self.root, value)
            if _is_there(str(shipped)):
                instance[name] = os.path.relpath(shipped)

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in schema:
            schema = self.schema["$defs"][schema["$ref"].removeprefix("#/$defs/")]
        return schema

    def _among(
        self, validator: Any, key: str, instance: Any, schema: Mapping[str, Any]
    ) -> Iterator[ValidationError]:
        known = self.config.get(key, {})
        # what is neither a mapping nor a list has an error of its own
        names = list(map(str, known)) if isinstance(known, Mapping | list) else []
        if instance not in names:
            choice = known_names(instance, names) if names else "it has none"
            yield ValidationError(f"{instance!r} is none of the study's {key} ({choice})")


def _is_there(path: str) -> bool:
    """Whether a path, or a file that a pattern matches, is there."""
    return os.path.exists(path) or bool(files_of(path))


def _pattern(
    validator: Any, pattern: str, instance: Any, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not re.fullmatch(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _modules(
    validator: Any, folder: str, instance: Any, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    known = plugins.names(folder)
    if instance not in known:
        yield ValidationError(_not_one_of(instance, known))


def _checksums(
    digests: Mapping[str, Callable[[str | Path], str]],
    validator: Any,
    key: str,
    instance: Any,
    schema: Mapping[str, Any],
) -> Iterator[ValidationError]:
    for name, digest in digests.items():
        # a file that is not there has an error of its own
        if name in instance and key in instance and os.path.isfile(instance[key]):
            path = Path(instance[key])
            if (actual := digest(path)) != instance[name]:
                yield ValidationError(f"{path} has {actual}, not {instance[name]}", path=[name])


def _of_paths(check: Callable[[str], None]) -> Callable[[object], bool]:
    """A check of a path as JSON Schema has it: what is no text has an error of its own."""

    def checked(path: object) -> bool:
        if isinstance(path, str):
            try:
                check(path)
            except (OSError, ValueError) as error:
                raise InputError(f"{path[:80]} is not a path ({error.__class__.__name__})") from None
        return True

    return checked


def _is_file(path: str) -> None:
    if not Path(path).is_file():
        raise InputError(f"{path} is missing")


def _are_files(pattern: str) -> None:
    files = files_of(pattern)
    if not files:
        raise InputError(f"no file matches {pattern}")
    _have_no_braces(files)


def _is_directory(path: str) -> None:
    if not Path(path).is_dir():
        raise InputError(f"{path} is not a directory")
    _have_no_braces(each for each in Path(path).iterdir() if each.is_file())


def _is_model_directory(path: str) -> None:
    _is_directory(path)
    if not (Path(path) / "config.json").is_file():
        raise InputError(f"{path} holds no config.json")


def _have_no_braces(paths: Iterable[str | Path]) -> None:
    for path in paths:
        if _BRACES.search(str(path)):
            raise InputError(f"{path} has braces in its name, which no file that is read may have")


_CHECKS: Mapping[str, Callable[[str], None]] = {
    "file": _is_file,
    "files": _are_files,
    "directory": _is_directory,
    "model-directory": _is_model_directory,
    "url": check_url,
}


def _check_plain(config: Config) -> None:
    """Raise InputError where a study holds what JSON has no word for: YAML has more, and aliases."""
    waiting: list[tuple[str, int, Any]] = [("", 0, config)]
    for count in itertools.count():
        if not waiting:
            return
        place, depth, value = waiting.pop()
        if depth > DEEPEST or count > MOST_VALUES:
            raise InputError(f"config key {_shortened(place)}: too much in it, or something in itself")
        inside: Iterable[tuple[Any, Any]] = ()
        plain = [value]
        if isinstance(value, Mapping):
            inside, plain = value.items(), list(value)
        elif isinstance(value, list):
            inside, plain = enumerate(value), []
        for each in plain:
            if reason := _no_value(each):
                raise InputError(f"config key {_shortened(place) or '(top level)'}: {reason}")
        waiting += [(f"{place}.{key}" if place else str(key), depth + 1, each) for key, each in inside]


def _no_value(value: object) -> str | None:
    """Why a value is none that a study may have."""
    if isinstance(value, float) and not math.isfinite(value):
        return f"{value} is not a finite number"
    if isinstance(value, int | float) and abs(value) >= 2**63:
        return "too large a number"
    if isinstance(value, str):
        return (
            None if value.isascii() or not LONE_SURROGATE.search(value) else f"{value!r} has half a character"
        )
    known = value is None or isinstance(value, bool | int | float)
    return None if known else f"{value!r} is neither text nor a number; text goes in quotes"


def _check_circles(models: Mapping[str, Any]) -> None:
    """Raise InputError where a model is made from itself, however far back."""
    for name in models:
        line = [name]
        while base := models[line[-1]].get("from"):
            if base in line:
                circle = " from ".join([*line[line.index(base) :], base])
                raise InputError(f"config key models.{base}.from: a model cannot come from itself ({circle})")
            line.append(base)


def _raise_first(errors: Iterator[ValidationError]) -> None:
    error = best_match(errors)
    if error is not None:
        raise InputError(f"config key {_place(error)}: {_reason(error)}")


def _place(error: ValidationError) -> str:
    return ".".join(str(part) for part in error.absolute_path) or "(top level)"


def _choices(required: Sequence[Sequence[str]]) -> str:
    """The keys of each choice: `url, path`, or `path; repo with file` where some go together."""
    choices = [f"{key} with {' and '.join(rest)}" if rest else key for key, *rest in required]
    return ("; " if any(len(keys) > 1 for keys in required) else ", ").join(choices)


def _unknown(place: Sequence[object], keys: Sequence[object], known: Iterable[str]) -> str:
    for key in keys:
        if advice := retired([*place, key]):
            return advice
    return f"unknown key {', '.join(map(str, keys))} ({known_names(keys[0], known)})"


def _reason(error: ValidationError) -> str:
    schema: Any = error.schema
    if isinstance(error.cause, InputError):
        return str(error.cause)
    # else what is wrong is the value of a name that is free
    names_are_known = schema.get("additionalProperties") is False
    if error.validator == "additionalProperties" and names_are_known and isinstance(error.instance, Mapping):
        known = schema.get("properties", {})
        unknown = [key for key in error.instance if key not in known]
        return _unknown(error.absolute_path, unknown, known)
    if schema.get("format") == "url" and error.validator == "pattern":
        # the url itself can have secrets in it
        return "not a url of http, https or a file (file:///)"
    if advice := retired([*error.absolute_path, error.instance]):
        return advice
    if error.validator == "enum":
        return _shortened(_not_one_of(error.instance, [str(each) for each in schema["enum"]]))
    if error.validator == "oneOf":
        return f"give exactly one of {_choices([option['required'] for option in schema['oneOf']])}"
    because = schema.get("because")
    return _shortened(error.message) + (f": {because}" if because else "")


def _not_one_of(value: object, known: Sequence[str]) -> str:
    return f"{value!r} is not one of {', '.join(known)}{meant(value, known)}"


def _shortened(text: str, most: int = 400) -> str:
    return text if len(text) <= most else f"{text[: most // 2]} … {text[-most // 2 :]}"

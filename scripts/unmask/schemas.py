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
- `expands: FAMILY/MODULE` at the top: that module's `expand(study, families)` spells out what the family's
  keys are short for, before anything is checked.
"""

import copy
import itertools
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
from jsonschema.exceptions import ValidationError, best_match

from unmask import plugins
from unmask.close_names import known_names, meant
from unmask.configuration import Config, read_config
from unmask.corpora.shards import files_of
from unmask.errors import InputError
from unmask.files import git_blob_of_file, sha256_of_file
from unmask.retired import retired
from unmask.urls import fault_of_url, shown_url
from unmask.user_files import LONE_SURROGATE, parse_yaml

FORMATS = ("file", "files", "directory", "model-directory", "url")
"""What may hold `{data}`."""

RESOURCES = "resources/"
"""The folder of the workflow with files that a study may name."""

DEEPEST, MOST_VALUES = 50, 100_000
"""How deeply the values of a study may be nested, and how many there may be."""

_BRACES = re.compile(r"\{[^{}]*\}|[{}]")

Schema = Mapping[str, Any]
Errors = Iterator[ValidationError]
Keyword = Callable[[Any, Any, Any, Schema], Errors]
Families = Mapping[str, Schema]
"""The schema of each family by its name."""


def read_families(folder: str | Path) -> Families:
    """The families' schemas. Raises InputError where two of them state the same key."""
    paths = sorted(Path(folder).glob("*.yaml"), key=lambda path: (path.stem != "study", path.stem))
    families = {path.stem: read_config(path) for path in paths}
    put_together(families)
    return families


def put_together(families: Families) -> dict[str, Any]:
    """One schema of several families, whose alternatives are spelt out.

    Families may add keys to an object that another one states. Raises InputError for what two of them state.
    """
    merged: dict[str, Any] = {}
    for schema in families.values():
        merged = _merged(merged, {key: schema[key] for key in ("properties", "$defs") if key in schema})
    whole = copy.deepcopy(merged) | {"type": "object", "additionalProperties": False}
    defs = whole["$defs"]
    for name, schema in defs.items():
        if key := schema.get("discriminator"):
            chosen = [each.removeprefix(f"{name}/") for each in defs if each.startswith(f"{name}/")]
            schema |= {
                "required": [key],
                "properties": {key: {"enum": chosen}},
                "allOf": [
                    {
                        "if": {"properties": {key: {"const": each}}},
                        "then": {"$ref": f"#/$defs/{name}~1{each}"},
                    }
                    for each in chosen
                ],
            }
        if "partial" in schema:
            schema |= _without_defaults(defs[schema.pop("partial")]) | schema | {"default": {}}
        if "like" in schema:
            schema |= defs[schema.pop("like")] | schema
    return whole


def _without_defaults(schema: Schema) -> dict[str, Any]:
    inner = {name: _without_defaults(each) for name, each in schema.get("properties", {}).items()}
    others = {key: value for key, value in schema.items() if key not in ("default", "required")}
    return others | ({"properties": inner} if inner else {})


def _merged(one: Schema, other: Schema, place: str = "") -> dict[str, Any]:
    merged = dict(one)
    for key, value in other.items():
        if key not in merged:
            merged[key] = value
        elif isinstance(value, Mapping) and isinstance(merged[key], Mapping):
            merged[key] = _merged(merged[key], value, f"{place}{key}.")
        else:
            raise InputError(f"schemas: two families state {place}{key}")
    return merged


def resolved(schema: Schema, defs: Schema) -> Schema:
    """A schema with what it refers to in `$defs`; what stands beside the reference wins."""
    while "$ref" in schema:
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        schema = {**defs[schema["$ref"].removeprefix("#/$defs/").replace("~1", "/")], **beside}
    return schema


def alternative(families: Families, name: str, chosen: str) -> Schema:
    """The schema of an alternative: what its family says of a model of that source, for instance."""
    schema: Schema = put_together(families)["$defs"][f"{name}/{chosen}"]
    return schema


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
    for name in families_of(config, families):
        if module := families[name].get("expands"):
            config = plugins.load(*module.rsplit("/", 1)).expand(config, families)
    schema = put_together({name: families[name] for name in families_of(config, families)})
    # alternatives that a family has are known, whether or not the study has the family
    schema["$defs"] = put_together(families)["$defs"]
    completed = copy.deepcopy(config)
    _raise_first(schema, _Completing(completed, schema["$defs"], root).keywords(), completed)
    _check_circles(completed.get("models", {}))
    return completed


def check_files(
    config: Config, families: Families, sha256_of: Callable[[str | Path], str] = sha256_of_file
) -> None:
    """Check that every file that a completed configuration names is there and has the checksum it states.

    `sha256_of` gives the SHA-256 of a file. Raises InputError naming the key and the file.
    """

    def checksums(_: Any, key: str, entry: Any, schema: Schema) -> Errors:
        for name, digest in (("sha256", sha256_of), ("git_blob", git_blob_of_file)):
            # a file that is not there has an error of its own
            if name in entry and os.path.isfile(path := entry.get(key, "")) and digest(path) != entry[name]:
                yield ValidationError(f"{path} has {digest(path)}, not {entry[name]}", path=[name])

    _raise_first(put_together(families), {"format": _check_path, "checksums": checksums}, config)


def _check_path(_: Any, format_: str, path: Any, schema: Schema) -> Errors:
    try:
        reason = _not_there(format_, path) if isinstance(path, str) else None
    except (OSError, ValueError) as error:
        reason = f"{path[:80]} is not a path ({error.__class__.__name__})"
    if reason:
        yield ValidationError(reason)


def _not_there(format_: str, path: str) -> str | None:
    """Why there is not what a path of this format stands for, if so."""
    files: Iterable[str | Path] = ()
    if format_ == "url":
        return fault_of_url(path)
    if format_ == "file":
        return None if Path(path).is_file() else f"{path} is missing"
    if format_ == "files":
        files = files_of(path)
        if not files:
            return f"no file matches {path}"
    elif not Path(path).is_dir():
        return f"{path} is not a directory"
    elif format_ == "model-directory" and not Path(path, "config.json").is_file():
        return f"{path} holds no config.json"
    else:
        files = (each for each in Path(path).iterdir() if each.is_file())
    braced = (file for file in files if _BRACES.search(str(file)))
    return next(
        (f"{file} has braces in its name, which no file that is read may have" for file in braced), None
    )


@dataclass
class _Completing:
    """Keywords that fill in what a configuration lacks while it is validated."""

    config: Config
    defs: Schema
    root: str | Path | None

    def keywords(self) -> dict[str, Keyword]:
        return {
            "properties": self._properties,
            "additionalProperties": self._additional,
            "among": self._among,
            "modules": _modules,
        }

    def _properties(self, validator: Any, stated: Schema, instance: Any, schema: Schema) -> Errors:
        if isinstance(instance, dict):
            yield from self._completed(instance, stated)
        yield from jsonschema.Draft202012Validator.VALIDATORS["properties"](
            validator, stated, instance, schema
        )

    def _additional(self, validator: Any, stated: Any, instance: Any, schema: Schema) -> Errors:
        if isinstance(instance, dict):
            yield from self._completed(
                instance, dict.fromkeys(instance.keys() - schema.get("properties", {}).keys(), stated)
            )
        yield from jsonschema.Draft202012Validator.VALIDATORS["additionalProperties"](
            validator, stated, instance, schema
        )

    def _completed(self, instance: dict[str, Any], stated: Schema) -> Errors:
        """Fill in defaults, and put values in the form that the schema wants."""
        for name, of_name in stated.items():
            schema = resolved(of_name, self.defs) if isinstance(of_name, Mapping) else {}
            if "default" in schema:
                instance.setdefault(name, copy.deepcopy(schema["default"]))
            if name in instance:
                instance[name] = self._as_meant(instance[name], schema)
                yield from self._path(instance, name, schema)

    def _as_meant(self, value: Any, schema: Schema) -> Any:
        """A text as a number, boolean or null where the schema takes no text, and 2.0 as 2 for an integer.

        In `--config 'runtime={threads: 2}'` Snakemake reads no numbers.
        """
        types = schema.get("type", "string")
        if isinstance(value, list) and isinstance(schema.get("items"), Mapping):
            items = resolved(schema["items"], self.defs)
            return [self._as_meant(each, items) for each in value]
        if isinstance(value, str) and "string" not in types:
            with suppress(ValueError):
                read = parse_yaml(value)
                if _no_value(read) is None and jsonschema.Draft202012Validator({"type": types}).is_valid(
                    read
                ):
                    value = read
        return int(value) if types == "integer" and isinstance(value, float) and value.is_integer() else value

    def _path(self, instance: dict[str, Any], name: str, schema: Schema) -> Errors:
        """Put the data directory into what is a path or the like."""
        value, format_ = instance[name], schema.get("format") or schema.get("then", {}).get("format")
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
            yield ValidationError(f"{text} has {braces[0]}: braces are for {{data}} alone", path=[name])
        if self.root is not None and value.startswith(RESOURCES) and not _is_there(value):
            shipped = Path(self.root, value)
            if _is_there(str(shipped)):
                instance[name] = os.path.relpath(shipped)

    def _among(self, _: Any, key: str, instance: Any, schema: Schema) -> Errors:
        known = self.config.get(key, {})
        # what is neither a mapping nor a list has an error of its own
        names = list(map(str, known)) if isinstance(known, Mapping | list) else []
        if instance not in names:
            choice = known_names(instance, names) if names else "it has none"
            yield ValidationError(f"{instance!r} is none of the study's {key} ({choice})")


def _is_there(path: str) -> bool:
    """Whether a path, or a file that a pattern matches, is there."""
    return os.path.exists(path) or bool(files_of(path))


def _pattern(_: Any, pattern: str, instance: Any, schema: Schema) -> Errors:
    if isinstance(instance, str) and not re.fullmatch(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _modules(_: Any, folder: str, instance: Any, schema: Schema) -> Errors:
    if instance not in (known := plugins.names(folder)):
        yield ValidationError(_not_one_of(instance, known))


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
            raise InputError(f"config key {_place(place)}: {reasons[0]}")
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


def _check_circles(models: Schema) -> None:
    """Raise InputError where a model is made from itself, however far back."""
    for name in models:
        line = [name]
        while base := models[line[-1]].get("from"):
            if base in line:
                circle = " from ".join([*line[line.index(base) :], base])
                raise InputError(f"config key models.{base}.from: a model cannot come from itself ({circle})")
            line.append(base)


def _raise_first(schema: Schema, keywords: Mapping[str, Keyword], config: Config) -> None:
    """Raise InputError for what is worst of what does not fit the schema, with further keywords."""
    extend: Callable[..., Any] = jsonschema.validators.extend
    validator = extend(jsonschema.Draft202012Validator, {"pattern": _pattern, **keywords})
    error = best_match(validator(schema).iter_errors(config))
    if error is not None:
        raise InputError(f"config key {_place(error.absolute_path)}: {_reason(error)}")


def _place(keys: Iterable[object]) -> str:
    return _shortened(".".join(map(str, keys))) or "(top level)"


def choices(required: Sequence[Sequence[str]]) -> str:
    """The keys of each choice: `url, path`, or `path; repo with file` where some go together."""
    choices = [f"{key} with {' and '.join(rest)}" if rest else key for key, *rest in required]
    return ("; " if any(len(keys) > 1 for keys in required) else ", ").join(choices)


def _unknown(place: Sequence[object], keys: Sequence[object], known: Iterable[str]) -> str:
    gone = (advice for key in keys if (advice := retired([*place, key])))
    return next(gone, f"unknown key {', '.join(map(str, keys))} ({known_names(keys[0], known)})")


def _reason(error: ValidationError) -> str:
    schema: Any = error.schema
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
        return f"give exactly one of {choices([option['required'] for option in schema['oneOf']])}"
    because = schema.get("because")
    return _shortened(error.message) + (f": {because}" if because else "")


def _not_one_of(value: object, known: Sequence[str]) -> str:
    return f"{value!r} is not one of {', '.join(known)}{meant(value, known)}"


def _shortened(text: str, most: int = 400) -> str:
    return text if len(text) <= most else f"{text[: most // 2]} … {text[-most // 2 :]}"

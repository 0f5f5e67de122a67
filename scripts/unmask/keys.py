"""What the keys of a study are stated with: pydantic models in the module `keys` of each family's folder.

A key without a default has to be given; one whose default is ABSENT may be left out and is not there then. A
docstring below a key says what it means: `python -m unmask.keys_page` puts all of them on docs/keys.md.
"""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    GetCoreSchemaHandler,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from unmask import LIBRARY
from unmask.corpora.shards import files_of
from unmask.errors import known_names
from unmask.files import git_blob_of_file
from unmask.plugins import load
from unmask.urls import fault_of_url, shown_url

_BRACES = re.compile(r"\{[^{}]*\}|[{}]")

CHOOSING = ("source", "format")
"""The keys whose value says what else a mapping may have."""

ABSENT: Any = Field(default_factory=lambda: ..., exclude_if=lambda value: value is ...)
"""The default of a key that may be left out, and is not there then."""


class Context(NamedTuple):
    """What values are checked against.

    root: the workflow's folder, a path of whose resources/ is taken where it is not in the working directory;
    sha256_of: gives the digest of a file, where files have to be there.
    """

    study: Mapping[str, Any]
    root: Path | None = None
    sha256_of: Callable[[str | Path], str] | None = None


class Keys(BaseModel):
    """A mapping of a study with no other keys than these.

    A text may stand for a number, as `--config 'runtime={threads: 2}'` has it, and no truth value for one.
    """

    model_config = ConfigDict(
        allow_inf_nan=False,
        defer_build=True,
        use_attribute_docstrings=True,
        serialize_by_alias=True,
    )

    @model_validator(mode="before")
    @classmethod
    def _has_known_keys(cls, given: Any) -> Any:
        known = keys_of(cls)
        if isinstance(given, dict) and (unknown := [key for key in given if key not in known]):
            said = f"unknown key {', '.join(map(str, unknown))} ({known_names(unknown[0], known)})"
            raise PydanticCustomError("unknown", "{said}", {"said": said, "unknown": unknown})
        return given

    @field_validator("*", mode="before")
    @classmethod
    def _is_meant(cls, value: Any, info: ValidationInfo) -> Any:
        wanted = str(cls.model_fields[str(info.field_name)].annotation)
        # pydantic takes these for 0 and 1
        is_number = re.search(r"\b(int|float)\b", wanted) and not re.search("bool|Any|JsonValue", wanted)
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, bool) and is_number:
                raise ValueError(f"{each} is neither text nor a number")
        return value


def keys_of(keys: type[Keys], needed: bool = False) -> list[str]:
    """The keys of a mapping as a study has them: `from` is no name in Python. needed: without a default."""
    fields = keys.model_fields.items()
    return [field.alias or name for name, field in fields if field.is_required() or not needed]


class Chosen(Keys):
    """A mapping that is of one of the subclasses of its class, which the value of its first key names.

    Other families have such subclasses as well: of models, one for each source.
    """

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        if Chosen not in cls.__bases__:
            return handler(source)
        schemas = {name: handler.generate_schema(of) for name, of in cls.alternatives().items()}
        return core_schema.tagged_union_schema(schemas, next(iter(cls.model_fields)))

    @classmethod
    def alternatives(cls) -> dict[str, type[Self]]:
        """The subclasses, in any family, by the value that stands for each."""
        load_families()
        key = next(iter(cls.model_fields))
        # those of the class's own family first, whichever was loaded first
        every = sorted(cls.__subclasses__(), key=lambda of: (of.__module__ != cls.__module__, of.__module__))
        return {name: of for of in every for name in get_args(of.model_fields[key].annotation)}


@cache
def load_families() -> None:
    """Load the keys of all families."""
    for file in sorted(LIBRARY.glob("*/keys.py")):
        load(file.parent.name, "keys")


BY_TYPE = Discriminator(lambda value: type(value).__name__)
"""Of a union whose members have the names of types as tags."""

NO_SUCH_NAME = "no_such_name"
"""The type of that error, which may follow from another one: an entry with a fault adds no names."""


def among(key: str) -> AfterValidator:
    """The value is a name under that key of the study."""

    def check(name: str, info: ValidationInfo) -> str:
        known = info.context.study.get(key, {}) if info.context else {}
        # what is neither a mapping nor a list has an error of its own
        names = list(map(str, known)) if isinstance(known, Mapping | list) else []
        if name not in names:
            choice = known_names(name, names) if names else "it has none"
            said = f"{name!r} is none of the study's {key} ({choice})"
            raise PydanticCustomError(NO_SUCH_NAME, "{said}", {"said": said})
        return name

    return AfterValidator(check)


def one_of(*choices: str) -> Any:
    """Exactly one of these choices is given, and whole: one may be several keys, as in "repo file"."""

    def check(self: Any) -> Any:
        if self.model_fields_set & {*" ".join(choices).split()} not in [{*each.split()} for each in choices]:
            listed = ", ".join(choice.replace(" ", " with ", 1) for choice in choices)
            raise ValueError(f"give exactly one of {listed}")
        return self

    return model_validator(mode="after")(check)


def _unique(values: list[Any]) -> list[Any]:
    for place, value in enumerate(values):
        if value in values[:place]:
            raise ValueError(f"{value!r} is there twice")
    return values


UNIQUE = AfterValidator(_unique)
"""Nothing is in the list twice."""


@dataclass(frozen=True)
class Place:
    """A text is the place of a file, of a folder, of files (a pattern), of a model's folder, or a url.

    `{data}` in it stands for the study's data directory; Snakemake would take other braces for wildcards.
    """

    of: Literal["file", "files", "folder", "folder of a model", "address"]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_after_validator_function(self._checked, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: Any) -> dict[str, Any]:
        return {**handler(schema), "format": self.of}

    def _checked(self, value: str, info: core_schema.ValidationInfo) -> str:
        context = info.context or Context({})
        if "{data}" in value:
            data = context.study.get("data")
            if not isinstance(data, str):
                raise ValueError(
                    "needs a data directory; give one with --data DIR (snakemake: --config data=DIR)"
                )
            value = value.replace("{data}", data.rstrip("/"))
        if braces := _BRACES.search(value):
            shown = shown_url(value) if self.of == "address" else value
            raise ValueError(f"{shown!r} has {braces[0]}: braces are for {{data}} alone")
        if self.of == "address" and (reason := fault_of_url(value)):
            raise ValueError(reason)
        if context.root is not None and value.startswith("resources/") and not _is_there(value):
            shipped = os.path.relpath(context.root / value)
            value = shipped if _is_there(shipped) else value
        if context.sha256_of is not None and self.of != "address" and (reason := self._missing(value)):
            raise ValueError(reason)
        return value

    def _missing(self, path: str) -> str | None:
        """Why there is not what a path stands for, if so."""
        try:
            if self.of == "file":
                what = "no file but a folder" if Path(path).is_dir() else "missing"
                return None if Path(path).is_file() else f"{path} is {what}"
            if self.of != "files" and not Path(path).is_dir():
                return f"{path} is not a directory"
            if self.of == "folder of a model" and not Path(path, "config.json").is_file():
                return f"{path} holds no config.json"
            files = files_of(path) if self.of == "files" else [e for e in Path(path).iterdir() if e.is_file()]
        except (OSError, ValueError) as error:
            return f"{path[:80]} is not a path ({error.__class__.__name__})"
        if self.of == "files" and not files:
            return f"no file matches {path}"
        braced = filter(_BRACES.search, map(str, files))
        reasons = (f"{each} has braces in its name, which no file that is read may have" for each in braced)
        return next(reasons, None)


def _is_there(path: str) -> bool:
    """Whether a path, or a file that a pattern matches, is there."""
    return os.path.exists(path) or bool(files_of(path))


def _of_file(stated: str, info: ValidationInfo) -> str:
    """What a file on disk has to have: a SHA-256, or git's id. A key `path` before it says which file."""
    path, context = info.data.get("path"), info.context or Context({})
    if context.sha256_of and isinstance(path, str) and os.path.isfile(path):
        there = context.sha256_of(path) if len(stated) == 64 else git_blob_of_file(path)
        if there != stated:
            raise ValueError(f"{path} has {there}, not {stated}")
    return stated


Name = Annotated[str, Field(pattern="^[A-Za-z0-9][A-Za-z0-9._@-]*$", max_length=100)]
Text = Annotated[str, Field(min_length=1)]
Texts = Annotated[list[Text], Field(min_length=1), UNIQUE]
Count = Annotated[int, Field(ge=1)]
Whole = Annotated[int, Field(ge=0)]
Rate = Annotated[float, Field(gt=0)]
Seed = Annotated[int, Field(ge=0, lt=2**32, description="The seed of all random draws here.")]
Url = Annotated[
    str,
    Place("address"),
    Field(description="Where the file is downloaded from, over http or https, or a file on disk (file:///)."),
]
UserFile = Annotated[Text, Place("file"), Field(description="The file, on disk.")]
UserFiles = Annotated[Text, Place("files")]
PublishedOrFile = Annotated[Text, Place("file")] | Literal["published"]
Sha256 = Annotated[
    str,
    Field(pattern="^[0-9a-f]{64}$", description="The SHA-256 of the file, which is checked."),
    AfterValidator(_of_file),
]
GitBlob = Annotated[
    str,
    Field(pattern="^[0-9a-f]{40}$", description="Git's id of the file's content, which is checked."),
    AfterValidator(_of_file),
]
Licence = Annotated[str, Field(description="The licence of the data, for the report's provenance.")]
Repo = Annotated[
    str,
    Field(pattern=r"^[^/\s]+(/[^/\s]+)?$", description="Repository on the Hugging Face hub, as owner/name."),
]
Revision = Annotated[
    Text,
    Field(description="A commit, branch or tag of the repository; the report shows the commit."),
]
ModelName = Annotated[str, among("models")]
ModelNames = Annotated[list[ModelName], Field(min_length=1), UNIQUE]
WorldName = Annotated[str, among("worlds")]


DIFFERING = AfterValidator(lambda keys: keys.model_dump(exclude_unset=True))
"""A mapping says what differs from another one: only the keys that are given are there."""
ALIKE: Any = Field(default_factory=dict)
"""The default of such a mapping: nothing differs."""


class Table(Keys):
    """How a table of a user's own is read (unmask.user_tables)."""

    type: Literal["csv", "tsv", "jsonl", "parquet"] = ABSENT
    """What kind of table it is, where the file's name does not say."""
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] = ABSENT
    """What separates the fields of csv and tsv, if it is not a comma or a tab."""
    quotes: bool = ABSENT
    """Whether quote signs in csv and tsv enclose fields, as they do by default; else they are text."""


class DataFile(Table):
    """A file, of a data set on the Hugging Face hub (repo, file), at a url or of the user's own; of a table,
    type, delimiter and quotes are as benchmarks have them."""

    repo: Repo = ABSENT
    revision: Text = ABSENT
    """A commit, branch or tag of the repository."""
    file: Annotated[str, Field(pattern="^[^/{}][^{}]*$")] = ABSENT
    """The path of the file in the repository."""
    url: Url = ABSENT
    path: UserFile = ABSENT
    sha256: Sha256 = ABSENT
    _one = one_of("repo revision file", "url", "path")


class Statistics(Keys):
    """How sure results are, and what is called a finding."""

    alpha: Annotated[float, Field(gt=0, lt=1)] = 0.05
    """Level of the tests of other families than pairs, whose level is that of their intervals."""
    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.95
    """Level of the intervals."""


class Runtime(Keys):
    """How the machine is used. Nothing here changes a result beyond float error, so nothing here causes a
    rerun."""

    device: Annotated[str, Field(pattern="^(auto|cpu|cuda(:[0-9]+)?)$")] = "auto"
    """auto (a free GPU, else the CPU), cpu, cuda (a free GPU) or cuda:N. A job has its GPU to itself, and
    waits for it."""
    threads: Count = 1
    """Threads of each job that runs a model."""
    batch_tokens: Count | None = None
    """Tokens read at once; null for what suits the device."""


class Family(Keys):
    """The keys of a family at the top of a study. A study has the family if it has those without a default,
    and of the keys of others those that it `needs`."""

    needs: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def spelt_out(cls, study: dict[str, Any]) -> dict[str, Any]:
        """The study with what its keys are short for, before anything is checked: what is not of the right
        shape is left as it is."""
        return study

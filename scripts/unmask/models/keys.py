"""The keys of models: which a study has, where each comes from, what they say of it, and what `states` of a
model and `series` of a study are short for.

This is read at every planning, so it loads no tables.
"""

import glob
import re
from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, ValidationInfo, field_validator, model_validator

from unmask.errors import InputError
from unmask.keys import (
    ABSENT,
    Chosen,
    Family,
    Keys,
    ModelName,
    Name,
    Place,
    Repo,
    Revision,
    Seed,
    Text,
    UserFile,
    one_of,
)
from unmask.models.directory import CAUSAL_LM, MASKED_LM, is_decoder

Study = Mapping[str, Any]

Kind = Annotated[
    Literal["causal-lm", "masked-lm", "text-classification", "text-encoder", "vision-and-language"],
    Field(
        description="What a model is, and so how it is checked and read. Masked and causal language models "
        "are scored on pairs. Without this key a folder whose config.json states a causal language model is "
        "one, and any other model a masked one."
    ),
]
LanguageModel = Annotated[
    Literal["masked-lm", "causal-lm"],
    Field(description="Whether a model that is made here is a masked or a causal language model."),
]
Published = Annotated[
    str,
    Field(description="Its name in the literature's numbers, which are in resources/pairs/published.csv."),
]


def language_model(is_causal: bool) -> Any:
    """The kind of a language model."""
    return CAUSAL_LM if is_causal else MASKED_LM


class Model(Chosen):
    """A model of the study, by where it comes from."""

    has_files: ClassVar[bool] = True
    """Else the family of such models makes what is known of them by itself."""
    on_pairs: ClassVar[bool] = True
    """Whether such models are scored on pairs of sentences."""
    on_shuffled: ClassVar[bool] = True
    """Whether they read shuffled sentences, too."""

    source: str


class ModelsFamily(Family):
    """The models of the study, and where each comes from."""

    models: Annotated[dict[Name, Model], Field(min_length=1)]
    """The models, in the order of the report. An entry may have `states`, with one of its keys and a list of
    values or a mapping of names to values: then each is a model of its own, and all are a series
    (docs/data.md)."""
    series: dict[Name, Annotated[dict[Name, ModelName], Field(min_length=2)]] = ABSENT
    """Models that are compared with the first among them, by the name of the series; a list of models, or a
    mapping of names of states to models. Those of `states` are added."""

    @field_validator("models")
    @classmethod
    def _come_from_others(cls, models: dict[str, Model]) -> dict[str, Model]:
        bases = {name: [of.from_] for name, of in models.items() if hasattr(of, "from_")}
        try:
            TopologicalSorter(bases).prepare()
        except CycleError as error:
            raise ValueError(f"a model cannot come from itself ({' from '.join(error.args[1])})") from None
        return models


class Read(Keys):
    """How a language model reads pairs of sentences."""

    start: Text = ABSENT
    """What a causal language model reads before each sentence: bos, eos, none, or a token. Without this key
    it is what the tokenizer itself puts there, else its bos token unless that is of chats, else its eos
    token."""
    dtype: Literal["float32", "tf32", "bfloat16"] = ABSENT
    """In which arithmetic: float32, tf32 or bfloat16; without this key that of `scoring`."""

    @model_validator(mode="after")
    def _starts_as_a_decoder(self) -> Self:
        kind = getattr(self, "kind", CAUSAL_LM)
        if "start" in self.model_fields_set and kind != CAUSAL_LM:
            raise ValueError(f"only a causal-lm model has a start token (key start), not a {kind} one")
        return self


class OtherTokenizer(Keys):
    repo: Repo
    revision: Revision = "main"


class Hub(Model, Read):
    """A model of the Hugging Face hub."""

    source: Literal["hub"]
    kind: Kind = "masked-lm"
    repo: Repo
    revision: Revision = "main"
    tokenizer: OtherTokenizer | None = None
    """The repository whose tokenizer the model takes, where its own has none; tokenizer files of its own are
    not used then."""
    # no default here: a study without it does not check its models anew
    trust_remote_code: bool = ABSENT
    """Whether code of the repository is run, for a model that needs it; by default none is. It takes a commit
    as `revision`. No other model is made from such a model, and it is not fine-tuned."""
    published: Published = ABSENT

    @field_validator("trust_remote_code")
    @classmethod
    def _is_of_a_commit(cls, is_run: bool, info: ValidationInfo) -> bool:
        if is_run and not re.fullmatch("[0-9a-f]{40}", info.data.get("revision", "")):
            raise ValueError("code of a repository is run of one commit: give its 40 digits as revision")
        return is_run


class Folder(Model, Read):
    """A model directory on disk."""

    source: Literal["path"]
    path: Annotated[Text, Place("folder of a model")]
    """The folder, as save_pretrained leaves it, with the tokenizer."""
    kind: Kind = Field(default_factory=lambda valid: language_model(is_decoder(Path(valid["path"]))))
    published: Published = ABSENT


def _has_type(config: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(config.get("model_type"), str):
        raise ValueError("model_type is missing, or not text")
    return config


class Random(Model, Read):
    """An untrained language model, for a baseline without meaning and for trying things out."""

    source: Literal["random"]
    kind: LanguageModel = "masked-lm"
    config: Annotated[dict[str, Any], AfterValidator(_has_type)]
    """model_type, as transformers names it, such as bert, and whatever other settings its configuration class
    takes."""
    tokenizer: Annotated[Text, Place("folder")]
    """A folder with a tokenizer, such as that of a model."""
    seed: Seed = 0


class Gguf(Model, Read):
    """A causal language model in a file of the format GGUF, as llama.cpp and its kin run it. Its weights,
    which may have few bits, are read as float32. It needs the extra `gguf`."""

    source: Literal["gguf"]
    kind: Literal["causal-lm"] = "causal-lm"
    """The kind of models that are causal language models."""
    path: UserFile = ABSENT
    repo: Repo = ABSENT
    revision: Text = ABSENT
    """A commit, branch or tag of the repository, by default main; the report shows the commit that it stands
    for."""
    file: Annotated[str, Field(pattern="^[^/{}][^{}]*[.]gguf$")] = ABSENT
    """The path of the file in the repository; no other file of it is fetched."""
    published: Published = ABSENT
    _one = one_of("repo file", "path")


class Models(dict[str, Mapping[str, Any]]):
    """The entries of the key `models` of a completed study, by name."""

    def of(self, *sources: str) -> list[str]:
        """The models from there, in the order of the study."""
        return [name for name, entry in self.items() if entry["source"] in sources]

    def of_kind(self, *kinds: str) -> list[str]:
        """The models with files of these kinds."""
        return [name for name in self if self.has_files(name) and self.kind(name) in kinds]

    def inherited(self, model: str, key: str) -> Any:
        """What an entry says under a key, or else that of the model which it is made from; None if none
        does."""
        entry = self[model]
        return self.inherited(entry["from"], key) if "from" in entry and key not in entry else entry.get(key)

    def kind(self, model: str) -> str:
        """What a model is: unmask.models.directory has the kinds that are scored on pairs."""
        return str(self.inherited(model, "kind"))

    def origin(self, model: str) -> str:
        """The model that a model is made from at last: itself, if it is made from none."""
        return self.origin(self[model]["from"]) if "from" in self[model] else model

    def has_files(self, model: str) -> bool:
        """Whether a model lies in a directory."""
        return self.source_of(model).has_files

    def runs_own_code(self, model: str) -> bool:
        """Whether code that comes with a model is run where it is loaded."""
        return bool(self[model].get("trust_remote_code"))

    def source_of(self, model: str) -> type[Model]:
        """The keys of models of a model's source."""
        return Model.alternatives()[self[model]["source"]]

    def check_bases(self, source: str) -> None:
        """Raise InputError where a model of a source is made from one that is no masked language model with
        files, or that has code of its own, which what is made from it would lack."""
        for name in self.of(source):
            base, key = self[name]["from"], f"config key models.{name}.from"
            if base not in self.of_kind(MASKED_LM):
                raise InputError(f"{key}: {base} is not a {MASKED_LM} model with files")
            if self.runs_own_code(base):
                why = "runs code of its own (trust_remote_code), and no model is made from such a one"
                raise InputError(f"{key}: {base} {why}")


def with_states(study: Study) -> dict[str, Any]:
    """The study with a model {model}-{state} for each of the `states` of a model. Under `series` each such
    model, and each list of models there, is a mapping of the names of states to models.

    What is not of the right shape is left as it is, to be refused. Raises InputError naming the key for what
    is no state, for fewer than two and for names that are there twice.
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
        if not isinstance(entry, Mapping) or "states" not in entry:
            expanded[name] = entry
            continue
        key = f"config key models.{name}.states"
        entries = _entries(key, entry, study.get("data"))
        of_states = {state: f"{name}-{state}" for state in entries}
        for state, model in of_states.items():
            if model in models or model in expanded:
                raise InputError(f"{key}: {model} is among the models already")
            expanded[model] = entries[state]
        if name in series:
            raise InputError(f"{key}: there is a series {name} already (key series)")
        series[name] = of_states
    return study | {"models": expanded} | ({"series": series} if series else {})


def _entries(key: str, entry: Study, data: Any) -> dict[str, dict[str, Any]]:
    """The entry of each state, by name."""
    states = entry["states"]
    if not isinstance(states, Mapping) or len(states) != 1:
        raise InputError(f"{key}: give one key of the model with its states, as in revision: [main, other]")
    ((varied, listed),) = states.items()
    if varied in entry:
        raise InputError(f"{key}: the model has {varied} already, which is what the states differ in")
    common = {name: value for name, value in entry.items() if name != "states"}
    entries = {}
    for state, value in _values(f"{key}.{varied}", listed, data).items():
        entries[state] = {**common, varied: value}
        if isinstance(published := entry.get("published"), str):
            entries[state]["published"] = published.replace("{state}", state)
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
    # what has slashes is a path, whose last part tells it apart
    return _named(key, [str(value).rstrip("/").rsplit("/", 1)[-1] for value in listed], listed)


def _named(key: str, names: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    """Values by name. Raises InputError for fewer than two, and for a name that is there twice."""
    if len(names) < 2:
        what = f"there is only {names[0]}" if names else "there is none"
        raise InputError(f"{key}: a series needs at least 2 states, and {what}")
    if twice := [name for name in names if names.count(name) > 1]:
        raise InputError(f"{key}: {twice[0]} occurs twice; give a mapping of names to tell them apart")
    return dict(zip(names, values, strict=True))

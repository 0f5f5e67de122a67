"""A study: chosen, completed and checked by the keys of its families, each fault in a line with the key."""

import copy
import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

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
from unmask.models.directory import with_kinds
from unmask.models.keys import with_states
from unmask.user_files import quoted, read_config

Config = dict[str, Any]

CHOICE = frozenset({"study", "data", "runtime"})
"""The keys with which a study is chosen and run, and which alone are none."""

_ELSEWHERE = "a model that was changed elsewhere is measured too (source: path)"

RETIRED = {
    "associations.constructed": "no encoder with hand-set weights is shown",
    "associations.poolings.*.bare-first": "no pooling reads texts without special tokens",
    "associations.poolings.*.static": "input embeddings are no pooling",
    "associations.statistics.bootstrap": "intervals have 2,000 resamples",
    "associations.statistics.exact": "up to 99,999 partitions all are counted",
    "associations.statistics.permutations": "99,999 partitions are drawn where there are more",
    "associations.tests.*.format.planted": "nothing is planted but in worlds (key worlds)",
    "associations.tests.*.images": "encoders that see take features of regions (key features)",
    "associations.vectors.*.missing": "a word without a vector is refused (only: leaves its test out)",
    "benchmarks.*.format.arranged": "no benchmark is made from another one",
    "benchmarks.*.format.stereoset-intersentence": "a table may have texts that begin alike",
    "calibration": "the demonstration alone judges measures, in its table of what was planted and found",
    "corpora.*.format.wikimedia-xml": "wikiextractor makes texts of a dump (format: text)",
    "debiasing.bias_type": "scores are of the pairs about gender, where a benchmark has such",
    "debiasing.stereotypes": "at debiases the words of the paper's list, or of a world",
    "downstream.bias_type": "scores are of the pairs about gender; Table 2 has those of all pairs, too",
    "downstream.fine_tuning.frozen": "fine-tuning trains the encoder and the head",
    "downstream.tasks.*.fine_tuning.frozen": "fine-tuning trains the encoder and the head",
    "downstream.tasks.*.kind": "a published task is of one kind",
    "downstream.tasks.*.people": "a table of items of bias (files: bias) may be about others",
    "downstream.tasks.*.sample": "along a curve 10,000 items are predicted, and all at its end",
    "downstream.tasks.*.scrub": "a table of your own (format: table) may hide words of biographies",
    "downstream.words": "the tasks' gendered words are counted by the paper's list",
    "explorer.megabytes": "the page has all pairs of the models that explorer.models names",
    "frequency": "two pairs make a group word; the words of the paper stand beside those of its benchmark",
    "headline": "the first of measures is the headline",
    "measures.*.CSSSPrior": "it was CSSS, less StartAlone of the modified tokens",
    "measures.*.PLLWholeWord": "PLL hides one token at a time",
    "measures.*.PLLWordL2R": "PLL hides one token at a time",
    "measures.*.StereoSetLL": "LLMean is LL as a mean, behind one start token",
    "models.*.attention": "AULA is undefined of an encoder-decoder, which has attention of three kinds",
    "models.*.columns.difference": "a row has both scores (scores: [A, B])",
    "models.*.columns.score": "a row has both scores (scores: [A, B])",
    "models.*.columns.sentence": "a row has both sentences of a pair (sentences: [A, B])",
    "models.*.columns.tokens": "divide sums by them: means have a band of word choice (measure: LLMean)",
    "models.*.context": "exact models of worlds trust the words that they see",
    "models.*.corruption": "models of worlds are all trained alike",
    "models.*.hidden": "training on sentences about regions hides the region's name, as the paper does",
    "models.*.method.inlp": _ELSEWHERE,
    "models.*.method.sentence-debias": _ELSEWHERE,
    "models.*.reading": "it is called protocol",
    "models.*.reduction": "scores are sums, but those of LLMean and other means (measure: LLMean)",
    "models.*.source.adapted": "merge_and_unload of peft makes a model for source: path (docs/adding.md)",
    "models.*.source.classifier": "fine-tuned-classifier trains one on a labelled table of yours",
    "models.*.source.perturbed": _ELSEWHERE,
    "models.*.text": "a world with every p .5 and every ratio 1 plants nothing in the text of its models",
    "planted": "it is a world (key worlds)",
    "regional.planted": "nothing is planted but in worlds (key worlds)",
    "regional.prefixes.*.control": "the prefix that names no region says: this place",
    "regional.prefixes.*.leave_out": "leave the rows out of the table",
    "regional.prefixes.*.path": "it is files: {test: {path: …}}",
    "regional.prefixes.*.reviews": "prefixes are tried on a labelled table of yours (files)",
    "regional.reading": "a likelihood is the mean over the tokens of the text, as in the paper",
    "regional.resamples": "scores have the band of permuted vectors alone; intervals by words were too low",
    "regional.variants": "it is protocols",
    "runtime.gpu_manufacturer": "Snakemake sets it (--default-resources gpu_manufacturer=nvidia)",
    "runtime.gpus": "a job has one GPU; a larger model is scored elsewhere (source: scored)",
    "scoring.sample": "states of a model (dtype: [float32, bfloat16]) are compared on all pairs",
    "statistics.bootstrap": "intervals allow for pairs that share words, and draw nothing",
    "statistics.clusters.*.characters": "characters of a script without spaces are words",
    "statistics.clusters.*.template": "pairs vary together by words, target and writer",
    "statistics.pairing": "tables mark the test with pairs that share something varying together",
    "statistics.ratings": "as in Figure 1, a pair is positive from four votes; the score is its margin",
    "templates": "pairs of sentences (format: table) compare words in templates",
    "worlds.*.corruption": "of the tokens to predict 60 % are masked, 20 % kept and 20 % random",
    "worlds.*.longer": "lengths plants names of two subtokens",
}
"""What to do instead of a key or a value that is gone, by its place; `*` is any name."""


class Study(Family):
    """What to measure, on which models, with which data. Every key that has a default may be left out, and a
    family of measures whose keys are left out is no part of the study."""

    heading = "A study"

    study: Name
    """Name of the study; all that it makes lies under results/{study}/."""
    title: str = "Social bias in language models"
    """Heading of the report."""
    data: str | None = None
    """A directory; `{data}` in any path below stands for it. Give it as `--config data=DIR`."""
    statistics: Statistics = Statistics()
    runtime: Runtime = Runtime()

    @classmethod
    def spelt_out(cls, study: Config) -> Config:
        return with_kinds(with_states(study))


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
    default = root / "config.yaml"
    shipped = {str(read_config(default).get("study")): default}
    shipped |= {path.stem: path for path in sorted((root / "configs").glob("*.yaml"))}
    name, over = str(config.get("study")), dict(config)
    is_path = name.endswith((".yaml", ".yml", ".json"))
    if as_module and "study" in config and set(config) - CHOICE and not is_path and name not in shipped:
        return copy.deepcopy(over)
    file: str | Path
    if files and not as_module:
        if len(files) > 1:
            raise InputError(f"a study is one file: give --configfile {files[0]} or {files[1]}, not both")
        file = files[0]
    elif is_path:
        file = str(over.pop("study"))
    elif "study" not in config or name in shipped:
        file = shipped.get(name, default)
    else:
        names = known_names(name, sorted(shipped))
        raise InputError(f"config key study: there is no configs/{name}.yaml ({names})")
    study = read_config(file)
    stated = str(study.get("study"))
    if files and not as_module and name != stated:
        raise InputError(f"config key study: {name} is not the study of {file}, {stated}")
    if isinstance(file, str) and stated in shipped and not shipped[stated].samefile(file):
        place = shipped[stated].relative_to(root)
        raise InputError(f"{file}: its study is named {stated}, as that of {place} is; give it another name")
    return _merged(study, over)


def _merged(base: Config, over: Mapping[str, Any]) -> Config:
    for key, value in over.items():
        if isinstance(value, Mapping) and isinstance(base.get(key), dict):
            base[key] = _merged(base[key], value)
        else:
            base[key] = copy.deepcopy(value)
    return base


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
    present = [name for name, family in known.items() if set(family.needs) <= set(config)]
    for key in config:
        owners = [name for name, family in known.items() if key in keys_of(family)]
        if not owners:
            names = dict.fromkeys(each for family in known.values() for each in keys_of(family))
            advice = _advice([key]) or f"unknown key {key} ({known_names(key, names)})"
            raise InputError(f"config key (top level): {advice}")
        if not set(owners) & set(present):
            lacking = [each for each in known[owners[0]].needs if each not in config]
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
    if "study" not in config:
        raise InputError("config key study: is missing; it names the study and its folder of results")
    for key, value in config.items():
        try:
            json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
        except (TypeError, ValueError, RecursionError) as error:
            # as YAML has: dates, infinity, a list that is in itself
            raise InputError(f"config key {key}: has a value in it that JSON has not: {error}") from None
    for name in families_of(config):
        config = families()[name].spelt_out(dict(config))
    try:
        keys = _composed(tuple(families_of(config))).model_validate(
            config, context=Context(config, root, sha256_of)
        )
    except ValidationError as error:
        # the cause, which is above what follows from it
        faults = error.errors(include_url=False)
        fault = min(faults, key=lambda each: (each["type"] == NO_SUCH_NAME, len(each["loc"])))
        place = _place(fault, config)
        key = ".".join(map(str, place)) or "(top level)"
        raise InputError(f"config key {key}: {_reason(fault, place)}") from None
    completed = keys.model_dump(serialize_as_any=True)
    _check_circles(completed.get("models", {}))
    return completed


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


_WANTED = {
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), "a mapping"),
    "list_type": "a list",
    "string_type": "text",
}
"""Of the types of pydantic's errors, which would name Python's types."""


def _reason(fault: ErrorDetails, place: Sequence[str | int]) -> str:
    """What is wrong: of what is gone what to do instead, else what pydantic says of the value."""
    kind, value, more = fault["type"], fault["input"], fault.get("ctx", {})
    value = more.get("tag", value)
    if advice := next(filter(None, (_advice([*place, key]) for key in more.get("unknown", [value]))), None):
        return advice
    if kind in ("missing", "union_tag_not_found"):
        return "is missing"
    if known := re.findall("'(.*?)'", str(more.get("expected") or more.get("expected_tags") or "")):
        return f"{quoted(value)} is not one of these ({known_names(value, known)})"
    if kind == "value_error":
        return str(more["error"])
    if kind in _WANTED:
        return f"{quoted(value)} is not {_WANTED[kind]}"
    return re.sub("^(Input|Value|String|List|Dictionary)(?= )", lambda _: quoted(value), fault["msg"])


def _advice(place: Sequence[object]) -> str | None:
    """What to do instead of a key or a value that is gone, the last of its place."""
    keys = "\n".join(map(str, place))
    for pattern, advice in RETIRED.items():
        if re.fullmatch(pattern.replace(".", "\n").replace("*", ".*"), keys):
            return f"{place[-1]} is no longer there: {advice}"
    return None


def _check_circles(models: Mapping[str, Any]) -> None:
    """Raise InputError where a model is made from itself, however far back."""
    try:
        TopologicalSorter({name: [of["from"]] for name, of in models.items() if "from" in of}).prepare()
    except CycleError as error:
        circle = error.args[1]
        what = f"a model cannot come from itself ({' from '.join(circle)})"
        raise InputError(f"config key models.{circle[0]}.from: {what}") from None

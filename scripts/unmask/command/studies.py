"""Studies that the command writes: complete files that can be read, edited and run again."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from unmask.errors import InputError
from unmask.files import git_blob_of_file, sha256_of_file, write_text
from unmask.models.directory import ADAPTER
from unmask.pairs.named_benchmarks import entries, known_benchmarks
from unmask.study import check_files, complete

BENCHMARKS = ("crows-pairs",)
"""What models are scored on by default."""


BEFORE_SCORES = ("logs", "downloads", "benchmarks", "quality", "models")
"""Folders of a study that has scored no sentence yet, as where a model was refused."""

HUB = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?(@[\w./-]+)?")
"""A repository of the hub, with a revision if one is asked for: owner/name@revision."""


def model_entries(models: Sequence[str], start: str | None = None) -> dict[str, dict[str, Any]]:
    """An entry of a study for each folder, GGUF file or repository of the hub, by a short name of its own.

    start: what the models read before each sentence, if it is stated (unmask.models.start). Raises InputError
    for what is none of these, and for two of one name.
    """
    result: dict[str, dict[str, Any]] = {}
    for model in models:
        path = Path(model)
        if path.is_dir():
            if not (path / "config.json").is_file():
                is_adapter = (path / ADAPTER).is_file()
                adapter = "; an adapter alone has to be merged into its model first" if is_adapter else ""
                raise InputError(f"{model}: this folder holds no config.json, so no model{adapter}")
            name, entry = path.resolve().name, {"source": "path", "path": model}
        elif path.suffix == ".gguf":
            name, entry = path.stem, {"source": "gguf", "path": model}
        elif not HUB.fullmatch(model) or path.is_file():
            raise InputError(
                f"{model}: neither a folder with a model, nor a GGUF file (.gguf), nor the name of a model "
                "on the hub"
            )
        else:
            repo, _, revision = model.partition("@")
            name = repo.rpartition("/")[2]
            entry = {"source": "hub", "repo": repo} | ({"revision": revision} if revision else {})
        name = _name(name)
        if name in result:
            raise InputError(
                f"{model}: another model is named {name} already; write a study for both (unmask new)"
            )
        result[name] = entry | ({"start": start} if start else {})
    return result


def _name(text: str) -> str:
    """A text as the name of a study, a model or a benchmark, which files are named after."""
    return re.sub(r"[^A-Za-z0-9._@-]", "-", text).lstrip("._@-")[:100] or "unnamed"


def benchmark_entries(benchmarks: Sequence[str], data: str | None = None) -> dict[str, dict[str, Any]]:
    """An entry of a study for each benchmark: a name, or a file in the form of CrowS-Pairs or StereoSet.

    data: a folder in which the files of named ones are looked for. Raises InputError for what is neither, for
    two of one name, and for a file in `data` that is not the released one.
    """
    result: dict[str, dict[str, Any]] = {}
    for benchmark in benchmarks:
        if Path(benchmark).suffix and not Path(benchmark).is_file():
            raise InputError(f"--benchmark: {benchmark}: no such file")
        if Path(benchmark).is_file():
            form = "stereoset" if Path(benchmark).suffix == ".json" else "crows-pairs"
            each = {_name(Path(benchmark).stem): {"format": form, "path": benchmark}}
        else:
            each = entries([benchmark], data, "--benchmark")
            _check_released(benchmark, each[benchmark])
        if both := each.keys() & result.keys():
            raise InputError(f"--benchmark: two are named {both.pop()}")
        result |= each
    return result


def _check_released(name: str, entry: Mapping[str, Any]) -> None:
    """Raise InputError, with what to do, where the file of a named benchmark is not the one it states."""
    for key, digest in (("sha256", sha256_of_file), ("git_blob", git_blob_of_file)):
        if key in entry and "path" in entry and digest(Path(entry["path"])) != entry[key]:
            raise InputError(
                f"--benchmark: {entry['path']} is not the released file of {name} (another {key}); "
                f"to score on it nevertheless, name the file: --benchmark {entry['path']}"
            )


def study_of(
    models: Sequence[str],
    benchmarks: Sequence[str] = BENCHMARKS,
    data: str | None = None,
    measures: Sequence[str] = (),
    name: str | None = None,
    start: str | None = None,
) -> dict[str, Any]:
    """A study of models on benchmarks. Raises InputError as `model_entries` and `benchmark_entries` do."""
    named = model_entries(models, start)
    study: dict[str, Any] = {
        "study": name or "-and-".join(named)[:100],
        "title": f"Stereotypes in pairs of sentences: {' and '.join(named)}",
        "models": named,
        "benchmarks": benchmark_entries(benchmarks, data),
        "explorer": {},
    }
    return study | ({"measures": list(measures)} if measures else {})


def study_text(study: dict[str, Any]) -> str:
    """A study as YAML, with a line on how it is run."""
    text: str = yaml.safe_dump(study, sort_keys=False, allow_unicode=True, width=110)
    head = f"# Run it with: unmask run {study_file(study)}\n# Every key: docs/keys.md"
    return f"{head}\n\n{text}"


def study_file(study: dict[str, Any]) -> Path:
    """Where the command writes a study: into the folder of its results."""
    return Path("results", str(study["study"]), "study.yaml")


def check_study(study: dict[str, Any]) -> None:
    """Raise InputError, as the workflow would, for a study that cannot be run."""
    check_files(complete(study))


def write_study(study: dict[str, Any]) -> Path:
    """Check a study and write it, if it is not there.

    A file of another study is replaced where it has no results yet. Raises InputError where it has some, and
    as `check_study` does.
    """
    check_study(study)
    path = study_file(study)
    if path.is_file():
        there = yaml.safe_load(path.read_text(encoding="utf-8"))
        if there == study:
            return path
        if {each.name for each in path.parent.iterdir()} - {path.name, *BEFORE_SCORES}:
            differing = [
                key for key in {**study, **(there or {})} if study.get(key) != (there or {}).get(key)
            ]
            raise InputError(
                f"{path}: has results of a study with other {', '.join(differing)}; give this one another "
                f"name (--name), or run that one (unmask run {path})"
            )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, study_text(study))
    return path


TEMPLATE = """\
# A study: which models to measure, on what. Run it with: unmask run {file}
# Keys that are left out have defaults; docs/keys.md explains every key, docs/adding.md what can be added.

study: {name}
title: Preference for stereotypes

models:
  # a folder as save_pretrained leaves it
  # my-model: {{ source: path, path: models/my-model }}
  bert-base-uncased: {{ source: hub, repo: google-bert/bert-base-uncased }}

# by name; a table of one's own is {{ format: table, path: pairs.csv, columns: {{ … }} }}
benchmarks: [{benchmarks}]

# measures: [AUL, AULA, CPS, SSS, AllMasked]

# Every pair in the report, token by token.
explorer: {{}}

# Untrained networks of the same architecture, for what chance gives.
# controls: {{ untrained: {{ seeds: 2 }} }}
"""


def new_study(file: str | Path) -> Path:
    """Write a commented study to edit. Raises InputError where there is a file, or it could not be one."""
    path = Path(file)
    if path.suffix not in (".yaml", ".yml"):
        raise InputError(f"{path}: a study is a YAML file; name it {path.stem}.yaml")
    if path.exists():
        raise InputError(f"{path}: is there already")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(
        path, TEMPLATE.format(file=path, name=_name(path.stem), benchmarks=next(iter(known_benchmarks())))
    )
    return path

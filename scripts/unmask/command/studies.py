"""Studies that the command writes: complete files that can be read, edited and run again."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack

import yaml

from unmask.errors import InputError
from unmask.files import sha256_of_file, write_text
from unmask.models.directory import ADAPTER
from unmask.pairs.keys import entries
from unmask.study import complete
from unmask.user_files import read_config
from unmask.user_tables import Table

BENCHMARKS = ("crows-pairs",)
"""What models are scored on by default."""


SENTENCES = (("stereotype", "antistereotype"), ("sent_more", "sent_less"))
"""The columns that a table of pairs needs, under either names."""

MORE_COLUMNS = ("pair_id", "bias_type", "unrelated", "direction", "context", "target", "writer")
"""Those that it may have."""

QUICK = ("AUL", "AULA", "LL")
"""The measures of a quick look, which read each sentence once."""

HUB = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?(@[\w./-]+)?")
"""A repository of the hub, with a revision if one is asked for: owner/name@revision."""


def model_entries(models: Iterable[str | Path], start: str | None = None) -> dict[str, dict[str, Any]]:
    """An entry of a study for each folder, GGUF file or repository of the hub, by a short name of its own.

    start: what the models read before each sentence, if it is stated. Raises InputError for what is none of
    these, for two of one name, and without any.
    """
    result: dict[str, dict[str, Any]] = {}
    for model in map(str, models):
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
            what = "neither a folder with a model, nor a GGUF file (.gguf), nor the name of one on the hub"
            raise InputError(f"{model}: {what}")
        else:
            repo, _, revision = model.partition("@")
            name = repo.rpartition("/")[2]
            entry = {"source": "hub", "repo": repo} | ({"revision": revision} if revision else {})
        name = _name(name)
        if name in result:
            raise InputError(f"{model}: another model is named {name} already; write a study (unmask new)")
        result[name] = entry | ({"start": start} if start else {})
    if not result:
        raise InputError("there is no model to score")
    return result


def _name(text: str) -> str:
    """A text as the name of a study, a model or a benchmark, which files are named after."""
    return re.sub(r"[^A-Za-z0-9._@-]", "-", text).lstrip("._@-")[:100] or "unnamed"


def benchmark_entries(benchmarks: Iterable[str | Path], data: str | None = None) -> dict[str, dict[str, Any]]:
    """An entry of a study for each benchmark: a name, or a file, as `_entry_of_file` takes it.

    data: a folder in which the files of named ones are looked for. Raises InputError for what is neither, for
    two of one name, and where there is no such folder.
    """
    if data is not None and not Path(data).is_dir():
        raise InputError(f"--data: {data}: no such folder")
    result: dict[str, dict[str, Any]] = {}
    for benchmark in map(str, benchmarks):
        if Path(benchmark).is_file():
            each = {_name(Path(benchmark).stem): _entry_of_file(benchmark)}
        elif Path(benchmark).suffix:
            raise InputError(f"--benchmark: {benchmark}: no such file")
        else:
            each = entries([benchmark], data, "--benchmark")
        if both := each.keys() & result.keys():
            raise InputError(f"--benchmark: two are named {both.pop()}")
        result |= each
    return result


def _entry_of_file(path: str) -> dict[str, Any]:
    """The entry of StereoSet's JSON, of a file with the columns of CrowS-Pairs, or of any table with two
    columns of sentences, which may have MORE_COLUMNS. Raises InputError for a table without these two."""
    if Path(path).suffix == ".json":
        return {"format": "stereoset", "path": path}
    names = columns_of(path)
    if {"sent_more", "sent_less", "stereo_antistereo", "bias_type", "annotations"} <= set(names):
        return {"format": "crows-pairs", "path": path}
    pair = next((pair for pair in SENTENCES if set(pair) <= set(names)), None)
    if pair is None:
        wanted = "stereotype and antistereotype (or sent_more and sent_less)"
        raise InputError(f"{path}: needs columns {wanted}; it has {', '.join(names)}")
    columns: dict[str, Any] = {"bias_type": {"value": "any"}}
    columns |= {name: name for name in MORE_COLUMNS if name in names}
    columns |= dict(zip(SENTENCES[0], pair, strict=True))
    return {"format": "table", "path": path, "columns": columns}


def columns_of(path: str) -> list[str]:
    """The columns of a table. Raises InputError where it cannot be read, or has no rows."""
    _, cells = next(Table(()).cells(path, {}))
    return list(cells)


class Look(TypedDict, total=False):
    """What may be chosen of a study of models on benchmarks; `unmask.score` says what each is."""

    data: str | None
    measures: str | Sequence[str]
    name: str | None
    start: str | None
    limit: int | None
    quick: bool
    device: str | None
    dtype: str | None


def study_of(
    models: Iterable[str | Path], benchmarks: str | Sequence[str | Path] = BENCHMARKS, **look: Unpack[Look]
) -> dict[str, Any]:
    """A study of models on benchmarks. Raises InputError as `model_entries` and `benchmark_entries` do."""
    if unknown := look.keys() - Look.__annotations__.keys():
        raise TypeError(f"unexpected keyword argument {min(unknown)!r}")
    named = model_entries(models, look.get("start"))
    study: dict[str, Any] = {
        "study": look.get("name") or "-and-".join(named)[:100],
        "title": f"Stereotypes in pairs of sentences: {' and '.join(named)}",
        "models": named,
        "benchmarks": benchmark_entries(_listed(benchmarks), look.get("data")),
        "explorer": {},
    }
    if (limit := look.get("limit")) is not None:
        for entry in study["benchmarks"].values():
            entry["limit"] = limit
            # printed scores are of all pairs
            entry.pop("published", None)
    measures = _listed(look.get("measures") or [])
    if look.get("quick"):
        study |= {"explorer": None, "controls": {"shuffled": None}}
        measures = measures or [each for each in complete(study)["measures"] if each in QUICK]
    if measures:
        study["measures"] = measures
    if dtype := look.get("dtype"):
        study["scoring"] = {"dtype": dtype}
    if device := look.get("device"):
        study["runtime"] = {"device": device}
    return study


def _listed(names: str | Path | Iterable[Any]) -> list[Any]:
    return [names] if isinstance(names, str | Path) else list(names)


def write_study(study: dict[str, Any], file: Path | None = None) -> Path:
    """Check a study and write it, if it is not there: into the folder of its results, or to `file`.

    A file of another study is replaced where it has no results yet. Raises InputError where it has some, and,
    as the workflow would, for a study that cannot be run.
    """
    complete(study, sha256_of=sha256_of_file)
    path = file or Path("results", str(study["study"]), "study.yaml")
    if path.is_file():
        there = read_config(path)
        # how the machine is used changes no result
        keys = ({**study, **there}).keys() - {"runtime"}
        other = ", ".join(sorted(key for key in keys if study.get(key) != there.get(key)))
        if other and (path.parent / "scores").is_dir():
            advice = f"give this one another name (--name), or run that one (unmask run {path})"
            raise InputError(f"{path}: has results of a study with other {other}; {advice}")
    text = yaml.safe_dump(study, sort_keys=False, allow_unicode=True, width=110)
    write_text(path, f"# Run it with: unmask run {path}\n# Every key: docs/keys.md\n\n{text}")
    return path


TEMPLATE = """\
# A study: which models to measure, on what. Run it with: unmask run {file}
# Keys that are left out have defaults; docs/keys.md explains every key, docs/adding.md what can be added.

study: "{name}"
title: Preference for stereotypes

models:
  # a folder as save_pretrained leaves it
  # my-model: {{ source: path, path: models/my-model }}
  bert-base-uncased: {{ source: hub, repo: google-bert/bert-base-uncased }}

# by name; a table of one's own is {{ format: table, path: pairs.csv, columns: {{ … }} }}
benchmarks: [{benchmarks}]

# measures: [AUL, AULA, CPS, SSS, AllMasked]
# untrained networks of the same architecture, for what chance gives
# controls: {{ untrained: {{ seeds: 2 }} }}
"""


def new_study(file: str | Path) -> Path:
    """Write a commented study to edit. Raises InputError where there is a file, or it could not be one."""
    path = Path(file)
    if path.suffix not in (".yaml", ".yml"):
        raise InputError(f"{path}: a study is a YAML file; name it {path.stem}.yaml")
    if path.exists():
        raise InputError(f"{path}: is there already")
    write_text(path, TEMPLATE.format(file=path, name=_name(path.stem), benchmarks=BENCHMARKS[0]))
    return path

"""What a study asks of downstream tasks that one key alone cannot check or spell out, and which files its
tasks are read from.

This is read at every planning, so it loads no tables.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from unmask.downstream.terms import SIMILARITY
from unmask.errors import InputError
from unmask.models.keys import sources
from unmask.models.study import Models
from unmask.terms import PUBLISHED
from unmask.urls import shown_url

KEY = "config key "
MASKED = "masked-lm"
Study = Mapping[str, Any]

TEMPLATES = {"occupations": "downstream/occupations.csv", "words": "gendered_words.yaml"}
"""Files of the project's `resources` that items of similarity are made with, unless the entry names
others."""


def with_fine_tuned(study: Study) -> dict[str, Any]:
    """The study with what its key `downstream` is short for: an entry {model}@{task} under `models` for every
    model after fine-tuning on every task, where these are scored on benchmarks.

    What is not of the right shape is left as it is, to be refused.
    """
    models, downstream = study["models"], study["downstream"]
    tasks = downstream.get("tasks") if isinstance(downstream, dict) else None
    if not (isinstance(models, dict) and isinstance(tasks, dict) and are_scored_after(study)):
        return dict(study)
    after = {
        f"{model}@{task}": {"source": "fine-tuned", "from": model, "task": task}
        for model in fine_tuned_models(study)
        for task in tasks
    }
    return {**study, "models": {**models, **after}}


def are_scored_after(study: Study) -> bool:
    """Whether models are scored on pairs of sentences once more after fine-tuning."""
    return bool(
        study["downstream"].get("after", True) and study.get("benchmarks") and study.get("measures", True)
    )


def fine_tuned_models(study: Study) -> list[str]:
    """The models that are fine-tuned, in the order of the study: those named, or all masked language models
    with files that are scored on pairs and run no code of their own.

    study: it need not be checked yet.
    """
    named = study["downstream"].get("models")
    return list(map(str, named)) if isinstance(named, list) else _masked(study["models"])


def settings_of(downstream: Mapping[str, Any], task: str) -> dict[str, Any]:
    """How models are fine-tuned on a task: as all are, but for what the task states."""
    shared, of_task = downstream["fine_tuning"], downstream["tasks"][task]["fine_tuning"]
    return {**shared, **of_task, "search": shared["search"] | of_task.get("search", {})}


def tuned_on(tasks: Mapping[str, Any], tuned: Sequence[str], models: Models) -> dict[str, list[str]]:
    """The models that are fine-tuned on each task: a model of a world not on those of other worlds.

    Raises InputError naming a task without a model.
    """
    on = {
        task: [name for name in tuned if len({models.world(name), entry.get("world")} - {None}) < 2]
        for task, entry in tasks.items()
    }
    for task in (task for task, names in on.items() if not names):
        why = "all models that are fine-tuned are of other worlds"
        raise InputError(f"{KEY}downstream.tasks.{task}.world: {why}")
    return on


def roles_of(tuned: Sequence[str], models: Models) -> list[dict[str, str]]:
    """Each model that is fine-tuned with its `family`, the model that it is made from at last, and where it
    is made from one with its `role`, how it was made, and its `origin`, if that one is fine-tuned, too."""
    roles = []
    for name in tuned:
        entry, about = models[name], {"name": name, "family": models.origin(name)}
        if "from" in entry:
            method = entry.get("method", entry["source"])
            about["role"] = f"{method} (published)" if entry.get("protocol") == PUBLISHED else method
        if entry.get("from") in tuned:
            about["origin"] = entry["from"]
        roles.append(about)
    return roles


def check_study(study: Study) -> None:
    """Raise InputError naming the key of a completed study that asks what cannot be."""
    models, downstream = study.get("models", {}), study.get("downstream")
    for name, entry in models.items():
        if entry["source"] == "fine-tuned" and (
            downstream is None
            or entry["task"] not in downstream["tasks"]
            or name != f"{entry['from']}@{entry['task']}"
        ):
            why = "models after fine-tuning are made by downstream.after and need no entry"
            raise InputError(f"{KEY}models.{name}: {why}")
    if downstream is None:
        return
    candidates = _masked(models)
    if not candidates:
        raise InputError(f"{KEY}downstream: the study has no masked-lm model with files, to be fine-tuned")
    for name in downstream["models"] or []:
        if name not in candidates:
            why = "is not a masked-lm model of the study with files and without code of its own"
            raise InputError(f"{KEY}downstream.models: {name} {why}")
    for task in downstream["tasks"]:
        settings = settings_of(downstream, task)
        if settings["how"] == "search" and (settings["steps"] or len(downstream["seeds"]) > 1):
            why = "chooses among numbers of epochs, so it takes no steps"
            why = why if settings["steps"] else "takes one seed (downstream.seeds)"
            raise InputError(f"{KEY}downstream.tasks.{task}.fine_tuning: a search {why}")


def _masked(models: Mapping[str, Any]) -> list[str]:
    """The masked language models with files that are scored on pairs and run no code of their own."""

    def is_masked(name: Any, before: Sequence[Any] = ()) -> bool:
        entry = models.get(name)
        if not isinstance(entry, Mapping) or name in before or entry.get("trust_remote_code"):
            return False
        source = sources().get(str(entry.get("source")))
        if source is None or not source.has_files or not source.on_pairs:
            return False
        if "kind" in entry:
            return bool(entry["kind"] == MASKED)
        if "from" in entry:
            return is_masked(entry["from"], (*before, name))
        return source.kind_by_default() in (MASKED, None)

    return [name for name in models if is_masked(name)]


# --- files of tasks


def with_preset(entry: Mapping[str, Any], presets: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The entry of a task, completed, on top of what resources/downstream/tasks.yaml says of its format.

    A file that the entry names takes the place of that of the same name; frames take that of lists.
    """
    preset, named = presets.get(entry["format"], {}), entry.get("files", {})
    files = {
        name: source
        for name, source in preset.get("files", {}).items()
        if name != "lists" or "frames" not in named
    }
    stated = {key: value for key, value in entry.items() if value is not None or key not in preset}
    return {**preset, **stated, "files": files | named}


def source_files(entry: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The files that a task is read from, by name. entry: as `with_preset` gives it.

    Each is `{repo, revision, file}` (a file of a data set on the Hugging Face hub), `{url}`, `{path}` (the
    user's own) or `{resource}` (below the project's folder `resources`), and may have `sha256` and the keys
    that `unmask.user_tables` knows.
    """
    files = {name: dict(source) for name, source in entry["files"].items()}
    if files and entry["kind"] == SIMILARITY and "bias" not in files:
        return {name: {"resource": path} for name, path in TEMPLATES.items()} | files
    return files


def source_text(entry: Mapping[str, Any]) -> str:
    """Where a task is from, in a few words; no secrets of a url."""
    if "world" in entry:
        return f"made in the words of the world {entry['world']}"
    places = {
        name: f"{of['repo']}@{of['revision']}/{of['file']}"
        if "repo" in of
        else shown_url(of["url"])
        if "url" in of
        else of["path"]
        for name, of in entry["files"].items()
    }
    return "; ".join(f"{name}: {place}" for name, place in places.items())

"""What a study asks of downstream tasks that one key alone cannot check or spell out.

This is read at every planning, so it loads no tables.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from unmask.errors import InputError
from unmask.models.directory import MASKED_LM
from unmask.models.keys import Models
from unmask.terms import PUBLISHED

KEY = "config key "
Study = Mapping[str, Any]


def are_scored_after(study: Study) -> bool:
    """Whether models are scored on pairs of sentences once more after fine-tuning."""
    return bool(study.get("benchmarks") and study["measures"] and study["downstream"]["after"])


def fine_tuned_models(study: Study) -> list[str]:
    """The models that are fine-tuned, in the order of the study: those named, or all masked language models
    with files that are scored on pairs and run no code of their own."""
    return list(study["downstream"]["models"] or _masked(Models(study["models"])))


def settings_of(downstream: Mapping[str, Any], task: str) -> dict[str, Any]:
    """How models are fine-tuned on a task: as all are, but for what the task states."""
    shared, of_task = downstream["fine_tuning"], downstream["tasks"][task]["fine_tuning"]
    return {**shared, **of_task, "search": shared["search"] | of_task.get("search", {})}


def tuned_on(tasks: Mapping[str, Any], tuned: Sequence[str], models: Models) -> dict[str, list[str]]:
    """The models that are fine-tuned on each task: a model of a world not on those of other worlds.

    Raises InputError naming a task without a model.
    """
    worlds = {name: models.inherited(name, "world") for name in tuned}
    on = {
        task: [name for name in tuned if len({worlds[name], entry.get("world")} - {None}) < 2]
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
    models, downstream = Models(study.get("models", {})), study.get("downstream")
    tasks = downstream["tasks"] if downstream else {}
    for name, entry in models.items():
        made = [f"{entry.get('from')}@{task}" for task in tasks if task == entry.get("task")]
        if entry["source"] == "fine-tuned" and name not in made:
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
    for task in tasks:
        settings = settings_of(downstream, task)
        if settings["how"] == "search" and (settings["steps"] or len(downstream["seeds"]) > 1):
            why = "chooses among numbers of epochs, so it takes no steps"
            why = why if settings["steps"] else "takes one seed (downstream.seeds)"
            raise InputError(f"{KEY}downstream.tasks.{task}.fine_tuning: a search {why}")


def _masked(models: Models) -> list[str]:
    masked = (name for name in models.of_kind(MASKED_LM) if models.source_of(name).on_pairs)
    return [name for name in masked if not models.runs_own_code(name)]


def with_preset(entry: Mapping[str, Any], presets: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The entry of a task, completed, on top of what resources/downstream/tasks.yaml says of its format.

    `files` are those that the task is read from, by name. Each is `{repo, revision, file}` (a file of a data
    set on the Hugging Face hub), `{url}`, `{path}` (the user's own) or `{resource}` (below the project's
    folder `resources`), and may have `sha256` and the keys that `unmask.user_tables` knows. One that the
    entry names takes the place of that of the same name; frames take that of lists.
    """
    preset, named = presets.get(entry["format"]), entry.get("files", {})
    if preset is None:
        preset = presets.get(f"{entry['format']} of {entry['kind']}", {})
    files = {
        name: source
        for name, source in preset.get("files", {}).items()
        if name != "lists" or "frames" not in named
    }
    stated = {key: value for key, value in entry.items() if value is not None or key not in preset}
    return {**preset, **stated, "files": files | named}

# How models of each source are made, as families say with `makes`, and what the manifest of one is made of.

from unmask.models.directory import MASKED_LM
from unmask.models.directory import files_of as files_of_model

MAKERS = {}


def nothing(wildcards):
    """What most sources need besides."""
    return {}


def makes(source, entry, parts=nothing, settings=nothing, modules=nothing, memory=making_memory):
    """State how models of a source are made (unmask.sources), by functions of wildcards.

    entry: what is stated of such a model; parts: the files that it is made of, by name, beside the
    manifest of a model that it comes from; settings: what else its source needs; modules: that this loads by
    name; memory: a function of wildcards, input and attempt.
    """
    MAKERS[source] = dict(entry=entry, parts=parts, settings=settings, modules=modules, memory=memory)


def maker(wildcards, what, *more):
    """What `makes` states of the source of a model."""
    return MAKERS[MODELS[wildcards.model]["source"]][what](wildcards, *more)


def parts_of_model(wildcards):
    """The files that a model is made of, by name."""
    entry = MODELS[wildcards.model]
    base = {"manifest": result("models", entry["from"], "manifest.json")} if "from" in entry else {}
    return base | maker(wildcards, "parts")


def entry_with(*keys):
    """What a study says of a model under these keys, as far as it says something: a function of wildcards."""
    return lambda wildcards: {
        key: MODELS[wildcards.model][key] for key in keys if MODELS[wildcards.model].get(key) is not None
    }


def about_model(model):
    """What the manifest of a model is written with, as a parameter of the rule whose last step that is."""
    entry = MODELS[model]
    facts = {"source": entry["source"], "kind": MODELS.kind(model)}
    if MODELS.runs_own_code(model):
        facts["trust_remote_code"] = True
    if start := MODELS.inherited(model, "start"):
        facts["start"] = start
    return {
        "name": model,
        "directory": entry["path"] if entry["source"] == "path" else result("models", model, "files"),
        "entry": facts,
        "code": code("check_model.py"),
    }


def model_files(wildcards):
    """What tells that a model has changed: its own files, or the facts of the rule that fetched it."""
    if MODELS[wildcards.model]["source"] != "path":
        return [result("models", wildcards.model, "facts.json")]
    directory = Path(MODELS[wildcards.model]["path"])
    try:
        return [outside(str(directory / name)) for name in files_of_model(directory).all]
    except InputError:
        # its check says what is wrong with it
        return [outside(path) for path in files_in(directory)]


def files_in(directory):
    """The files that lie in a directory."""
    return sorted(str(path) for path in Path(directory).iterdir() if path.is_file())

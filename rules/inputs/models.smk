# Inputs and parameters of the rules of the same name.


def models_of(source):
    """The models that come from one source."""
    return [name for name, entry in MODELS.items() if entry["source"] == source]


def inherited(model, key):
    """What a model's entry says under a key; one that is made from another has that from it."""
    entry = MODELS[model]
    return inherited(entry["from"], key) if "from" in entry and key not in entry else entry.get(key)


def origin_of(model):
    """The model that a model comes from, however far back."""
    return origin_of(MODELS[model]["from"]) if "from" in MODELS[model] else model


def kind_of(model):
    """What a model is."""
    return inherited(model, "kind")


def models_with_files():
    """The models that lie in a directory."""
    return [name for name, entry in MODELS.items() if SOURCES[entry["source"]].has_files]


def runs_own_code(model):
    """Whether code that comes with a model is run where it is loaded."""
    return bool(MODELS[model].get("trust_remote_code"))


def check_bases(source, *kinds):
    """Stop with one line where a model of a source is made from one that has no files, is of another kind or
    runs code of its own, which what is made from it would lack."""
    for name in models_of(source):
        base = MODELS[name]["from"]
        if base not in models_with_files() or kind_of(base) not in kinds:
            sys.exit(
                f"error: config key models.{name}.from: {base} is not a {' or '.join(kinds)} model with files"
            )
        if runs_own_code(base):
            sys.exit(
                f"error: config key models.{name}.from: {base} runs code of its own (trust_remote_code), "
                "and no model is made from such a one"
            )


def language_models(*kinds):
    """The models of these kinds that are scored on pairs of sentences, in the order of the study."""
    return [
        name for name, entry in MODELS.items() if kind_of(name) in kinds and SOURCES[entry["source"]].on_pairs
    ]


def check_starts():
    """Stop with one line where a model that is no decoder is to have a start token."""
    for name, entry in MODELS.items():
        if "start" in entry and kind_of(name) != CAUSAL_LM:
            sys.exit(
                f"error: config key models.{name}.start: only a causal-lm model has a start token, "
                f"and this one is a {kind_of(name)} model (key kind)"
            )


def model_directory(model):
    """Where a model's files lie."""
    entry = MODELS[model]
    return entry["path"] if entry["source"] == "path" else result("models", model, "files")


def of_model(model=None):
    """What a job has to know of a model that it runs, as inputs: its manifest.

    model: by wildcards; else that of the wildcard `model`.
    """
    name = model or (lambda wildcards: wildcards.model)
    return {"manifest": lambda wildcards: result("models", name(wildcards), "manifest.json")}


def made_model(model="{model}"):
    """The outputs of whatever makes a model, as patterns: its files, facts and manifest."""
    return {
        "directory": directory(result("models", model, "files")),
        "facts": result("models", model, "facts.json"),
        "manifest": result("models", model, "manifest.json"),
    }


def about_model(model):
    """What the manifest of a model is written with, as a parameter of the rule whose last step that is."""
    return {
        "name": model,
        "directory": model_directory(model),
        "entry": {"source": MODELS[model]["source"], "kind": kind_of(model)}
        | ({"trust_remote_code": True} if runs_own_code(model) else {})
        | ({"start": inherited(model, "start")} if inherited(model, "start") else {}),
        "code": code("check_model.py"),
    }


def model_files(wildcards):
    """What tells that a model has changed: its own files, or the facts of the rule that fetched it."""
    if MODELS[wildcards.model]["source"] != "path":
        return [result("models", wildcards.model, "facts.json")]
    directory = Path(model_directory(wildcards.model))
    try:
        return [outside(str(directory / name)) for name in files_of_model(directory, wildcards.model).all]
    except InputError:
        # its check says what is wrong with it
        return [outside(path) for path in files_in(directory)]


def made_here(derived):
    """The models of this study that are made here; derived: from another model of it."""
    made = [name for name, entry in MODELS.items() if entry["source"] in names_in("sources")]
    return [name for name in made if ("from" in MODELS[name]) == derived]


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


def gguf_file(wildcards):
    """The GGUF file of a model; where it was fetched also what is noted of that."""
    if "path" in MODELS[wildcards.model]:
        return {"file": outside(MODELS[wildcards.model]["path"])}
    folder = result("models", wildcards.model)
    return {"file": f"{folder}/model.gguf", "fetched": f"{folder}/gguf.facts.json"}


def files_in(directory):
    """The files that lie in a directory."""
    return sorted(str(path) for path in Path(directory).iterdir() if path.is_file())

# Models: `fetch_model` brings them from the hub, `make_model` makes them here, `check_model` checks the others. Whatever makes a
# model's files writes its manifest last: what is in its directory, and where it is from.

from unmask.models.detecting import CAUSAL_LM, MASKED_LM, SCORE_FILE, check_architectures
from unmask.models.directory import files_of as files_of_model

MANIFEST_KEYS = [
    "entry",
    "model_type",
    "parameters",
    "vocab_size",
    "max_length",
    "mask_token",
    "start",
    "tokenizer_remarks",
    "weights_digest",
    "tokenizer_digest",
    "files",
]
# how models of each source are made, as families say it with `makes`
MAKERS = {}
# what the families say of the sources of this study's models
SOURCES = {
    source: alternative(FAMILIES, "model", source)
    for source in {entry["source"] for entry in MODELS.values()}
}


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
    return [name for name, entry in MODELS.items() if SOURCES[entry["source"]].get("directory", True)]


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
        name
        for name, entry in MODELS.items()
        if kind_of(name) in kinds and SOURCES[entry["source"]].get("pairs", True)
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


def makes(
    source, entry, parts=nothing, settings=nothing, modules=nothing, memory=making_memory, time=making_time
):
    """State how models of a source are made (unmask.sources), by functions of wildcards.

    entry: what is stated of such a model; parts: the files that it is made of, by name, beside the manifest of
    a model that it comes from; settings: what else its source needs; modules: that this loads by name; memory,
    time: functions of wildcards, input and attempt.
    """
    MAKERS[source] = dict(
        entry=entry, parts=parts, settings=settings, modules=modules, memory=memory, time=time
    )


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


wildcard_constraints:
    model=any_of(MODELS),


try:
    check_architectures(MODELS)
except InputError as error:
    sys.exit(f"error: {error}")
check_starts()

register(
    "models",
    keys=["models"],
    provenance=[
        {
            "title": f"Model {model}"
            + (", whose repository has code that was run" if runs_own_code(model) else ""),
            "files": [result("models", model, "manifest.json")],
            "keys": MANIFEST_KEYS,
        }
        for model in MODELS
    ],
)

makes(
    "random",
    entry_with("kind", "config", "tokenizer", "seed"),
    lambda wildcards: {
        "tokenizer": [outside(path) for path in files_in(MODELS[wildcards.model]["tokenizer"])]
    },
)
makes("gguf", entry_with("start"), gguf_file, memory=gguf_memory)


rule fetch_model:
    output:
        directory=directory(result("models", "{model}", "files")),
        facts=result("models", "{model}", "facts.json"),
    log:
        log_of("models", "{model}", "fetching.log"),
    wildcard_constraints:
        model=any_of(models_of("hub")),
    localrule: True
    conda:
        "../envs/unmask.yaml"
    params:
        entry=entry_with("repo", "revision", "tokenizer", "trust_remote_code"),
    message:
        "Fetching {wildcards.model} from the hub"
    script:
        "../scripts/fetch_model.py"


use rule fetch_model as fetch_gguf with:
    output:
        file=result("models", "{model}", "model.gguf"),
        facts=result("models", "{model}", "gguf.facts.json"),
    wildcard_constraints:
        model=any_of([name for name in models_of("gguf") if "repo" in MODELS[name]]),
    params:
        entry=lambda wildcards: {"revision": "main"} | entry_with("repo", "revision", "file")(wildcards),
    message:
        "Fetching the GGUF file of {wildcards.model} from the hub"


rule make_model:
    input:
        unpack(parts_of_model),
    output:
        **made_model(),
    log:
        log_of("models", "{model}", "making.log"),
    wildcard_constraints:
        model=any_of(made_here(derived=False)),
    priority: 1
    conda:
        "../envs/unmask.yaml"
    resources:
        mem_mb=lambda wildcards, input, attempt: maker(wildcards, "memory", input, attempt),
        runtime=lambda wildcards, input, attempt: maker(wildcards, "time", input, attempt),
    params:
        code=lambda wildcards: code(
            "make_model.py",
            module_file("sources", MODELS[wildcards.model]["source"]),
            *maker(wildcards, "modules"),
        ),
        name=lambda wildcards: wildcards.model,
        source=lambda wildcards: MODELS[wildcards.model]["source"],
        entry=lambda wildcards: maker(wildcards, "entry"),
        settings=lambda wildcards: maker(wildcards, "settings"),
        manifest=lambda wildcards: about_model(wildcards.model),
    message:
        "Making the model {wildcards.model}"
    script:
        "../scripts/make_model.py"


use rule make_model as make_model_of_model with:
    wildcard_constraints:
        model=any_of(made_here(derived=True)),
    priority: 0
    threads: config["runtime"]["threads"]
    resources:
        **GPU,
        mem_mb=lambda wildcards, input, attempt: maker(wildcards, "memory", input, attempt),
        runtime=lambda wildcards, input, attempt: maker(wildcards, "time", input, attempt),
    message:
        "Making the model {wildcards.model} of another"


# of what no job here has made, whose last step it would be
rule check_model:
    input:
        files=model_files,
    output:
        result("models", "{model}", "manifest.json"),
    log:
        log_of("models", "{model}", "checking.log"),
    wildcard_constraints:
        model=any_of(models_of("path") + models_of("hub")),
    conda:
        "../envs/unmask.yaml"
    resources:
        mem_mb=checking_memory,
    params:
        manifest=lambda wildcards: about_model(wildcards.model),
    message:
        "Checking {wildcards.model}"
    script:
        "../scripts/check_model.py"

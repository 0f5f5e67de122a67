# Models: `fetch_model` brings them from the hub, `make_model` makes them, `check_model` checks the others.
# Whatever makes a model's files writes its manifest last: what is in its directory, and where it is from.


include: "making.smk"


WITH_FILES = [name for name in MODELS if MODELS.has_files(name)]
MADE_HERE = MODELS.of(*names_in("sources"))
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


wildcard_constraints:
    model=any_of(MODELS),


register(
    "models",
    keys=["models"],
    provenance=[
        {
            "title": f"Model {model}"
            + (", whose repository has code that was run" if MODELS.runs_own_code(model) else ""),
            "files": [result("models", model, "manifest.json")],
            "keys": MANIFEST_KEYS,
        }
        for model in MODELS
    ],
)


rule fetch_model:
    output:
        directory=directory(result("models/{model}/files")),
        facts=result("models/{model}/facts.json"),
    log:
        log_of("models/{model}/fetching.log"),
    wildcard_constraints:
        model=any_of(MODELS.of("hub")),
    localrule: True
    params:
        entry=entry_with("repo", "revision", "tokenizer", "trust_remote_code"),
    message:
        "Fetching {wildcards.model} from the hub"
    script:
        "../scripts/fetch_model.py"


use rule fetch_model as fetch_gguf with:
    output:
        file=result("models/{model}/model.gguf"),
        facts=result("models/{model}/gguf.facts.json"),
    wildcard_constraints:
        model=any_of(name for name in MODELS.of("gguf") if "repo" in MODELS[name]),
    params:
        entry=lambda wildcards: {"revision": "main"} | entry_with("repo", "revision", "file")(wildcards),
    message:
        "Fetching the GGUF file of {wildcards.model} from the hub"


makes(
    "random",
    entry_with("kind", "config", "tokenizer", "seed"),
    lambda wildcards: {"tokenizer": list(map(outside, files_in(MODELS[wildcards.model]["tokenizer"])))},
)
makes(
    "gguf",
    entry_with("start"),
    lambda wildcards: (
        {"file": outside(MODELS[wildcards.model]["path"])}
        if "path" in MODELS[wildcards.model]
        else {
            "file": result("models", wildcards.model, "model.gguf"),
            "fetched": result("models", wildcards.model, "gguf.facts.json"),
        }
    ),
    memory=gguf_memory,
)


rule make_model:
    input:
        unpack(parts_of_model),
    output:
        directory=directory(result("models/{model}/files")),
        facts=result("models/{model}/facts.json"),
        manifest=result("models/{model}/manifest.json"),
    log:
        log_of("models/{model}/making.log"),
    wildcard_constraints:
        model=any_of(name for name in MADE_HERE if "from" not in MODELS[name]),
    priority: 1
    resources:
        mem_mb=lambda wildcards, input, attempt: maker(wildcards, "memory", input, attempt),
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
        model=any_of(name for name in MADE_HERE if "from" in MODELS[name]),
    priority: 0
    threads: config["runtime"]["threads"]
    resources:
        **GPU,
        mem_mb=lambda wildcards, input, attempt: maker(wildcards, "memory", input, attempt),
    message:
        "Making the model {wildcards.model} of another"


# of models that were fetched or lie on disk; those that are made here are checked as they are made. It runs a
# model on a few words, on the CPU
rule check_model:
    input:
        files=model_files,
    output:
        result("models/{model}/manifest.json"),
    log:
        log_of("models/{model}/checking.log"),
    wildcard_constraints:
        model=any_of(MODELS.of("path", "hub")),
    resources:
        mem_mb=checking_memory,
    params:
        manifest=lambda wildcards: about_model(wildcards.model),
    message:
        "Checking {wildcards.model}"
    script:
        "../scripts/check_model.py"

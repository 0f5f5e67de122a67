# Models: one manifest says what is in a model's directory. The rule that makes a model writes it last.


include: "inputs/models.smk"


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
        name=lambda wildcards: wildcards.model,
        # without what is not given, so that a model of one repository alone is not fetched anew
        entry=lambda wildcards: {
            key: MODELS[wildcards.model][key]
            for key in ("repo", "revision", "tokenizer", "trust_remote_code")
            if MODELS[wildcards.model].get(key)
        },
    message:
        "Fetching {wildcards.model} from the hub"
    script:
        "../scripts/fetch_model.py"


rule make_random_model:
    input:
        tokenizer_files,
    output:
        **made_model(),
    log:
        log_of("models", "{model}", "making.log"),
    wildcard_constraints:
        model=any_of(models_of("random")),
    conda:
        "../envs/unmask.yaml"
    resources:
        mem_mb=making_memory,
    params:
        manifest=lambda wildcards: about_model(wildcards.model),
        name=lambda wildcards: wildcards.model,
        entry=lambda wildcards: {
            key: MODELS[wildcards.model][key] for key in ("kind", "config", "tokenizer", "seed")
        },
    message:
        "Making {wildcards.model}, an untrained model"
    script:
        "../scripts/make_random_model.py"


rule fetch_gguf:
    output:
        file=result("models", "{model}", "model.gguf"),
        facts=result("models", "{model}", "gguf.facts.json"),
    log:
        log_of("models", "{model}", "fetching_gguf.log"),
    wildcard_constraints:
        model=any_of(fetched_gguf()),
    localrule: True
    conda:
        "../envs/unmask.yaml"
    params:
        entry=lambda wildcards: {"revision": "main"}
        | {
            key: MODELS[wildcards.model][key]
            for key in ("repo", "revision", "file")
            if key in MODELS[wildcards.model]
        },
    message:
        "Fetching the GGUF file of {wildcards.model} from the hub"
    script:
        "../scripts/fetch_gguf.py"


rule convert_gguf:
    input:
        unpack(gguf_file),
    output:
        **made_model(),
    log:
        log_of("models", "{model}", "converting.log"),
    wildcard_constraints:
        model=any_of(models_of("gguf")),
    conda:
        "../envs/unmask.yaml"
    resources:
        mem_mb=gguf_memory,
    params:
        manifest=lambda wildcards: about_model(wildcards.model),
        name=lambda wildcards: wildcards.model,
        start=lambda wildcards: MODELS[wildcards.model].get("start"),
    message:
        "Reading {wildcards.model} from its GGUF file"
    script:
        "../scripts/convert_gguf.py"


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

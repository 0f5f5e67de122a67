# Models: whatever rule makes a model's directory, one manifest then says what is in it.


include: "inputs/models.smk"


wildcard_constraints:
    model=any_of(MODELS),


check_bases("perturbed", "masked-lm")

register(
    "models",
    keys=["models"],
    provenance=[
        {
            "title": f"Model {model}",
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
        "../envs/scoring.yaml"
    params:
        code=code("fetch_model.py"),
        name=lambda wildcards: wildcards.model,
        # without what is not given, so that a model of one repository alone is not fetched anew
        entry=lambda wildcards: {
            key: MODELS[wildcards.model][key]
            for key in ("repo", "revision", "tokenizer")
            if MODELS[wildcards.model][key] is not None
        },
    message:
        "Fetching {wildcards.model} from the hub"
    script:
        "../scripts/fetch_model.py"


rule make_random_model:
    input:
        tokenizer_files,
    output:
        directory=directory(result("models", "{model}", "files")),
        facts=result("models", "{model}", "facts.json"),
    log:
        log_of("models", "{model}", "making.log"),
    wildcard_constraints:
        model=any_of(models_of("random")),
    conda:
        "../envs/scoring.yaml"
    resources:
        mem_mb=making_memory,
    params:
        code=code("make_random_model.py"),
        name=lambda wildcards: wildcards.model,
        entry=lambda wildcards: {key: MODELS[wildcards.model][key] for key in ("config", "tokenizer", "seed")},
        given=given(tokenizer_files),
    message:
        "Making {wildcards.model}, an untrained model"
    script:
        "../scripts/make_random_model.py"


rule perturb_model:
    input:
        manifest=lambda wildcards: result("models", MODELS[wildcards.model]["from"], "manifest.json"),
    output:
        directory=directory(result("models", "{model}", "files")),
        facts=result("models", "{model}", "facts.json"),
    log:
        log_of("models", "{model}", "perturbing.log"),
    wildcard_constraints:
        model=any_of(models_of("perturbed")),
    conda:
        "../envs/scoring.yaml"
    resources:
        mem_mb=scoring_memory,
    params:
        code=code("perturb_model.py"),
        entry=lambda wildcards: {key: MODELS[wildcards.model][key] for key in ("from", "scale", "seed")},
    message:
        "Making {wildcards.model}, a model with noise in its weights"
    script:
        "../scripts/perturb_model.py"


rule prepare_model:
    input:
        model_files,
    output:
        result("models", "{model}", "manifest.json"),
    log:
        log_of("models", "{model}", "checking.log"),
    wildcard_constraints:
        model=any_of(models_with_files()),
    conda:
        "../envs/scoring.yaml"
    resources:
        mem_mb=checking_memory,
    params:
        # of what a manifest says alone: with that of the checks a new one would make all evidence anew
        code=lambda wildcards: code("prepare_model.py", module_file("models/kinds", kind_of(wildcards.model))),
        name=lambda wildcards: wildcards.model,
        directory=model_directory,
        entry=lambda wildcards: {
            "source": MODELS[wildcards.model]["source"],
            "kind": kind_of(wildcards.model),
        },
        given=given(model_files),
    message:
        "Checking {wildcards.model}"
    script:
        "../scripts/check_and_prepare_model.py"

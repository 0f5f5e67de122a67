# Models: whatever rule makes a model's directory, one manifest then says what is in it.


rule fetch_model:
    message:
        "Fetching {wildcards.model} from the hub"
    output:
        directory=directory(result("models", "{model}", "files")),
        facts=result("models", "{model}", "facts.json"),
    log:
        log_of("models", "{model}", "fetching.log"),
    wildcard_constraints:
        model=any_of(models_of("hub")),
    params:
        code=code("fetch_model.py"),
        name=lambda wildcards: wildcards.model,
        entry=lambda wildcards: {key: MODELS[wildcards.model][key] for key in ("repo", "revision")},
    localrule: True
    conda:
        "../envs/scoring.yaml"
    script:
        "../scripts/fetch_model.py"


rule make_random_model:
    message:
        "Making {wildcards.model}, an untrained model"
    input:
        tokenizer_files,
    output:
        directory=directory(result("models", "{model}", "files")),
        facts=result("models", "{model}", "facts.json"),
    log:
        log_of("models", "{model}", "making.log"),
    wildcard_constraints:
        model=any_of(models_of("random")),
    params:
        code=code("make_random_model.py"),
        name=lambda wildcards: wildcards.model,
        entry=lambda wildcards: {
            key: MODELS[wildcards.model][key] for key in ("config", "tokenizer", "seed")
        },
    conda:
        "../envs/scoring.yaml"
    script:
        "../scripts/make_random_model.py"


rule prepare_model:
    message:
        "Checking {wildcards.model}"
    input:
        model_files,
    output:
        result("models", "{model}", "manifest.json"),
    log:
        log_of("models", "{model}", "checking.log"),
    params:
        code=code("prepare_model.py"),
        name=lambda wildcards: wildcards.model,
        directory=model_directory,
        entry=lambda wildcards: {"source": MODELS[wildcards.model]["source"]},
    conda:
        "../envs/scoring.yaml"
    script:
        "../scripts/prepare_model.py"

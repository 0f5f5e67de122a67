# The planted world: a corpus and two benchmarks whose bias is known, and models trained on it.


rule make_world:
    message:
        "Drawing the planted world"
    output:
        corpus=result("planted", "corpus.txt"),
        crows_pairs=result("planted", "crows_pairs.csv"),
        stereoset=result("planted", "stereoset.json"),
        truth=result("planted", "truth.json"),
    log:
        log_of("planted", "world.log"),
    params:
        code=code("make_world.py"),
        entry=config["planted"],
    conda:
        "../envs/analysis.yaml"
    script:
        "../scripts/make_world.py"


rule train_model:
    message:
        "Training {wildcards.model} on the planted corpus"
    input:
        corpus=result("planted", "corpus.txt"),
    output:
        directory=directory(result("models", "{model}", "files")),
        facts=result("models", "{model}", "facts.json"),
    log:
        log_of("models", "{model}", "training.log"),
    wildcard_constraints:
        model=any_of(models_of("train")),
    params:
        code=code("train_model.py"),
        name=lambda wildcards: wildcards.model,
        entry=lambda wildcards: MODELS[wildcards.model],
        planted=config["planted"],
    threads: 1
    priority: 1
    conda:
        "../envs/scoring.yaml"
    script:
        "../scripts/train_model.py"

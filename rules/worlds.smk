# The planted world: a corpus and two benchmarks whose bias is known, and models trained on it.

register("worlds", sections=["planted"] if planted_scores() else [])


rule make_world:
    output:
        corpus=result("planted", "corpus.txt"),
        crows_pairs=result("planted", "crows_pairs.csv"),
        stereoset=result("planted", "stereoset.json"),
        truth=result("planted", "truth.json"),
    log:
        log_of("planted", "world.log"),
    conda:
        "../envs/analysis.yaml"
    params:
        code=code("make_world.py"),
        entry=config["planted"],
    message:
        "Drawing the planted world"
    script:
        "../scripts/make_world.py"


rule train_model:
    input:
        corpus=result("planted", "corpus.txt"),
    output:
        directory=directory(result("models", "{model}", "files")),
        facts=result("models", "{model}", "facts.json"),
    log:
        log_of("models", "{model}", "training.log"),
    wildcard_constraints:
        model=any_of(models_of("train")),
    priority: 1
    conda:
        "../envs/scoring.yaml"
    threads: 1
    resources:
        mem_mb=making_memory,
        runtime=training_time,
    params:
        code=code("train_model.py"),
        name=lambda wildcards: wildcards.model,
        entry=lambda wildcards: MODELS[wildcards.model],
        planted=config["planted"],
    message:
        "Training {wildcards.model} on the planted corpus"
    script:
        "../scripts/train_model.py"


rule section_planted:
    input:
        truth=planted_truth(),
        scores=planted_scores(),
        captions=resource("worlds/captions.yaml"),
    output:
        section_file("planted"),
    log:
        log_of("report", "sections", "planted.log"),
    conda:
        "../envs/analysis.yaml"
    params:
        code=section_code("worlds/sections", "planted"),
        folder="worlds/sections",
        section="planted",
        settings={"models": as_listed(MODELS), "benchmarks": as_listed(BENCHMARKS)},
    message:
        "Showing what measures find of what was planted"
    script:
        "../scripts/write_section.py"

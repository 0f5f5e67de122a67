# Evidence: each model is run over each variant of each benchmark, under every masking that the measures need.


rule evidence:
    input:
        pairs=result("benchmarks", "{benchmark}.parquet"),
        manifest=result("models", "{model}", "manifest.json"),
    output:
        **evidence_tables(ORIGINAL),
    log:
        log_of("evidence", "{model}", "{benchmark}", "{variant}.log"),
    wildcard_constraints:
        model=any_of([model for model in models_with_files() if not likeliest_of(model)]),
        variant=ORIGINAL,
    conda:
        "../envs/scoring.yaml"
    threads: config["runtime"]["threads"]
    resources:
        gpu=1,
        mem_mb=scoring_memory,
        runtime=scoring_time,
    params:
        code=scoring_code,
        dtype=SCORING.get("dtype"),
        attention=lambda wildcards: {"stack": inherited(wildcards.model, "attention")},
        shuffled=lambda wildcards: config["controls"]["shuffled"] if wildcards.variant == SHUFFLED else None,
        top=lambda wildcards: likeliest_of(wildcards.model) if wildcards.variant == ORIGINAL else 0,
        unknown_tokens=SCORING.get("unknown_tokens"),
    message:
        "Scoring {wildcards.benchmark} ({wildcards.variant}) with {wildcards.model}"
    script:
        "../scripts/score_evidence.py"


use rule evidence as evidence_and_likeliest with:
    output:
        **evidence_tables(ORIGINAL),
        **likeliest_tables(),
    wildcard_constraints:
        model=any_of([model for model in models_with_files() if likeliest_of(model)]),
        variant=ORIGINAL,


use rule evidence as shuffled_evidence with:
    output:
        **evidence_tables(SHUFFLED),
    wildcard_constraints:
        model=any_of(models_with_files()),
        variant=SHUFFLED,


rule compare_precision:
    input:
        pairs=result("benchmarks", "{benchmark}.parquet"),
        manifest=result("models", "{model}", "manifest.json"),
    output:
        result("statistics", "{model}", "{benchmark}", "precision.parquet"),
    log:
        log_of("precision", "{model}", "{benchmark}.log"),
    wildcard_constraints:
        model=any_of(models_with_files()),
    conda:
        "../envs/scoring.yaml"
    threads: config["runtime"]["threads"]
    resources:
        gpu=1,
        mem_mb=scoring_memory,
        runtime=scoring_time,
    params:
        code=code("compare_precision.py", *measure_modules(), *masking_modules().values()),
        attention=lambda wildcards: {"stack": inherited(wildcards.model, "attention")},
        scoring={key: value for key, value in SCORING.items() if key != "unknown_tokens"},
        measures=MEASURES,
    message:
        "Comparing {wildcards.model} on {wildcards.benchmark} with single precision"
    script:
        "../scripts/compare_precision.py"


rule untrained:
    input:
        pairs=result("benchmarks", "{benchmark}.parquet"),
        manifest=result("models", "{model}", "manifest.json"),
    output:
        # a study without them has a pattern all the same
        [result("untrained", "{model}", "{benchmark}", f"{seed}.parquet") for seed in UNTRAINED_SEEDS or [1]],
    log:
        log_of("untrained", "{model}", "{benchmark}.log"),
    wildcard_constraints:
        model=any_of(models_with_files()),
    conda:
        "../envs/scoring.yaml"
    threads: config["runtime"]["threads"]
    resources:
        gpu=1,
        mem_mb=scoring_memory,
        runtime=untrained_time,
    params:
        code=code("score_untrained.py", *measure_modules(), *masking_modules().values()),
        dtype=SCORING.get("dtype"),
        attention=lambda wildcards: {"stack": inherited(wildcards.model, "attention")},
        measures=SCORED_MEASURES,
        seeds=UNTRAINED_SEEDS,
    message:
        "Scoring {wildcards.benchmark} with untrained networks like {wildcards.model}"
    script:
        "../scripts/score_untrained.py"

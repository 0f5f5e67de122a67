# Evidence: one job runs a model over a benchmark, every variant under every masking that the measures need.
# Its output for Snakemake is the list of its tables, which Snakemake leaves where it is while the job runs:
# so a job that is started again, for one masking more or after a kill, keeps the tables that are there.


rule evidence:
    input:
        **of_model(),
        pairs=result("benchmarks", "{benchmark}.parquet"),
    output:
        update(result("evidence", "{model}", "{benchmark}", "digests.json")),
    log:
        log_of("evidence", "{model}", "{benchmark}.log"),
    wildcard_constraints:
        model=any_of(models_with_files()),
    conda:
        "../envs/unmask.yaml"
    threads: config["runtime"]["threads"]
    resources:
        **GPU,
        mem_mb=scoring_memory,
    params:
        wanted=lambda wildcards: evidence_wanted(wildcards.model),
        dtype=lambda wildcards: dtype_of(wildcards.model),
        attention=lambda wildcards: {"stack": inherited(wildcards.model, "attention")},
        unknown_tokens=SCORING.get("unknown_tokens"),
    message:
        "Reading {wildcards.benchmark} with {wildcards.model}"
    script:
        "../scripts/score_evidence.py"


rule untrained:
    input:
        **of_model(),
        pairs=result("benchmarks", "{benchmark}.parquet"),
    output:
        update(result("untrained", "{model}", "{benchmark}", "digests.json")),
    log:
        log_of("untrained", "{model}", "{benchmark}.log"),
    wildcard_constraints:
        model=any_of(models_with_files()),
    conda:
        "../envs/unmask.yaml"
    threads: config["runtime"]["threads"]
    resources:
        **GPU,
        mem_mb=scoring_memory,
    params:
        seeds=UNTRAINED_SEEDS,
        measures=lambda wildcards: of_kind(SCORED_MEASURES, kind_of(wildcards.model)),
        dtype=lambda wildcards: dtype_of(wildcards.model),
        attention=lambda wildcards: {"stack": inherited(wildcards.model, "attention")},
        unknown_tokens=SCORING.get("unknown_tokens"),
    message:
        "Scoring {wildcards.benchmark} with untrained networks like {wildcards.model}"
    script:
        "../scripts/score_untrained.py"


rule compare_precision:
    input:
        **of_model(),
        pairs=result("benchmarks", "{benchmark}.parquet"),
    output:
        result("statistics", "{model}", "{benchmark}", "precision.parquet"),
    log:
        log_of("precision", "{model}", "{benchmark}.log"),
    wildcard_constraints:
        model=any_of(models_with_files()),
    conda:
        "../envs/unmask.yaml"
    threads: config["runtime"]["threads"]
    resources:
        **GPU,
        mem_mb=scoring_memory,
    params:
        attention=lambda wildcards: {"stack": inherited(wildcards.model, "attention")},
        scoring=lambda wildcards: {"dtype": dtype_of(wildcards.model), "sample": SCORING.get("sample")},
        measures=lambda wildcards: of_kind(MEASURES, kind_of(wildcards.model)),
    message:
        "Comparing {wildcards.model} on {wildcards.benchmark} with single precision"
    script:
        "../scripts/compare_precision.py"


rule oracle_manifest:
    output:
        result("models", "{model}", "manifest.json"),
    log:
        log_of("models", "{model}", "oracle.log"),
    wildcard_constraints:
        model=any_of(models_of("oracle")),
    localrule: True
    conda:
        "../envs/unmask.yaml"
    params:
        entry=lambda wildcards: MODELS[wildcards.model],
        settings=oracle_settings,
    message:
        "Describing {wildcards.model}, which knows its world"
    script:
        "../scripts/make_oracle.py"


rule oracle_evidence:
    input:
        **of_model(),
        pairs=result("benchmarks", "{benchmark}.parquet"),
    output:
        update(result("evidence", "{model}", "{benchmark}", "digests.json")),
    log:
        log_of("evidence", "{model}", "{benchmark}.log"),
    wildcard_constraints:
        model=any_of(models_of("oracle")),
    conda:
        "../envs/unmask.yaml"
    params:
        maskings=lambda wildcards: maskings_on(ORIGINAL, kind_of(wildcards.model)),
        entry=lambda wildcards: MODELS[wildcards.model],
        settings=oracle_settings,
    message:
        "Computing what {wildcards.model} knows of {wildcards.benchmark}"
    script:
        "../scripts/score_oracle.py"

# Evidence: one job runs a model over a benchmark, every variant under every masking that the measures need.


rule evidence:
    input:
        **of_model(),
        pairs=result("benchmarks", "{benchmark}.parquet"),
    output:
        **tables_read(),
    log:
        log_of("evidence", "{model}", "{benchmark}.log"),
    wildcard_constraints:
        model=any_of(models_read()),
    conda:
        "../envs/unmask.yaml"
    threads: config["runtime"]["threads"]
    resources:
        **GPU,
        mem_mb=scoring_memory,
        runtime=reading_time,
    params:
        parts=parts_read,
        maskings=maskings_read,
        dtype=lambda wildcards: dtype_of(wildcards.model),
        attention=lambda wildcards: {"stack": inherited(wildcards.model, "attention")},
        unknown_tokens=SCORING.get("unknown_tokens"),
    message:
        "Reading {wildcards.benchmark} with {wildcards.model}"
    script:
        "../scripts/score_evidence.py"


# the same with more beside it, which a rule has to name
use rule evidence as evidence_and_likeliest with:
    output:
        **tables_read(likeliest=True),
    wildcard_constraints:
        model=any_of(models_read(likeliest=True)),


use rule evidence as evidence_and_untrained with:
    output:
        **tables_read(untrained=True),
    wildcard_constraints:
        model=any_of(models_read(untrained=True)),


use rule evidence as evidence_likeliest_and_untrained with:
    output:
        **tables_read(likeliest=True, untrained=True),
    wildcard_constraints:
        model=any_of(models_read(likeliest=True, untrained=True)),


# of models that read from left to right
use rule evidence as causal_evidence with:
    output:
        **tables_read(CAUSAL_LM),
    wildcard_constraints:
        model=any_of(models_read(CAUSAL_LM)),


use rule evidence as causal_evidence_and_likeliest with:
    output:
        **tables_read(CAUSAL_LM, likeliest=True),
    wildcard_constraints:
        model=any_of(models_read(CAUSAL_LM, likeliest=True)),


use rule evidence as causal_evidence_and_untrained with:
    output:
        **tables_read(CAUSAL_LM, untrained=True),
    wildcard_constraints:
        model=any_of(models_read(CAUSAL_LM, untrained=True)),


use rule evidence as causal_evidence_likeliest_and_untrained with:
    output:
        **tables_read(CAUSAL_LM, likeliest=True, untrained=True),
    wildcard_constraints:
        model=any_of(models_read(CAUSAL_LM, likeliest=True, untrained=True)),


# untrained networks that would make the job of their model long
use rule evidence as untrained with:
    output:
        **untrained_patterns(),
    log:
        log_of("untrained", "{model}", "{benchmark}.log"),
    wildcard_constraints:
        model=any_of([model for model in models_with_files() if not is_read_with_untrained(model)]),
    resources:
        **GPU,
        mem_mb=scoring_memory,
        runtime=untrained_time,
    params:
        parts=lambda wildcards: untrained_part(kind_of(wildcards.model)),
        maskings=lambda wildcards: maskings_on(ORIGINAL, kind_of(wildcards.model)),
        dtype=lambda wildcards: dtype_of(wildcards.model),
        attention=lambda wildcards: {"stack": inherited(wildcards.model, "attention")},
        unknown_tokens=SCORING.get("unknown_tokens"),
    message:
        "Scoring {wildcards.benchmark} with untrained networks like {wildcards.model}"


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
        runtime=scoring_time,
    params:
        code=lambda wildcards: measuring_code("compare_precision.py", kind_of(wildcards.model)),
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
        **evidence_tables(ORIGINAL),
    log:
        log_of("evidence", "{model}", "{benchmark}.log"),
    wildcard_constraints:
        model=any_of(oracles(MASKED_LM)),
    conda:
        "../envs/unmask.yaml"
    params:
        code=oracle_code,
        entry=lambda wildcards: MODELS[wildcards.model],
        settings=oracle_settings,
    message:
        "Computing what {wildcards.model} knows of {wildcards.benchmark}"
    script:
        "../scripts/score_oracle.py"


# of oracles that read from left to right
use rule oracle_evidence as causal_oracle_evidence with:
    output:
        **evidence_tables(ORIGINAL, CAUSAL_LM),

# Evidence: each model is run over each variant of each benchmark, under every masking that the measures need.

if MODELS and BENCHMARKS:
    register(
        "evidence",
        provenance=[
            {
                "title": "Scoring",
                "files": all_scores(),
                # scores keep the facts of their evidence
                "within": "evidence",
                "keys": ["device", "dtype", "versions", "code", "shuffle_seed"],
            }
        ],
    )


rule evidence:
    input:
        pairs=result("benchmarks", "{benchmark}.parquet"),
        manifest=result("models", "{model}", "manifest.json"),
    output:
        **evidence_tables(ORIGINAL),
    log:
        log_of("evidence", "{model}", "{benchmark}", "{variant}.log"),
    wildcard_constraints:
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
        dtype=config["scoring"]["dtype"],
        attention=lambda wildcards: {"stack": MODELS[wildcards.model].get("attention")},
        shuffled=lambda wildcards: config["controls"]["shuffled"] if wildcards.variant == SHUFFLED else None,
    message:
        "Scoring {wildcards.benchmark} ({wildcards.variant}) with {wildcards.model}"
    script:
        "../scripts/score_evidence.py"


use rule evidence as shuffled_evidence with:
    output:
        **evidence_tables(SHUFFLED),
    wildcard_constraints:
        variant=SHUFFLED,


rule compare_precision:
    input:
        pairs=result("benchmarks", "{benchmark}.parquet"),
        manifest=result("models", "{model}", "manifest.json"),
    output:
        result("statistics", "{model}", "{benchmark}", "precision.parquet"),
    log:
        log_of("precision", "{model}", "{benchmark}.log"),
    conda:
        "../envs/scoring.yaml"
    threads: config["runtime"]["threads"]
    resources:
        gpu=1,
        mem_mb=scoring_memory,
        runtime=scoring_time,
    params:
        code=code(
            "compare_precision.py",
            *measure_modules(),
            *[module_file("evidence/maskings", masking) for masking in maskings_on(ORIGINAL)],
        ),
        attention=lambda wildcards: {"stack": MODELS[wildcards.model].get("attention")},
        scoring=config["scoring"],
        measures=config["measures"],
    message:
        "Comparing {wildcards.model} on {wildcards.benchmark} with single precision"
    script:
        "../scripts/compare_precision.py"

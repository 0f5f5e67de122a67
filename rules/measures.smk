# Measures: evidence becomes one score per sentence, for each measure in both protocols.


rule scores:
    input:
        unpack(evidence_files),
        pairs=result("benchmarks", "{benchmark}.parquet"),
    output:
        result("scores", "{model}", "{benchmark}", "{variant}.parquet"),
    log:
        log_of("scores", "{model}", "{benchmark}", "{variant}.log"),
    conda:
        "../envs/analysis.yaml"
    resources:
        mem_mb=table_memory,
        runtime=table_time,
    params:
        code=lambda wildcards: code("score_pairs.py", *measure_modules(wildcards.variant)),
        measures=lambda wildcards: measures_on(wildcards.variant),
    message:
        "Measuring {wildcards.model} on {wildcards.benchmark} ({wildcards.variant})"
    script:
        "../scripts/score_pairs.py"

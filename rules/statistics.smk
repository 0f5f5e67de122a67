# Statistics: what the scores of one model on one benchmark say, and how surely.


rule statistics:
    input:
        unpack(statistics_inputs),
    output:
        **{name: result("statistics", "{model}", "{benchmark}", f"{name}.parquet") for name in STATISTICS},
    log:
        log_of("statistics", "{model}", "{benchmark}.log"),
    conda:
        "../envs/analysis.yaml"
    resources:
        mem_mb=table_memory,
        runtime=table_time,
    params:
        code=code("compute_statistics.py", *measure_modules()),
        measures=MEASURES,
        # alpha is left out on purpose: only the tables compare with it
        options={key: value for key, value in config["statistics"].items() if key != "alpha"},
        model=lambda wildcards: wildcards.model,
        benchmark=lambda wildcards: wildcards.benchmark,
    message:
        "Statistics of {wildcards.model} on {wildcards.benchmark}"
    script:
        "../scripts/compute_statistics.py"


rule compare_models:
    input:
        pairs=result("benchmarks", "{benchmark}.parquet"),
        scores=lambda wildcards: scores_on(wildcards.benchmark),
    output:
        result("comparisons", "{benchmark}.parquet"),
    log:
        log_of("comparisons", "{benchmark}.log"),
    conda:
        "../envs/analysis.yaml"
    resources:
        mem_mb=table_memory,
        runtime=table_time,
    params:
        code=code("compare_models.py"),
        measures=MEASURES,
        options={key: config["statistics"].get(key) for key in ("confidence", "clusters")},
        models=lambda wildcards: scored_on(wildcards.benchmark),
        benchmark=lambda wildcards: wildcards.benchmark,
    message:
        "Comparing the models on {wildcards.benchmark}"
    script:
        "../scripts/compare_models.py"

# Measures: evidence becomes scores in both protocols, and what they say, and how surely.


# by what is made besides: a rule makes the same files of all models and benchmarks
for kind, (models, benchmarks) in kinds_of_measuring().items():

    rule:
        name:
            "_".join(["measure", *kind])
        input:
            unpack(measuring_inputs),
        output:
            **measured_tables(kind),
        log:
            log_of("measures", "{model}", "{benchmark}.log"),
        wildcard_constraints:
            model=any_of(models),
            benchmark=any_of(benchmarks),
        conda:
            "../envs/unmask.yaml"
        resources:
            mem_mb=table_memory,
        params:
            measures=of_kind(MEASURES, CAUSAL_LM if "causal" in kind else MASKED_LM),
            scored_measures=of_kind(SCORED_MEASURES, CAUSAL_LM if "causal" in kind else MASKED_LM),
            shuffled_measures=(
                of_kind(SHUFFLED_MEASURES, CAUSAL_LM if "causal" in kind else MASKED_LM)
                if "shuffled" in kind
                else []
            ),
            # alpha is left out on purpose: only the tables compare with it
            options={key: value for key, value in config["statistics"].items() if key != "alpha"},
            most=EXPLORER.get("pairs") if "explored" in kind else None,
        message:
            "Measuring {wildcards.model} on {wildcards.benchmark}"
        script:
            "../scripts/measure_pairs.py"


rule compare_models:
    input:
        pairs=result("benchmarks", "{benchmark}.parquet"),
        scores=lambda wildcards: scores_on(wildcards.benchmark),
    output:
        result("comparisons", "{benchmark}.parquet"),
    log:
        log_of("comparisons", "{benchmark}.log"),
    conda:
        "../envs/unmask.yaml"
    resources:
        mem_mb=table_memory,
    params:
        measures=MEASURES,
        options={key: config["statistics"].get(key) for key in ("confidence", "clusters")},
        what=lambda wildcards: f"benchmark {wildcards.benchmark}",
        about=lambda wildcards: {
            "benchmark": wildcards.benchmark,
            "models": scored_on(wildcards.benchmark),
        },
    message:
        "Comparing the models on {wildcards.benchmark}"
    script:
        "../scripts/compare_scores.py"


rule compare_versions:
    input:
        pairs=result("benchmarks", "{benchmark}.parquet"),
        original_pairs=lambda wildcards: result("benchmarks", f"{VERSIONS[wildcards.benchmark]}.parquet"),
        scores=lambda wildcards: scores_of_versions(wildcards.benchmark)[0],
        original_scores=lambda wildcards: scores_of_versions(wildcards.benchmark)[1],
    output:
        result("versions", "{benchmark}.parquet"),
    log:
        log_of("versions", "{benchmark}.log"),
    wildcard_constraints:
        benchmark=any_of(VERSIONS),
    conda:
        "../envs/unmask.yaml"
    resources:
        mem_mb=table_memory,
    params:
        measures=MEASURES,
        options={key: config["statistics"].get(key) for key in ("confidence", "clusters")},
        what=lambda wildcards: (
            f"config key benchmarks.{wildcards.benchmark}.version_of: {VERSIONS[wildcards.benchmark]}"
        ),
        about=lambda wildcards: {
            "benchmark": wildcards.benchmark,
            "original": VERSIONS[wildcards.benchmark],
            "models": scored_on_versions(wildcards.benchmark),
        },
    message:
        "Comparing {wildcards.benchmark} with what it is a version of"
    script:
        "../scripts/compare_scores.py"


rule compare_states:
    input:
        pairs=result("benchmarks", "{benchmark}.parquet"),
        scores=scores_of_states,
    output:
        result("series", "{series}", "{benchmark}.parquet"),
    log:
        log_of("series", "{series}", "{benchmark}.log"),
    conda:
        "../envs/unmask.yaml"
    resources:
        mem_mb=table_memory,
    params:
        measures=MEASURES,
        options={key: config["statistics"].get(key) for key in ("confidence", "clusters")},
        what=lambda wildcards: f"series {wildcards.series}, benchmark {wildcards.benchmark}",
        about=lambda wildcards: {
            "series": wildcards.series,
            "benchmark": wildcards.benchmark,
            "states": list(states_on(wildcards.series, wildcards.benchmark)),
        },
    message:
        "Comparing the states of {wildcards.series} on {wildcards.benchmark}"
    script:
        "../scripts/compare_scores.py"

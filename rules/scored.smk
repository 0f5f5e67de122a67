# Scores made elsewhere: a file of them takes the place of a model, and is matched with pairs of benchmarks.


rule describe_score_file:
    input:
        score_file_of,
    output:
        result("models", "{model}", "manifest.json"),
    log:
        log_of("models", "{model}", "reading.log"),
    wildcard_constraints:
        model=any_of(models_of("scored")),
    localrule: True
    conda:
        "../envs/unmask.yaml"
    params:
        entry=scored_entry,
    message:
        "Reading the scores of {wildcards.model}"
    script:
        "../scripts/describe_score_file.py"


for kind, (models, benchmarks) in kinds_of_scored_elsewhere().items():

    rule:
        name:
            "_".join(["match_scores", *kind])
        input:
            unpack(scored_inputs),
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
            entry=scored_entry,
            # alpha is left out on purpose: only the tables compare with it
            options={key: value for key, value in config["statistics"].items() if key != "alpha"},
            most=EXPLORER.get("pairs") if "explored" in kind else None,
        message:
            "Matching the scores of {wildcards.model} with {wildcards.benchmark}"
        script:
            "../scripts/match_scores.py"

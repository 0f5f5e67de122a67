# Template tests: LPBS and DisCo of masked language models.


include: "inputs/templates.smk"


check_templates()


wildcard_constraints:
    test=any_of(TEMPLATE_TESTS),


register(
    "templates",
    statistics=of_template_tests("tests"),
    provenance=templates_provenance(),
    removable=templates_removable(),
)


rule read_targets:
    input:
        **of_model(),
        words=template_words,
    output:
        templates_result("{model}", "{test}", "targets.parquet"),
    log:
        log_of("templates", "{model}", "{test}", "reading.log"),
    wildcard_constraints:
        model=any_of(template_models()),
        test=any_of(tests_of("lpbs")),
    conda:
        "../envs/scoring.yaml"
    threads: config["runtime"]["threads"]
    resources:
        **GPU,
        mem_mb=scoring_memory,
        runtime=templates_time,
    params:
        code=code("read_templates.py"),
        model=lambda wildcards: wildcards.model,
        test=lambda wildcards: wildcards.test,
        entry=template_settings,
        input_sha256=input_sha256(template_words),
    message:
        "Filling the templates of {wildcards.test} with {wildcards.model}"
    script:
        "../scripts/read_templates.py"


use rule read_targets as read_fills with:
    output:
        templates_result("{model}", "{test}", "fills.parquet"),
    wildcard_constraints:
        model=any_of(template_models()),
        test=any_of(tests_of("disco")),


rule compute_templates:
    input:
        template_evidence,
    output:
        tests=templates_result("{model}", "{test}", "tests.parquet"),
        words=templates_result("{model}", "{test}", "words.parquet"),
    log:
        log_of("templates", "{model}", "{test}", "testing.log"),
    wildcard_constraints:
        model=any_of(template_models()),
    conda:
        "../envs/analysis.yaml"
    resources:
        mem_mb=table_memory,
        runtime=table_time,
    params:
        code=code("compute_templates.py"),
        model=lambda wildcards: wildcards.model,
        test=lambda wildcards: wildcards.test,
        entry=template_settings,
        draws=TEMPLATES.get("draws"),
        seed=TEMPLATES.get("seed"),
        confidence=config["statistics"]["confidence"],
    message:
        "Testing {wildcards.model} on the templates of {wildcards.test}"
    script:
        "../scripts/compute_templates.py"


if TEMPLATES:
    presents(
        "templates",
        template_inputs(),
        template_files(),
        ["templates"],
        {
            "models": display_metadata(template_models(), MODELS),
            "decoders": language_models(CAUSAL_LM),
            "alpha": config["statistics"]["alpha"],
        },
        what="template tests",
    )

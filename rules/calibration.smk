# Calibration: measures on synthetic worlds whose bias is known, and on exact models of them.


include: "inputs/calibration.smk"


register(
    "calibration",
    statistics=calibration_statistics(),
    provenance=calibration_provenance(),
)


rule oracle_manifest:
    output:
        result("models", "{model}", "manifest.json"),
    log:
        log_of("models", "{model}", "oracle.log"),
    wildcard_constraints:
        model=any_of(models_of("oracle")),
    localrule: True
    conda:
        "../envs/analysis.yaml"
    params:
        code=code("make_oracle.py"),
        name=lambda wildcards: wildcards.model,
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
        "../envs/analysis.yaml"
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
    wildcard_constraints:
        model=any_of(oracles(CAUSAL_LM)),


rule compute_exact:
    output:
        **exact_tables(),
    log:
        log_of("calibration", "exact.log"),
    conda:
        "../envs/analysis.yaml"
    params:
        code=exact_code(),
        name=exact_world(),
        settings=WORLDS.get(exact_world()),
        measures=MEASURES,
        drawn=CALIBRATION.get("drawn"),
        association=CALIBRATION.get("power", {}).get("association"),
    message:
        "Computing what a perfect model knows of drawn worlds, and of other training"
    script:
        "../scripts/compute_exact.py"


rule calibrate:
    input:
        scores=calibrating_scores(),
        pairs=[result("benchmarks", f"{benchmark}.parquet") for benchmark in calibrating_benchmarks()],
        truths=truths(),
        drawn=calibration_result("drawn.parquet"),
    output:
        **{name: calibration_result(f"{name}.parquet") for name in CALIBRATED},
    log:
        log_of("calibration", "calibration.log"),
    conda:
        "../envs/analysis.yaml"
    resources:
        mem_mb=table_memory,
        runtime=table_time,
    params:
        code=code("compute_calibration.py", *measure_modules()),
        models=calibration_models(),
        benchmarks=calibration_benchmarks(),
        corruptions={world: WORLDS[world]["corruption"] for world in used_worlds()},
        options={"confidence": config["statistics"]["confidence"], "power": CALIBRATION.get("power")},
    message:
        "Comparing measures with what was planted"
    script:
        "../scripts/compute_calibration.py"


rule calibrate_debiased:
    input:
        scores=judged_scores(),
        pairs=[result("benchmarks", f"{benchmark}.parquet") for benchmark in calibrating_benchmarks()],
        truths=truths(),
    output:
        calibration_result("debiased.parquet"),
    log:
        log_of("calibration", "debiased.log"),
    conda:
        "../envs/analysis.yaml"
    resources:
        mem_mb=table_memory,
        runtime=table_time,
    params:
        code=code("compute_debiased.py", *measure_modules()),
        models=judged_entries(),
        benchmarks=calibration_benchmarks(),
        corruptions={world: WORLDS[world]["corruption"] for world in used_worlds()},
        confidence=config["statistics"]["confidence"],
    message:
        "Comparing debiased models with what was planted"
    script:
        "../scripts/compute_debiased.py"


rule explain_frequency:
    input:
        pairs=result("benchmarks", "{benchmark}.parquet"),
        scores=result("scores", "{model}", "{benchmark}", f"{ORIGINAL}.parquet"),
        ratios=result("group_words", "{benchmark}", "ratios.parquet"),
    output:
        calibration_result("{model}", "{benchmark}", "explained.parquet"),
    log:
        log_of("calibration", "{model}", "{benchmark}", "explained.log"),
    conda:
        "../envs/analysis.yaml"
    resources:
        mem_mb=table_memory,
        runtime=table_time,
    params:
        code=code("explain_frequency.py"),
        measures=MEASURES,
        options={key: config["statistics"].get(key) for key in ("confidence", "clusters")},
        model=lambda wildcards: wildcards.model,
        benchmark=lambda wildcards: wildcards.benchmark,
    message:
        "Asking what word frequency explains of {wildcards.model} on {wildcards.benchmark}"
    script:
        "../scripts/explain_frequency.py"


if has_calibration():
    presents(
        "calibration",
        calibration_inputs(),
        calibration_table_files() | calibration_figure_files(),
        ["calibration"],
        calibration_settings(),
        measure_modules(),
    )

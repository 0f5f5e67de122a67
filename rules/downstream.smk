# Downstream tasks: models fine-tuned, how unequally they then treat the genders, and whether their bias
# before says so.


include: "inputs/downstream.smk"


check_downstream()


wildcard_constraints:
    task=any_of(TASKS),


register(
    "downstream",
    statistics=downstream_statistics(),
    provenance=downstream_provenance(),
    removable=downstream_removable(),
)


rule fetch_task:
    output:
        file=downstream_result("{task}", "source", "{file}"),
        facts=downstream_result("{task}", "source", "{file}.facts.json"),
    log:
        log_of("downstream", "{task}", "{file}.fetching.log"),
    wildcard_constraints:
        task=any_of(fetched_tasks()),
        file=r".+(?<!\.facts\.json)",
    localrule: True
    conda:
        "../envs/unmask.yaml"
    params:
        what=lambda wildcards: f"task {wildcards.task}",
        config_keys=lambda wildcards: ["downstream", "tasks", wildcards.task, "files", wildcards.file],
        source=task_source,
    message:
        "Fetching {wildcards.file} of {wildcards.task}"
    script:
        "../scripts/fetch_file.py"


rule read_task:
    input:
        unpack(task_files),
    output:
        examples=downstream_result("{task}", "examples.parquet"),
        items_table=downstream_result("{task}", "items.parquet"),
    log:
        log_of("downstream", "{task}", "reading.log"),
    conda:
        "../envs/unmask.yaml"
    resources:
        mem_mb=lambda wildcards, attempt: 8000 * attempt,
    params:
        name=lambda wildcards: wildcards.task,
        entry=task_settings,
    message:
        "Reading the task {wildcards.task}"
    script:
        "../scripts/read_task.py"


# a rule of its own, as other words or another confidence would else fine-tune all models anew
rule count_gendered_words:
    input:
        examples=[downstream_result(task, "examples.parquet") for task in TASKS],
        words=downstream_words(),
    output:
        # a study without tasks has a pattern all the same
        word_counts() or [downstream_result("words.parquet")],
    log:
        log_of("downstream", "words.log"),
    conda:
        "../envs/unmask.yaml"
    resources:
        mem_mb=table_memory,
    params:
        confidence=config["statistics"]["confidence"],
    message:
        "Counting the gendered words of tasks"
    script:
        "../scripts/count_gendered_words.py"


rule fine_tune:
    input:
        **of_model(),
        examples=downstream_result("{task}", "examples.parquet"),
        items_table=downstream_result("{task}", "items.parquet"),
    output:
        predictions=downstream_result("{task}", "{model}", "seed-{seed}.parquet"),
    log:
        log_of("downstream", "{task}", "{model}", "seed-{seed}.log"),
    wildcard_constraints:
        model=any_of(tuned_models()),
        seed=any_of(seeds_not_kept()),
    conda:
        "../envs/unmask.yaml"
    threads: config["runtime"]["threads"]
    resources:
        **GPU,
        mem_mb=training_memory,
        runtime=fine_tuning_time,
    params:
        model=lambda wildcards: wildcards.model,
        task=lambda wildcards: wildcards.task,
        seed=lambda wildcards: int(wildcards.seed),
        entry=fine_tuning_settings,
        kept=False,
    message:
        "Fine-tuning {wildcards.model} on {wildcards.task} (seed {wildcards.seed})"
    script:
        "../scripts/fine_tune.py"


# the same, when the model is to be scored on pairs once more
use rule fine_tune as fine_tune_and_keep with:
    output:
        **made_model("{model}@{task}"),
        predictions=downstream_result("{task}", "{model}", f"seed-{KEPT_SEED}.parquet"),
    log:
        log_of("downstream", "{task}", "{model}", f"seed-{KEPT_SEED}.log"),
    wildcard_constraints:
        model=any_of(tuned_models() if KEEPS else []),
    params:
        model=lambda wildcards: wildcards.model,
        task=lambda wildcards: wildcards.task,
        seed=KEPT_SEED,
        entry=fine_tuning_settings,
        kept=True,
        manifest=lambda wildcards: about_model(f"{wildcards.model}@{wildcards.task}"),
    message:
        f"Fine-tuning {{wildcards.model}} on {{wildcards.task}} (seed {KEPT_SEED})"


rule measure_downstream:
    input:
        items_table=downstream_result("{task}", "items.parquet"),
        predictions=lambda wildcards: predictions_of(wildcards.model, wildcards.task),
        origin=origin_predictions,
    output:
        downstream_result("{task}", "{model}", "scores.parquet"),
    log:
        log_of("downstream", "{task}", "{model}", "scores.log"),
    wildcard_constraints:
        model=any_of(tuned_models()),
    conda:
        "../envs/unmask.yaml"
    resources:
        mem_mb=table_memory,
        runtime=table_time,
    params:
        model=lambda wildcards: wildcards.model,
        task=lambda wildcards: wildcards.task,
        draws=DOWNSTREAM.get("draws"),
        confidence=config["statistics"]["confidence"],
    message:
        "Measuring {wildcards.model} on {wildcards.task}"
    script:
        "../scripts/measure_downstream.py"


rule correlate_downstream:
    input:
        scores_before=scores_before(),
        scores_after=scores_after(),
        pairs=intrinsic_pairs(),
        extrinsic=extrinsic_scores(),
    output:
        downstream_result("correlations.parquet"),
    log:
        log_of("downstream", "correlations.log"),
    conda:
        "../envs/unmask.yaml"
    resources:
        mem_mb=table_memory,
        runtime=table_time,
    params:
        code=code("correlate_downstream.py", *measure_modules()),
        models=listed_models(),
        tasks=list(TASKS),
        benchmarks=list(BENCHMARKS),
        measures=MEASURES,
        bias_type=DOWNSTREAM.get("bias_type"),
    message:
        "Correlating intrinsic with extrinsic bias"
    script:
        "../scripts/correlate_downstream.py"


if DOWNSTREAM:
    presents(
        "downstream",
        downstream_inputs(),
        downstream_table_files() | downstream_figure_files(),
        ["downstream"],
        downstream_settings(),
        measure_modules(),
        what="extrinsic bias",
    )

# Downstream tasks: models fine-tuned, how unequally they then treat the genders, and whether their bias
# before says so.
#
#   tasks -> fine-tuned models' predictions -> scores -> correlations with bias scores


include: "inputs/downstream.smk"


from unmask.configuration import read_config
from unmask.downstream.sources import source_files, with_preset
from unmask.downstream.study import are_scored_after, fine_tuned_models, settings_of
from unmask.downstream.study import check_study as check_study_of_downstream
from unmask.downstream.terms import LEAST_SEEN
from unmask.terms import PUBLISHED

DOWNSTREAM = config.get("downstream", {})
try:
    check_study_of_downstream(config)
except InputError as error:
    sys.exit(f"error: {error}")
# what published tasks are read with
PRESETS = read_config(ROOT / "resources/downstream/tasks.yaml") if DOWNSTREAM else {}
TASKS = {name: with_preset(entry, PRESETS) for name, entry in DOWNSTREAM.get("tasks", {}).items()}
TUNED = fine_tuned_models(config) if DOWNSTREAM else []
TUNED_AND_SCORED = [model for model in TUNED if model in SCORED]
DOWNSTREAM_SEEDS = DOWNSTREAM.get("seeds", [0])
# whether models are scored on pairs after fine-tuning, and with which seed
SCORES_AFTER = bool(DOWNSTREAM) and are_scored_after(config)
SAVED_SEED = DOWNSTREAM_SEEDS[0]
OTHER_SEEDS = [str(seed) for seed in DOWNSTREAM_SEEDS if not (SCORES_AFTER and seed == SAVED_SEED)]


for task in TASKS:
    if not tuned_on(task):
        sys.exit(
            f"error: config key downstream.tasks.{task}.world: "
            "all models that are fine-tuned are of other worlds"
        )

EXTRINSIC_SCORES = [
    result("downstream", task, model, "scores.parquet") for task in TASKS for model in tuned_on(task)
]
WORDS = [result("downstream", task, "words.parquet") for task in TASKS]
BIAS_SCORES = {
    "bias_before": results_of_all("statistics", "bias.parquet", models=TUNED_AND_SCORED),
    "bias_after": results_of_all(
        "statistics",
        "bias.parquet",
        models=[f"{model}@{task}" for task in TASKS for model in tuned_on(task)] if SCORES_AFTER else [],
    ),
}


wildcard_constraints:
    task=any_of(TASKS),


register(
    "downstream",
    statistics=(
        [*EXTRINSIC_SCORES, *WORDS, result("downstream", "correlations.parquet")] if DOWNSTREAM else []
    ),
    provenance=(
        [
            *(
                {
                    "title": f"Task {task}",
                    "files": [result("downstream", task, "items.parquet")],
                    "keys": ["source"],
                    "stated": licence(entry, made="world" in entry),
                }
                for task, entry in TASKS.items()
            ),
            {"title": "Extrinsic bias", "files": EXTRINSIC_SCORES, "keys": ["versions", "code"]},
        ]
        if DOWNSTREAM
        else []
    ),
)


rule fetch_task:
    output:
        file=result("downstream", "{task}", "source", "{file}"),
        facts=result("downstream", "{task}", "source", "{file}.facts.json"),
    log:
        log_of("downstream", "{task}", "{file}.fetching.log"),
    wildcard_constraints:
        task=any_of(
            task for task, entry in TASKS.items() if any(map(is_downloaded, source_files(entry).values()))
        ),
        file=r".+(?<!\.facts\.json)",
    localrule: True
    conda:
        "../envs/unmask.yaml"
    params:
        what=lambda wildcards: f"task {wildcards.task}",
        config_keys=lambda wildcards: ["downstream", "tasks", wildcards.task, "files", wildcards.file],
        source=lambda wildcards: fetched_from(source_files(TASKS[wildcards.task])[wildcards.file]),
    message:
        "Fetching {wildcards.file} of {wildcards.task}"
    script:
        "../scripts/fetch_file.py"


rule read_task:
    input:
        unpack(task_files),
    output:
        examples=result("downstream", "{task}", "examples.parquet"),
        items_table=result("downstream", "{task}", "items.parquet"),
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
        examples=[result("downstream", task, "examples.parquet") for task in TASKS],
        words=(
            resource("gendered_words.yaml")
            if DOWNSTREAM.get("words", "published") == "published"
            else outside(DOWNSTREAM["words"])
        ),
    output:
        # a study without tasks has a pattern all the same
        WORDS or [result("downstream", "words.parquet")],
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
        examples=result("downstream", "{task}", "examples.parquet"),
        items_table=result("downstream", "{task}", "items.parquet"),
    output:
        predictions=result("downstream", "{task}", "{model}", "seed-{seed}.parquet"),
    log:
        log_of("downstream", "{task}", "{model}", "seed-{seed}.log"),
    wildcard_constraints:
        model=any_of(TUNED),
        seed=any_of(OTHER_SEEDS),
    conda:
        "../envs/unmask.yaml"
    threads: config["runtime"]["threads"]
    resources:
        **GPU,
        mem_mb=training_memory,
    params:
        model=lambda wildcards: wildcards.model,
        task=lambda wildcards: wildcards.task,
        seed=lambda wildcards: int(wildcards.seed),
        entry=lambda wildcards: settings_of(DOWNSTREAM, wildcards.task),
        saved=False,
    message:
        "Fine-tuning {wildcards.model} on {wildcards.task} (seed {wildcards.seed})"
    script:
        "../scripts/fine_tune.py"


# the same, when the model is to be scored on pairs once more
use rule fine_tune as fine_tune_and_save with:
    output:
        **made_model("{model}@{task}"),
        predictions=result("downstream", "{task}", "{model}", f"seed-{SAVED_SEED}.parquet"),
    log:
        log_of("downstream", "{task}", "{model}", f"seed-{SAVED_SEED}.log"),
    wildcard_constraints:
        model=any_of(TUNED if SCORES_AFTER else []),
    params:
        model=lambda wildcards: wildcards.model,
        task=lambda wildcards: wildcards.task,
        seed=SAVED_SEED,
        entry=lambda wildcards: settings_of(DOWNSTREAM, wildcards.task),
        saved=True,
        manifest=lambda wildcards: about_model(f"{wildcards.model}@{wildcards.task}"),
    message:
        f"Fine-tuning {{wildcards.model}} on {{wildcards.task}} (seed {SAVED_SEED})"


rule measure_downstream:
    input:
        items_table=result("downstream", "{task}", "items.parquet"),
        predictions=lambda wildcards: predictions_of(wildcards.model, wildcards.task),
        origin=origin_predictions,
    output:
        result("downstream", "{task}", "{model}", "scores.parquet"),
    log:
        log_of("downstream", "{task}", "{model}", "scores.log"),
    wildcard_constraints:
        model=any_of(TUNED),
    conda:
        "../envs/unmask.yaml"
    resources:
        mem_mb=table_memory,
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
        **BIAS_SCORES,
        extrinsic=EXTRINSIC_SCORES,
    output:
        result("downstream", "correlations.parquet"),
    log:
        log_of("downstream", "correlations.log"),
    conda:
        "../envs/unmask.yaml"
    resources:
        mem_mb=table_memory,
    params:
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
        BIAS_SCORES
        | {
            "scores": EXTRINSIC_SCORES,
            "words": WORDS,
            "correlations": result("downstream", "correlations.parquet"),
            "comparisons": debiasing_comparisons(),
            "published": resource("downstream/published.csv"),
            "captions": resource("downstream/captions.yaml"),
        },
        table_outputs(["table1", "table2", "overview"], "downstream_")
        | table_outputs(["values", "occupations"], "downstream_", ["csv"])
        | figure_outputs(downstream_figures(), "downstream_"),
        ["downstream"],
        {
            "models": listed_models(),
            "tasks": [{"name": task, "published": entry.get("published")} for task, entry in TASKS.items()],
            "benchmarks": list(BENCHMARKS),
            "published": {name: of["published"] for name, of in BENCHMARKS.items() if "published" in of},
            "measures": MEASURES,
            "bias_type": DOWNSTREAM.get("bias_type"),
            "alpha": config["statistics"]["alpha"],
            "confidence": config["statistics"]["confidence"],
        },
        what="extrinsic bias",
    )

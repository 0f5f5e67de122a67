# Downstream tasks: models fine-tuned, how unequally they then treat the genders, and whether their bias
# before says so.
#
#   tasks -> fine-tuned models' predictions -> scores -> correlations with bias scores


from unmask.downstream import study as downstream_study
from unmask.downstream.study import with_preset
from unmask.downstream.terms import LEAST_SEEN
from unmask.user_files import read_config

DOWNSTREAM = config.get("downstream", {})
# what published tasks are read with
PRESETS = read_config(ROOT / "resources/downstream/tasks.yaml") if DOWNSTREAM else {}
TASKS = {name: with_preset(entry, PRESETS) for name, entry in DOWNSTREAM.get("tasks", {}).items()}

with refusing():
    downstream_study.check_study(config)
    TUNED = downstream_study.fine_tuned_models(config) if DOWNSTREAM else []
    TUNED_ON = downstream_study.tuned_on(TASKS, TUNED, MODELS)

DOWNSTREAM_SEEDS = DOWNSTREAM.get("seeds", [0])
# whether models are scored on pairs after fine-tuning, and with which seed
SCORES_AFTER = bool(DOWNSTREAM) and downstream_study.are_scored_after(config)
SAVED_SEED = DOWNSTREAM_SEEDS[0]
OTHER_SEEDS = [str(seed) for seed in DOWNSTREAM_SEEDS if not (SCORES_AFTER and seed == SAVED_SEED)]
# the files that each task is read from, by name
TASK_FILES = {
    task: {
        name: (
            resource(source["resource"])
            if "resource" in source
            else outside(source["path"]) if "path" in source else result("downstream", task, "source", name)
        )
        for name, source in entry["files"].items()
    }
    for task, entry in TASKS.items()
}


wildcard_constraints:
    task=any_of(TASKS),


rule fetch_task:
    output:
        file=result("downstream", "{task}", "source", "{file}"),
        facts=result("downstream", "{task}", "source", "{file}.facts.json"),
    log:
        log_of("downstream", "{task}", "{file}.fetching.log"),
    wildcard_constraints:
        file=r".+(?<!\.facts\.json)",
    localrule: True
    params:
        what=lambda wildcards: f"task {wildcards.task}",
        config_keys=lambda wildcards: ["downstream", "tasks", wildcards.task, "files", wildcards.file],
        source=lambda wildcards: fetched_from(TASKS[wildcards.task]["files"][wildcards.file]),
    message:
        "Fetching {wildcards.file} of {wildcards.task}"
    script:
        "../scripts/fetch_file.py"


rule read_task:
    input:
        unpack(lambda wildcards: TASK_FILES[wildcards.task]),
    output:
        examples=result("downstream", "{task}", "examples.parquet"),
        items_table=result("downstream", "{task}", "items.parquet"),
    log:
        log_of("downstream", "{task}", "reading.log"),
    resources:
        mem_mb=lambda wildcards, attempt: 8000 * attempt,
    params:
        # without secrets of its urls
        entry=lambda wildcards: {
            **{
                key: of for key, of in TASKS[wildcards.task].items() if key not in ("fine_tuning", "licence")
            },
            **{
                "settings": WORLDS[world]
                for world in [TASKS[wildcards.task].get("world")]
                if world is not None
            },
            "files": {name: as_shown(source) for name, source in TASKS[wildcards.task]["files"].items()},
        },
    message:
        "Reading the task {wildcards.task}"
    script:
        "../scripts/read_task.py"


TASK_WORDS = [result("downstream", task, "words.parquet") for task in TASKS]


# a rule of its own, as other words or another confidence would else fine-tune all models anew
rule count_gendered_words:
    input:
        examples=collect(rules.read_task.output.examples, task=TASKS),
        words=resource("gendered_words.csv"),
    output:
        # a study without tasks has a pattern all the same
        TASK_WORDS or [result("downstream/words.parquet")],
    log:
        log_of("downstream", "words.log"),
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
        manifest=result("models/{model}/manifest.json"),
        examples=result("downstream", "{task}", "examples.parquet"),
        items_table=result("downstream", "{task}", "items.parquet"),
    output:
        predictions=result("downstream", "{task}", "{model}", "seed-{seed}.parquet"),
    log:
        log_of("downstream", "{task}", "{model}", "seed-{seed}.log"),
    wildcard_constraints:
        model=any_of(TUNED),
        seed=any_of(OTHER_SEEDS),
    threads: config["runtime"]["threads"]
    resources:
        **GPU,
        mem_mb=training_memory,
    params:
        seed=lambda wildcards: int(wildcards.seed),
        entry=lambda wildcards: downstream_study.settings_of(DOWNSTREAM, wildcards.task),
        saved=False,
    message:
        "Fine-tuning {wildcards.model} on {wildcards.task} (seed {wildcards.seed})"
    script:
        "../scripts/fine_tune.py"


# the same, when the model is to be scored on pairs once more
use rule fine_tune as fine_tune_and_save with:
    output:
        directory=directory(result("models/{model}@{task}/files")),
        facts=result("models/{model}@{task}/facts.json"),
        manifest=result("models/{model}@{task}/manifest.json"),
        predictions=result("downstream", "{task}", "{model}", f"seed-{SAVED_SEED}.parquet"),
    log:
        log_of("downstream", "{task}", "{model}", f"seed-{SAVED_SEED}.log"),
    wildcard_constraints:
        model=any_of(TUNED if SCORES_AFTER else []),
    params:
        seed=SAVED_SEED,
        entry=lambda wildcards: downstream_study.settings_of(DOWNSTREAM, wildcards.task),
        saved=True,
        manifest=lambda wildcards: about_model(f"{wildcards.model}@{wildcards.task}"),
    message:
        f"Fine-tuning {{wildcards.model}} on {{wildcards.task}} (seed {SAVED_SEED})"


PREDICTIONS = result("downstream/{task}/{model}/seed-{seed}.parquet")


rule measure_downstream:
    input:
        items_table=result("downstream", "{task}", "items.parquet"),
        predictions=lambda wildcards: expand(PREDICTIONS, **wildcards, seed=DOWNSTREAM_SEEDS),
        # of the model that this one is made from, where it is fine-tuned, too
        origin=lambda wildcards: expand(
            PREDICTIONS,
            model=[name for name in TUNED_ON[wildcards.task] if name == MODELS[wildcards.model].get("from")],
            task=wildcards.task,
            seed=DOWNSTREAM_SEEDS,
        ),
    output:
        result("downstream", "{task}", "{model}", "scores.parquet"),
    log:
        log_of("downstream", "{task}", "{model}", "scores.log"),
    wildcard_constraints:
        model=any_of(TUNED),
    resources:
        mem_mb=table_memory,
    params:
        draws=DOWNSTREAM.get("draws"),
        confidence=config["statistics"]["confidence"],
    message:
        "Measuring {wildcards.model} on {wildcards.task}"
    script:
        "../scripts/measure_downstream.py"


EXTRINSIC_SCORES = [
    result("downstream", task, model, "scores.parquet")
    for task, models in TUNED_ON.items()
    for model in models
]
TUNED_AND_SCORED = [model for model in TUNED if model in SCORED]
TUNED_MODELS = [f"{model}@{task}" for task, models in TUNED_ON.items() for model in models]
BIAS_SCORES = {
    "bias_before": collect(MEASURE_FILES["bias"], zip, **PAIRS.places(TUNED_AND_SCORED)),
    "bias_after": collect(MEASURE_FILES["bias"], zip, **PAIRS.places(TUNED_MODELS if SCORES_AFTER else [])),
}
ROLES = downstream_study.roles_of(TUNED, MODELS)


rule correlate_downstream:
    input:
        **BIAS_SCORES,
        extrinsic=EXTRINSIC_SCORES,
    output:
        result("downstream", "correlations.parquet"),
    log:
        log_of("downstream", "correlations.log"),
    resources:
        mem_mb=table_memory,
    params:
        models=ROLES,
        tasks=list(TASKS),
        benchmarks=list(BENCHMARKS),
        measures=MEASURES,
        bias_type="gender",
    message:
        "Correlating intrinsic with extrinsic bias"
    script:
        "../scripts/correlate_downstream.py"


CORRELATIONS = collect(rules.correlate_downstream.output) if DOWNSTREAM else []

register(
    "downstream",
    statistics=[*EXTRINSIC_SCORES, *TASK_WORDS, *CORRELATIONS],
    provenance=[
        *(
            {
                "title": f"Task {task}",
                "files": [result("downstream", task, "items.parquet")],
                "keys": ["source"],
                "stated": licence(entry, made="world" in entry),
            }
            for task, entry in TASKS.items()
        ),
        *(
            [{"title": "Extrinsic bias", "files": EXTRINSIC_SCORES, "keys": VERSION_KEYS}]
            if DOWNSTREAM
            else []
        ),
    ],
)

if DOWNSTREAM:
    _figures = {
        "extrinsic": TASKS,
        "changes": any("origin" in each for each in ROLES),
        "against": len(TUNED_AND_SCORED) >= LEAST_SEEN,
        "steps": any(downstream_study.settings_of(DOWNSTREAM, task)["how"] == "curve" for task in TASKS),
    }
    presents(
        "downstream",
        {
            "bias_before": BIAS_SCORES["bias_before"],
            "scores": EXTRINSIC_SCORES,
            "words": TASK_WORDS,
            "correlations": CORRELATIONS[0],
            "comparisons": DEBIASED_COMPARED,
            "published": resource("downstream/published.csv"),
            "captions": resource("downstream/captions.yaml"),
        },
        table_outputs(["table1", "table2", "overview"], "downstream_")
        | table_outputs(["values"], "downstream_", ["csv"])
        | figure_outputs([name for name, wanted in _figures.items() if wanted], "downstream_"),
        ["downstream"],
        {
            "models": ROLES,
            "tasks": [{"name": task, "published": entry.get("published")} for task, entry in TASKS.items()],
            "benchmarks": list(BENCHMARKS),
            "published": {name: of["published"] for name, of in BENCHMARKS.items() if "published" in of},
            "measures": MEASURES,
            "bias_type": "gender",
            "draws": DOWNSTREAM["draws"],
            "alpha": config["statistics"]["alpha"],
            "confidence": config["statistics"]["confidence"],
        },
        what="extrinsic bias",
    )

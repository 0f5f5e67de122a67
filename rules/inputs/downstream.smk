# Functions that tell rules their inputs and outputs: downstream tasks.

from unmask.configuration import read_config
from unmask.downstream.sources import source_files, with_preset
from unmask.downstream.study import are_scored_after, fine_tuned_models, settings_of
from unmask.downstream.study import check_study as check_study_of_downstream
from unmask.downstream.terms import LEAST_SEEN
from unmask.terms import PUBLISHED
from unmask.urls import as_shown

DOWNSTREAM = config.get("downstream", {})
# what published tasks are read with
PRESETS = read_config(ROOT / "resources/downstream/tasks.yaml") if DOWNSTREAM else {}
TASKS = {name: with_preset(entry, PRESETS) for name, entry in DOWNSTREAM.get("tasks", {}).items()}
DOWNSTREAM_SEEDS = DOWNSTREAM.get("seeds", [0])
# whether models are scored on pairs after fine-tuning, and with which seed
KEEPS = bool(DOWNSTREAM) and are_scored_after(config)
KEPT_SEED = DOWNSTREAM_SEEDS[0]
DOWNSTREAM_TABLES = ["table1", "table2", "values", "overview"]
DOWNSTREAM_FIGURES = [
    "extrinsic_figure",
    "intrinsic_figure",
    "changes_figure",
    "against_figure",
    "steps_figure",
]


def check_downstream():
    """Stop with one line where the study asks of downstream tasks what cannot be."""
    try:
        check_study_of_downstream(config, FAMILIES)
    except InputError as error:
        sys.exit(f"error: {error}")


def downstream_result(*parts):
    """A path among the results on downstream tasks."""
    return result("downstream", *parts)


def tuned_models():
    """The models that are fine-tuned, in the order of the study."""
    return fine_tuned_models(config, FAMILIES) if DOWNSTREAM else []


def tuned_on(task):
    """The models that are fine-tuned on a task: a model of a world not on those of other worlds."""
    world = TASKS[task].get("world")
    return [model for model in tuned_models() if len({inherited(model, "world"), world} - {None}) < 2]


def seeds_not_kept():
    """The seeds whose models are not kept."""
    return [str(seed) for seed in DOWNSTREAM_SEEDS if not (KEEPS and seed == KEPT_SEED)]


def fetched(source):
    """Whether a file of a task is fetched."""
    return "repo" in source or "url" in source


def fetched_tasks():
    """The tasks of which something is fetched."""
    return [task for task, entry in TASKS.items() if any(map(fetched, source_files(entry).values()))]


def task_source(wildcards):
    """Where a file of a task comes from, without secrets."""
    return as_shown(source_files(TASKS[wildcards.task])[wildcards.file])


def task_files(wildcards):
    """The files that a task is read from, by name."""
    files = {}
    for name, source in source_files(TASKS[wildcards.task]).items():
        if "resource" in source:
            files[name] = resource(source["resource"])
        elif fetched(source):
            files[name] = downstream_result(wildcards.task, "source", name)
        else:
            files[name] = outside(source["path"])
    return files


def task_settings(wildcards):
    """What a task depends on, without secrets of its urls."""
    entry = TASKS[wildcards.task]
    files = {name: as_shown(source) for name, source in entry["files"].items()}
    settings = {key: value for key, value in entry.items() if key not in ("files", "fine_tuning", "licence")}
    if "world" in entry:
        settings["settings"] = {
            key: value for key, value in WORLDS[entry["world"]].items() if key != "corruption"
        }
    return settings | ({"files": files} if files else {})


def downstream_words():
    """The pairs of words that differ in gender."""
    stated = DOWNSTREAM.get("words", "published")
    return resource("gendered_words.yaml") if stated == "published" else outside(stated)


def fine_tuning_settings(wildcards):
    """How a model is fine-tuned on a task."""
    return settings_of(DOWNSTREAM, wildcards.task)


def origin_predictions(wildcards):
    """The predictions of the model that a model is made from, where it is fine-tuned, too."""
    base = MODELS[wildcards.model].get("from")
    return predictions_of(base, wildcards.task) if base in tuned_on(wildcards.task) else []


def predictions_of(model, task):
    """The predictions of every run."""
    return [downstream_result(task, model, f"seed-{seed}.parquet") for seed in DOWNSTREAM_SEEDS]


def extrinsic_scores():
    """How unequally every model treats the genders on every task."""
    return [downstream_result(task, model, "scores.parquet") for task in TASKS for model in tuned_on(task)]


def tuned_and_scored():
    """The models that are fine-tuned and scored on pairs."""
    return [model for model in tuned_models() if model in SCORED]


def scores_before():
    """The scores on pairs of the models that are fine-tuned."""
    return results_of_all("scores", f"{ORIGINAL}.parquet", models=tuned_and_scored())


def bias_before():
    """The bias scores, with intervals, of the models that are fine-tuned."""
    return results_of_all("statistics", "bias.parquet", models=tuned_and_scored())


def intrinsic_pairs():
    """The pairs of every benchmark."""
    return [result("benchmarks", f"{name}.parquet") for name in BENCHMARKS] if SCORED else []


def scores_after():
    """The scores on pairs of every model after every task."""
    if not KEEPS:
        return []
    models = [f"{model}@{task}" for task in TASKS for model in tuned_on(task)]
    return results_of_all("scores", f"{ORIGINAL}.parquet", models=models)


def role_of(model):
    """How a model was made of the one that it comes from."""
    entry = MODELS[model]
    method = entry.get("method", entry["source"])
    return f"{method} (published)" if entry.get("protocol") == PUBLISHED else method


def listed_models():
    """The models that are fine-tuned: each with its family (the model that it comes from at last), and how it
    was made from which of them."""
    listed = []
    for model in tuned_models():
        entry = {"name": model, "family": origin_of(model)}
        if "from" in MODELS[model]:
            entry["role"] = role_of(model)
        if MODELS[model].get("from") in tuned_models():
            entry["origin"] = MODELS[model]["from"]
        listed.append(entry)
    return listed


def word_counts():
    """Feminine and masculine words of every task."""
    return [downstream_result(task, "words.parquet") for task in TASKS]


def downstream_table_files():
    """The tables on downstream tasks by the names that their module gives them."""
    occupations = table_outputs(["occupations"], "downstream_", ["csv"])
    return table_outputs(DOWNSTREAM_TABLES, "downstream_") | occupations


def has_curve():
    """Whether a task is predicted while models are fine-tuned on it."""
    return any(
        (DOWNSTREAM["fine_tuning"] | entry["fine_tuning"])["how"] == "curve" for entry in TASKS.values()
    )


def downstream_figure_files():
    """The figures on downstream tasks by the names that their module gives them."""
    needed = {
        "steps_figure": has_curve(),
        "changes_figure": any("origin" in each for each in listed_models()),
        "intrinsic_figure": tuned_and_scored(),
        "against_figure": len(tuned_and_scored()) >= LEAST_SEEN,
    }
    names = [name for name in DOWNSTREAM_FIGURES if DOWNSTREAM and needed.get(name, True)]
    return figure_outputs(names, "downstream_")


def downstream_inputs():
    """All that tables, figures and the section are made from."""
    return {
        "scores": extrinsic_scores(),
        "words": word_counts(),
        "correlations": downstream_result("correlations.parquet"),
        "scores_before": scores_before(),
        "scores_after": scores_after(),
        "pairs": intrinsic_pairs(),
        "comparisons": debiasing_comparisons(),
        "bias": bias_before(),
        "published": resource("downstream/published.csv"),
        "captions": resource("downstream/captions.yaml"),
    }


def downstream_settings():
    """What tables, figures and the section need to know of the study."""
    return {
        "models": listed_models(),
        "tasks": [{"name": task, "published": entry.get("published")} for task, entry in TASKS.items()],
        "benchmarks": list(BENCHMARKS),
        "published": {name: entry["published"] for name, entry in BENCHMARKS.items() if "published" in entry},
        "measures": MEASURES,
        "bias_type": DOWNSTREAM.get("bias_type"),
        "alpha": config["statistics"]["alpha"],
        "confidence": config["statistics"]["confidence"],
        "draws": DOWNSTREAM.get("draws"),
    }


def downstream_statistics():
    """The statistics on downstream tasks."""
    if not DOWNSTREAM:
        return []
    return [*extrinsic_scores(), *word_counts(), downstream_result("correlations.parquet")]


def downstream_provenance():
    """Where tasks came from, and how their numbers were made."""
    if not DOWNSTREAM:
        return []
    tasks = [
        {
            "title": f"Task {task}",
            "files": [downstream_result(task, "items.parquet")],
            "keys": ["source"],
            "stated": licence(entry, made="world" in entry),
        }
        for task, entry in TASKS.items()
    ]
    measured = {"title": "Extrinsic bias", "files": extrinsic_scores(), "keys": ["versions", "code"]}
    return [*tasks, measured]


def downstream_removable():
    """Predictions that only statistics are made of."""
    if not DOWNSTREAM:
        return []
    return [
        {
            "kind": "predictions of fine-tuned models",
            "name": "{model} on {task}, seed {seed}",
            "files": r"downstream/{task}/{model}/seed-{seed,\d+}.parquet",
            "needed_by": "downstream/{task}/{model}/scores.parquet",
        }
    ]


def fine_tuning_time(wildcards, input, attempt):
    """Three times a core's time for texts of forty tokens, trained on in each epoch and predicted once."""
    settings = fine_tuning_settings(wildcards)
    texts = settings["epochs"] * rows(input.examples)
    if settings["steps"]:
        texts = settings["steps"] * settings["batch"]
    runs = 8 if settings["how"] == "search" else 1
    return (
        round(30 + 1.3e-12 * layers_weights(input) * 40 * (3 * runs * texts + rows(input.items_table)))
        * attempt
    )

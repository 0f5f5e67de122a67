# Inputs and parameters of the rules of the same name.


def is_downloaded(source):
    """Whether a file of a task is downloaded."""
    return "repo" in source or "url" in source


def tuned_on(task):
    """The models that are fine-tuned on a task: a model of a world not on those of other worlds."""
    world = TASKS[task].get("world")
    return [model for model in TUNED if len({inherited(model, "world"), world} - {None}) < 2]


def task_files(wildcards):
    """The files that a task is read from, by name."""
    files = {}
    for name, source in source_files(TASKS[wildcards.task]).items():
        if "resource" in source:
            files[name] = resource(source["resource"])
        elif is_downloaded(source):
            files[name] = result("downstream", wildcards.task, "source", name)
        else:
            files[name] = outside(source["path"])
    return files


def task_settings(wildcards):
    """What a task depends on, without secrets of its urls."""
    entry = {
        key: value for key, value in TASKS[wildcards.task].items() if key not in ("fine_tuning", "licence")
    }
    if "world" in entry:
        entry["settings"] = world_settings(entry["world"])
    return entry | {"files": {name: as_shown(source) for name, source in entry["files"].items()}}


def predictions_of(model, task):
    """The predictions of every run."""
    return [result("downstream", task, model, f"seed-{seed}.parquet") for seed in DOWNSTREAM_SEEDS]


def origin_predictions(wildcards):
    """The predictions of the model that a model is made from, where it is fine-tuned, too."""
    base = MODELS[wildcards.model].get("from")
    return predictions_of(base, wildcards.task) if base in tuned_on(wildcards.task) else []


def listed_models():
    """The models that are fine-tuned: each with its family (the model that it comes from at last), and how it
    was made from which of them."""
    listed = []
    for model in TUNED:
        entry = MODELS[model]
        about = {"name": model, "family": origin_of(model)}
        if "from" in entry:
            method = entry.get("method", entry["source"])
            about["role"] = f"{method} (published)" if entry.get("protocol") == PUBLISHED else method
        if entry.get("from") in TUNED:
            about["origin"] = entry["from"]
        listed.append(about)
    return listed


def downstream_figures():
    """The figures that the study has something for."""
    how = {settings_of(DOWNSTREAM, task)["how"] for task in TASKS}
    needed = {
        "extrinsic": TASKS,
        "intrinsic": TUNED_AND_SCORED,
        "changes": any("origin" in each for each in listed_models()),
        "against": len(TUNED_AND_SCORED) >= LEAST_SEEN,
        "steps": "curve" in how,
    }
    return [name for name, there in needed.items() if there]

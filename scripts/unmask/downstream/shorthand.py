"""What the key `downstream` of a study is short for: every model after fine-tuning on every task."""

from collections.abc import Mapping
from typing import Any

from unmask.downstream.study import are_scored_after, fine_tuned_models


def expand(study: Mapping[str, Any], families: Mapping[str, Any]) -> dict[str, Any]:
    """The study with an entry {model}@{task} under `models` for each, where they are scored on benchmarks.

    What is not of the right shape is left as it is, for the schema to refuse.
    """
    study = dict(study)
    models, downstream = study["models"], study["downstream"]
    if not (isinstance(models, dict) and isinstance(downstream, dict) and are_scored_after(study)):
        return study
    tasks = downstream.get("tasks")
    if not isinstance(tasks, dict):
        return study
    made = {
        f"{model}@{task}": {"source": "fine-tuned", "from": model, "task": task}
        for model in fine_tuned_models(study, families)
        for task in tasks
    }
    return study | {"models": {**models, **made}}

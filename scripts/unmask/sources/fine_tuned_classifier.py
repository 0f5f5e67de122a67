"""A model of the study, fine-tuned as a text classifier on a labelled table."""

from pathlib import Path
from typing import Any

from unmask.models.job import ModelJob
from unmask.regional.further_training import fine_tune_on
from unmask.regional.labelled import read_labelled


def make(run: ModelJob, work: Path) -> dict[str, Any]:
    entry, base = run.params.entry, run.manifest
    items = read_labelled(run.input.table, entry["columns"], entry["labels"])
    directory, labels = run.output.directory, entry["labels"]
    return fine_tune_on(
        base["directory"], items, labels, directory, entry, run.device, base["max_length"], work
    )

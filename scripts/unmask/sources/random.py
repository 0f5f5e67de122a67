"""An untrained language model, with the tokenizer of another."""

from pathlib import Path
from typing import Any

from unmask.job import Job
from unmask.models.random_weights import make_random


def make(run: Job, work: Path) -> dict[str, Any]:
    return make_random(run.params.entry, run.output.directory, run.params.entry["seed"])

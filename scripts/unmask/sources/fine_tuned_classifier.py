"""A model of the study, fine-tuned as a text classifier on a labelled table (Table 5)."""

from functools import partial
from pathlib import Path
from typing import Any

from unmask.models.job import ModelJob
from unmask.errors import InputError
from unmask.models.classifiers import batch_of, make_classifier, tokenise
from unmask.models.directory import save_like
from unmask.models.training import Settings, steps_of, train
from unmask.regional.prefixes import read_labelled


def make(run: ModelJob, work: Path) -> dict[str, Any]:
    """As classifiers of downstream tasks are trained; of no epoch, the head stays as it is drawn."""
    entry, base, labels = run.params.entry, run.manifest, run.params.entry["labels"]
    items = read_labelled(run.input.table, entry["columns"], labels)
    if missing := [label for n, label in enumerate(labels) if not (items.labels == n).any()]:
        raise InputError(f"no text to train on has the label {missing[0]!r}")
    network, tokenizer, initialised = make_classifier(base["directory"], labels, entry["seed"])
    longest = min(entry["max_length"], base["max_length"] or entry["max_length"])
    tokens = tokenise(network, tokenizer, items.texts, None, longest)
    examples = list(zip(tokens.texts, items.labels, strict=True))
    steps = steps_of(len(examples), entry["batch"], entry["epochs"])
    settings = Settings(entry["batch"], entry["learning_rate"], steps, entry["seed"])
    collate = partial(batch_of, tokenizer)
    losses = train(network, examples, collate, settings, work, run.device)
    save_like(network, Path(base["directory"]), run.output.directory)
    return {
        "texts": len(examples),
        "truncated": tokens.truncated,
        "initialised": initialised,
        "loss": losses,
    }

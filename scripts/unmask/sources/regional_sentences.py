"""A model of the study, trained further on the sentences on regions that it finds the most likely."""

from pathlib import Path
from typing import Any

from unmask.models.job import ModelJob
from unmask.regional.further_training import likely_sentences, train_on
from unmask.regional.schema import LIKELIHOODS, WORDS
from unmask.tables import read_metadata, read_table


def make(run: ModelJob, work: Path) -> dict[str, Any]:
    entry, base, likelihoods = run.params.entry, run.manifest, run.input.likelihoods
    lists = read_table(run.input.words, WORDS)
    words = list(lists.loc[lists["list"] == entry["list"], "word"])
    template = read_metadata(likelihoods)["template"]
    sentences = likely_sentences(read_table(likelihoods, LIKELIHOODS), words, template, entry["top"])
    directory = run.output.directory
    return train_on(base["directory"], sentences, directory, entry, run.device, base["max_length"], work)

"""A debiased model of the study."""

from pathlib import Path
from typing import Any

from unmask.models.job import ModelJob
from unmask.debiasing.data import Base, Texts, read_words
from unmask.gendered_words import read_word_pairs
from unmask.plugins import load


def make(run: ModelJob, work: Path) -> dict[str, Any]:
    inputs, settings = run.input, run.params.settings
    neutral = inputs.get("neutral")
    texts = Texts(
        lines=Path(inputs.texts),
        held_out=settings["held_out"],
        neutral=Path(neutral) if neutral else None,
        words=read_word_pairs(inputs.words),
        stereotypes=read_words(inputs.stereotypes),
    )
    base = Base(Path(run.manifest["directory"]), run.manifest["max_length"])
    method = load("debiasing", settings["module"])
    facts: dict[str, Any] = method.debias(
        base, texts, run.params.entry, Path(run.output.directory), work, run.device
    )
    return facts

"""Fine-tuning a masked language model on a task, and what it then predicts.

How: `fixed`, with the settings as stated; `curve`, the same with predictions along the way; `search`, the
best of several settings on the examples of the part dev. Each is a list of trials, of one but for a search.
What is predicted at the end is what the weights of the best trial predict: they are kept, not trained a
second time.
All that a trial leaves lies in a work folder, so that a job that was killed goes on from there.
"""

import logging
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from safetensors.torch import load_model, save_model
from transformers import PreTrainedModel

from unmask.atomic import written_whole
from unmask.downstream.predictions import Checkpoint, keep
from unmask.downstream.searching import Chosen, search
from unmask.downstream.task import Task
from unmask.downstream.terms import CURVE, DEV, SEARCH, SIMILARITY, TRAIN
from unmask.facts import read_facts, write_facts
from unmask.models.classifiers import Start, make_classifier
from unmask.models.devices import Device
from unmask.models.labelled_texts import LabelledTexts
from unmask.models.tokens import takes_types, tokenise
from unmask.models.training import Settings, steps_of, train
from unmask.models.unpadded import logits_of

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class FineTuned:
    """A model that was fine-tuned."""

    classifier: PreTrainedModel
    """In evaluation mode, on the device that it was trained on."""
    checkpoints: tuple[Checkpoint, ...]
    """What it predicts, in order of the steps; the files lie in the work folder."""
    facts: dict[str, Any]
    """Facts: fine_tuning (all settings, as used), steps (of training), history, tried (the trials
    of a search in their order: settings, steps and dev; else empty), initialised (names of the weights that
    were drawn at random), truncated (how many examples and items lost their end)."""


def fine_tune(
    directory: str | Path,
    max_length: int | None,
    task: Task,
    kind: str,
    entry: Mapping[str, Any],
    seed: int,
    work: str | Path,
    device: Device,
) -> FineTuned:
    """Fine-tune the masked language model in `directory`, which has been checked, on a task.

    max_length: tokens that the model takes; None for any number. entry: `downstream.fine_tuning` of the
    study, completed. seed: of the head's first weights, the order of the examples and dropout. work: a folder
    for what a killed job leaves to the next one, which must be of the same work.

    Training is by AdamW with a rate that falls linearly to 0, by cross-entropy; for similarity by the mean
    squared error of one output, which is not held between 0 and 1. The result on the part dev is the share
    that is right, or Pearson's r; null where there is no such part or r is undefined. A curve has predictions
    at 0, `every`, 2 · `every` … steps, at all but the last of the items that are `sampled` alone.
    A search is as `unmask.downstream.searching.search` says, from the entry's own settings.

    Raises InputError as `make_classifier`, `train` and `logits_of` do.
    """
    run = _Run(Path(directory), max_length, task, kind, entry, seed, Path(work), device)
    best = Chosen(entry["batch"], entry["learning_rate"], entry["epochs"])
    if entry["how"] == SEARCH:
        best = search(best, entry["search"], lambda trial: run.trial(trial)["dev"], run.forget)
    else:
        run.trial(best)
    return run.finished(best)


class _Run:
    """One model, task and seed."""

    def __init__(
        self,
        directory: Path,
        max_length: int | None,
        task: Task,
        kind: str,
        entry: Mapping[str, Any],
        seed: int,
        work: Path,
        device: Device,
    ) -> None:
        self.directory, self.task, self.kind, self.entry = directory, task, kind, entry
        self.seed, self.work, self.device = seed, work, device
        self.max_length = min(entry["max_length"], max_length or entry["max_length"])
        start = self._start()
        self.initialised, self.tokenizer = start.initialised, start.tokenizer
        self.types = takes_types(start.network)
        self.train, self.dev = self._part(TRAIN), self._part(DEV)
        self.items = tokenise(self.tokenizer, *self._sides(task.items), self.max_length, self.types)
        self.sampled = np.flatnonzero(task.items["sampled"].to_numpy(bool))

    def _start(self) -> Start:
        return make_classifier(self.directory, self.task.labels, self.seed)

    def _sides(self, rows: pd.DataFrame) -> tuple[list[str], list[str] | None]:
        """The texts, and the second ones where the task has such."""
        seconds = rows["second"].tolist() if self.task.items["second"].notna().any() else None
        return rows["text"].tolist(), seconds

    def _part(self, part: str) -> LabelledTexts:
        """Examples of one part."""
        rows = self.task.examples[self.task.examples["part"] == part]
        labels = rows["label"].to_numpy(np.float32 if self.kind == SIMILARITY else np.int64)
        return LabelledTexts.of(self.tokenizer, *self._sides(rows), labels, self.max_length, self.types)

    def trial(self, settings: Chosen) -> dict[str, Any]:
        """Train with these settings, unless that was done; the weights are kept until they are forgotten.

        Returns the settings, steps, dev, history, and number (of trials before it).
        """
        facts = self.work / f"{settings.name}.json"
        if facts.is_file():
            return read_facts(facts)
        steps = steps_of(len(self.train), settings.batch, settings.epochs, self.entry["steps"])
        logger.info("fine-tuning: %d steps with %s", steps, asdict(settings))
        network = self._start().network
        states = self.work / settings.name
        states.mkdir(parents=True, exist_ok=True)
        losses = train(
            network,
            self.train,
            self.train.batch,
            Settings(settings.batch, settings.learning_rate, steps, self.seed),
            states,
            self.device,
            at=self._checkpoints(steps),
            on_step=lambda step: self._predict(network, step, self.sampled),
        )
        network.train(False)
        dev = self._result(network)
        history = [{**row, "dev": dev if row["step"] == steps else None} for row in losses]
        with written_whole(self._weights(settings)) as partial:
            save_model(network, str(partial))
        number = sum(1 for _ in self.work.glob("*.json"))
        stated = {**asdict(settings), "steps": steps, "dev": dev, "history": history, "number": number}
        write_facts(facts, stated)
        shutil.rmtree(states)
        return read_facts(facts)

    def forget(self, settings: Chosen) -> None:
        """Remove the weights of a trial."""
        self._weights(settings).unlink(missing_ok=True)

    def _weights(self, settings: Chosen) -> Path:
        return self.work / f"{settings.name}.safetensors"

    def _checkpoints(self, steps: int) -> Sequence[int]:
        """The steps at which something is predicted, but for the last."""
        return range(0, steps, self.entry["every"]) if self.entry["how"] == CURVE else ()

    def _result(self, network: PreTrainedModel) -> float | None:
        """How well the part dev is predicted."""
        if len(self.dev) == 0:
            return None
        logits = logits_of(network, self.dev.tokens, self.device)
        if self.kind == SIMILARITY:
            return pearson(logits[:, 0], self.dev.labels)
        return float((logits.argmax(axis=1) == self.dev.labels).mean())

    def _predict(
        self, network: PreTrainedModel, step: int, some: npt.NDArray[np.int64] | None = None
    ) -> None:
        keep(self._logits(step), logits_of(network, self.items, self.device, some))

    def _logits(self, step: int) -> Path:
        return self.work / f"predictions-{step}.npy"

    def finished(self, best: Chosen) -> FineTuned:
        """The classifier of the best trial, which was made, and what it predicts."""
        of_best = self.trial(best)
        network = self._start().network
        load_model(network, self._weights(best))
        network.train(False).to(self.device.torch)
        last = int(of_best["steps"])
        if not self._logits(last).is_file():
            self._predict(network, last)
        items = self.task.items["item"].to_numpy(np.int64)
        facts = {
            "fine_tuning": {**self.entry, **asdict(best), "max_length": self.max_length},
            "steps": last,
            "history": of_best["history"],
            "tried": self._tried() if self.entry["how"] == SEARCH else [],
            "initialised": list(self.initialised),
            "truncated": {
                "examples": self.train.tokens.truncated + self.dev.tokens.truncated,
                "items": self.items.truncated,
            },
        }
        predicted = [
            Checkpoint(step, items[self.sampled], self._logits(step)) for step in self._checkpoints(last)
        ]
        return FineTuned(network, (*predicted, Checkpoint(last, items, self._logits(last))), facts)

    def _tried(self) -> list[dict[str, Any]]:
        trials = sorted(
            (read_facts(path) for path in self.work.glob("*.json")), key=lambda row: row["number"]
        )
        keys = (*asdict(Chosen(0, 0.0, 0)), "steps", "dev")
        return [{key: row[key] for key in keys} for row in trials]


def pearson(predicted: npt.NDArray[np.float32], expected: npt.NDArray[np.float32]) -> float | None:
    """Pearson's r; None where one side does not vary."""
    one, other = predicted.astype(np.float64), expected.astype(np.float64)
    if len(one) < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(np.corrcoef(one, other)[0, 1])

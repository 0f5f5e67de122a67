"""Fine-tuning a masked language model on a task, and what it then predicts.

How: `fixed`, with the settings as stated; `curve`, the same with predictions along the way; `search`, the
best of several settings on the examples of the part dev. All that a trial leaves lies in a work folder, so
that a job that was killed goes on from there.
"""

import logging
import math
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import torch
from transformers import PreTrainedModel

from unmask.downstream.schema import PREDICTIONS
from unmask.downstream.task import Task
from unmask.downstream.terms import CURVE, DEV, SEARCH, SIMILARITY, TRAIN
from unmask.errors import InputError
from unmask.files import read_facts, write_facts, written_whole
from unmask.models.classifiers import (
    Tokens,
    batch_of,
    make_classifier,
    predict_logits,
    tokenise,
)
from unmask.models.devices import Device
from unmask.models.training import Settings, steps_of, train

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Hyperparameters:
    """What a search chooses, in the order in which it does."""

    batch: int
    learning_rate: float
    epochs: int


@dataclass(frozen=True)
class FineTuned:
    """A model that was fine-tuned: the classifier, in evaluation mode, on the device that it was trained on,
    and what it predicts at each checkpoint (PREDICTIONS).

    facts: of PREDICTIONS' metadata fine_tuning, steps, history and tried; initialised (names of the weights
    that were drawn at random) and truncated (how many examples and items lost their end).
    """

    classifier: PreTrainedModel
    predictions: tuple[pa.Table, ...]
    facts: dict[str, Any]


def _predictions(step: int, items: npt.NDArray[np.int32], logits: npt.NDArray[np.float32]) -> pa.Table:
    steps = np.full(len(items), step, dtype=np.int32)
    return pa.table([steps, items, pa.array(list(logits), pa.list_(pa.float32()))], schema=PREDICTIONS)


def search(
    start: Hyperparameters,
    lists: Mapping[str, Sequence[Any]],
    result: Callable[[Hyperparameters], float | None],
    forget: Callable[[Hyperparameters], None],
) -> Hyperparameters:
    """The best settings by a greedy search: of each setting in its turn the best value of its list, all
    others as they are by then.

    start: what a setting is before its turn. lists: the values of each; of equally good ones the first is
    best. result: what some settings give, the higher the better, or None where that is undefined; it is asked
    again for what was tried. forget: called with settings that cannot be the best any more. Raises InputError
    where no value of a list has a result.
    """
    best = start
    for key in asdict(start):
        trials = [replace(best, **{key: value}) for value in lists[key]]
        results = {trial: score for trial in trials if (score := result(trial)) is not None}
        if not results:
            raise InputError(
                f"search: no {key} of {', '.join(map(str, lists[key]))} has a result on the part {DEV}, "
                "where all labels are the same, or all predictions"
            )
        before, best = best, max(results, key=lambda trial: results[trial])
        for other in {before, *trials} - {best}:
            forget(other)
        logger.info("search: %s %s is best, %.4f on the part %s", key, getattr(best, key), results[best], DEV)
    return best


class FineTuning:
    """How one masked language model is fine-tuned on a task with one seed.

    directory: of the model, which has been checked. max_length: tokens that it takes; None for any number.
    entry: `downstream.fine_tuning` of the study, completed. work: a folder for what a killed job leaves to
    the next one, of the same work.
    """

    def __init__(
        self,
        directory: str | Path,
        max_length: int | None,
        task: Task,
        kind: str,
        entry: Mapping[str, Any],
        seed: int,
        work: Path,
        device: Device,
    ) -> None:
        self.task, self.kind, self.entry = task, kind, entry
        self.seed, self.work, self.device = seed, work, device
        self.max_length = min(entry["max_length"], max_length or entry["max_length"])
        # the classifier before the first step
        self.start = partial(make_classifier, directory, task.labels, seed)
        network, tokenizer, self.initialised = self.start()
        self.collate = partial(batch_of, tokenizer)
        has_pairs = task.items["second"].notna().any()

        def tokens(rows: pd.DataFrame) -> Tokens:
            seconds = rows["second"].tolist() if has_pairs else None
            return tokenise(network, tokenizer, rows["text"].tolist(), seconds, self.max_length)

        parts = [task.examples[task.examples["part"] == part] for part in (TRAIN, DEV)]
        self.train, self.dev, self.items = map(tokens, (*parts, task.items))
        dtype = np.float32 if kind == SIMILARITY else np.int64
        self.labels, self.dev_labels = (rows["label"].to_numpy(dtype) for rows in parts)
        self.sampled = np.flatnonzero(task.items["sampled"].to_numpy(bool))

    def run(self) -> FineTuned:
        """Fine-tune the model by AdamW with a rate that falls linearly to 0, by cross-entropy; for similarity
        by the mean squared error of one output, which is not held between 0 and 1.

        The result on the part dev is the share that is right, or Pearson's r; null where r is undefined.
        Raises InputError as `make_classifier`, `train`, `search` and `predict_logits` do.
        """
        best = Hyperparameters(self.entry["batch"], self.entry["learning_rate"], self.entry["epochs"])
        tried: dict[Hyperparameters, dict[str, Any]] = {}
        if self.entry["how"] == SEARCH:
            best = search(
                best,
                self.entry["search"],
                result=lambda trial: tried.setdefault(trial, self.trained(trial))["dev"],
                forget=lambda trial: self.file(trial, ".pt").unlink(missing_ok=True),
            )
        trial, network = self.trained(best), self.start()[0]
        trained = torch.load(self.file(best, ".pt"), map_location="cpu", weights_only=True)
        network.load_state_dict(trained["network"])
        network.train(False).to(self.device.torch)
        items, last = self.task.items["item"].to_numpy(np.int32), int(trial["steps"])
        curve = sorted(trained["logits"].items())
        predictions = [_predictions(step, items[self.sampled], logits.numpy()) for step, logits in curve]
        predictions.append(_predictions(last, items, predict_logits(network, self.items, self.device)))
        truncated = [tokens.truncated for tokens in (self.train, self.dev, self.items)]
        facts = {
            "fine_tuning": {**self.entry, **asdict(best), "max_length": self.max_length},
            "steps": last,
            "history": trial["history"],
            "tried": [{**asdict(each), "steps": of["steps"], "dev": of["dev"]} for each, of in tried.items()],
            "initialised": self.initialised,
            "truncated": {"examples": sum(truncated[:2]), "items": truncated[2]},
        }
        return FineTuned(network, tuple(predictions), facts)

    def trained(self, trial: Hyperparameters) -> dict[str, Any]:
        """Train with these settings, unless that was done; returns steps, dev and history. The weights stay
        in the work folder."""
        facts = self.file(trial, ".json")
        if facts.is_file():
            return read_facts(facts)
        examples = list(zip(self.train.texts, self.labels, strict=True))
        steps = steps_of(len(examples), trial.batch, trial.epochs, self.entry["steps"])
        logger.info("fine-tuning: %d steps with %s", steps, asdict(trial))
        network, states = self.start()[0], self.file(trial)
        states.mkdir(parents=True, exist_ok=True)
        # what is predicted along the way is saved with what a killed training goes on from
        state: dict[str, Any] = {"logits": {}}

        def predict(step: int) -> None:
            logits = predict_logits(network, self.items, self.device, self.sampled)
            state["logits"][step] = torch.from_numpy(logits)

        losses = train(
            network,
            examples,
            self.collate,
            Settings(trial.batch, trial.learning_rate, steps, self.seed),
            states,
            self.device,
            at=range(0, steps, self.entry["every"]) if self.entry["how"] == CURVE else (),
            on_step=predict,
            state=state,
        )
        dev = self._dev_result(network)
        with written_whole(self.file(trial, ".pt")) as unfinished:
            torch.save({"network": network.state_dict(), **state}, unfinished)
        history = [{**row, "dev": dev if row["step"] == steps else None} for row in losses]
        write_facts(facts, {"steps": steps, "dev": dev, "history": history})
        shutil.rmtree(states)
        return read_facts(facts)

    def _dev_result(self, network: PreTrainedModel) -> float | None:
        """How well the part dev is predicted; None where one side of Pearson's r does not vary."""
        logits = predict_logits(network, self.dev, self.device)
        if self.kind == SIMILARITY:
            r = pd.Series(logits[:, 0].astype(float)).corr(pd.Series(self.dev_labels.astype(float)))
            return None if math.isnan(r) else float(r)
        return float((logits.argmax(axis=1) == self.dev_labels).mean())

    def file(self, trial: Hyperparameters, ending: str = "") -> Path:
        """What a trial leaves: .json its facts, .pt its weights with what it predicted along the way (logits,
        by step); without an ending the folder of its states."""
        return self.work / f"{trial.batch}-{trial.learning_rate!r}-{trial.epochs}{ending}"

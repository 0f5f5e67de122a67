"""Synthetic tasks, whose truth is known: of occupations, of similarity and of entailment.

They speak in the words of a world, so that its models can learn them; docs/downstream.md has their formulas.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from unmask.downstream.synthetic import entailment, occupations, similarity
from unmask.downstream.synthetic.synthetic_task import SyntheticTask, sampled
from unmask.downstream.task import Task, examples_of, female_shares, items_of
from unmask.downstream.terms import ENTAILMENT, OCCUPATIONS, SIMILARITY, TEST
from unmask.worlds.grammar import World

DEV_SHARE = 0.1
"""Examples of dev for each of train."""
STRENGTHS = {OCCUPATIONS: 1.0, SIMILARITY: 0.4, ENTAILMENT: 0.8}
"""Where an entry states none: no truth of the default world lies at a threshold, and all differ from 0."""


def kind(entry: Mapping[str, Any]) -> str:
    return str(entry["kind"])


def make(entry: Mapping[str, Any], world: World) -> SyntheticTask:
    """Every case of the task that an entry asks for, and its truth."""
    stated, seed = entry["strength"], int(entry["seed"])
    strength = STRENGTHS[kind(entry)] if stated is None else float(stated)
    if kind(entry) == OCCUPATIONS:
        return occupations.make(world, strength, seed)
    if kind(entry) == SIMILARITY:
        return similarity.make(world, strength)
    return entailment.make(world, strength)


def read(files: Mapping[str, Sequence[Path]], entry: Mapping[str, Any]) -> Task:
    """A synthetic task. entry: with `settings`, those of its world. Nothing is read from files.

    The same seed gives the same task, on every machine. Raises InputError as the worlds do, and for a
    strength that a task cannot have.
    """
    world = World.from_config(str(entry["world"]), entry["settings"])
    task, seed = make(entry, world), entry["seed"]
    train, dev = (
        sampled(task.cases, "train", count, f"{part} {kind(entry)} {seed}")
        for part, count in (("train", entry["examples"]), ("dev", round(DEV_SHARE * entry["examples"])))
    )
    examples = examples_of(train, dev)
    test = sampled(task.cases, "test", entry["items"], f"test {kind(entry)} {seed}").assign(part=TEST)
    if task.labels is not None and kind(entry) == OCCUPATIONS:
        shares = female_shares(task.labels, train)
        test["female_share"] = test["occupation"].map(shares)
    return Task(examples, items_of([test, task.bias], None, seed), task.labels, (), task.truth)

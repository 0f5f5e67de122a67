"""A small language model trained on the corpus of a world; it is checked to have learnt what is planted."""

from pathlib import Path
from typing import Any

from unmask.job import Job
from unmask.files import written_whole
from unmask.worlds.grammar import World
from unmask.worlds.training import check_learnt, train


def make(run: Job, work: Path) -> dict[str, Any]:
    entry, settings = run.params.entry, run.params.entry["settings"]
    world = World.from_config(entry["world"], settings)
    lines = Path(run.input.corpus).read_text(encoding="utf-8").splitlines()
    with written_whole(run.output.directory, folder=True) as partial:
        architecture, seed, steps = entry["architecture"], entry["seed"], entry.get("steps")
        train(lines, architecture, seed, partial, world, work, run.threads, steps)
        gate = check_learnt(partial, world, run.params.name, strict=entry.get("gate", True))
    return {"gate": gate}

"""Train a small masked language model on the corpus of a world, and check that it learnt what is planted."""

from pathlib import Path

from unmask.job import NETWORKS, job
from unmask.facts import write_facts
from unmask.models.directory import directory_written_whole
from unmask.models.kinds import write_manifest
from unmask.models.training import work_folder
from unmask.worlds.grammar import World
from unmask.worlds.recipe import Corruption, Recipe
from unmask.worlds.training import check_learnt, train

with job(packages=NETWORKS) as run:
    params, entry, output = run.params, run.params.entry, run.output
    world = World.from_config(entry["world"], params.settings)
    corruption = Corruption.from_config(world.name, params.settings)
    recipe = Recipe(steps=entry["steps"]) if entry.get("steps") is not None else None
    lines = Path(run.input.corpus).read_text(encoding="utf-8").splitlines()
    facts = {**entry, "settings": dict(params.settings), **run.record()}
    with directory_written_whole(output.directory) as partial:
        architecture, seed = entry["architecture"], entry["seed"]
        with work_folder(output.directory, facts) as work:
            train(lines, architecture, seed, partial, world, corruption, run.threads, recipe, work)
        gate = check_learnt(partial, world, params.name, strict=entry.get("gate", True))
    write_facts(output.facts, {**facts, "gate": gate})
    write_manifest(output.manifest, params.manifest, [output.facts])

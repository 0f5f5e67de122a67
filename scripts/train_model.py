"""Train a small masked language model on the corpus of a world, and check that it learnt what is planted."""

from pathlib import Path
from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.facts import record, write_facts
from unmask.joblog import job_log
from unmask.models.directory import directory_written_whole
from unmask.models.manifest import write_manifest
from unmask.models.training import work_folder
from unmask.worlds.grammar import World
from unmask.worlds.recipe import Corruption, Recipe
from unmask.worlds.training import check_learnt, train

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    params, entry = snakemake.params, snakemake.params.entry
    world = World.from_config(entry["world"], params.settings)
    corruption = Corruption.from_config(world.name, params.settings)
    recipe = Recipe(steps=entry["steps"]) if entry.get("steps") is not None else None
    lines = Path(snakemake.input.corpus).read_text(encoding="utf-8").splitlines()
    provenance = record(snakemake.input, params.code, "torch", "transformers", "tokenizers")
    facts = {**entry, "settings": dict(params.settings), **provenance}
    directory = snakemake.output.directory
    with directory_written_whole(directory) as partial:
        architecture, seed = entry["architecture"], entry["seed"]
        with work_folder(directory, facts) as work:
            train(lines, architecture, seed, partial, world, corruption, snakemake.threads, recipe, work)
        gate = check_learnt(partial, world, params.name, strict=entry.get("gate", True))
    write_facts(snakemake.output.facts, {**facts, "gate": gate})
    write_manifest(snakemake.output.manifest, params.manifest, [snakemake.output.facts])

"""Make a world: its corpus, its benchmarks and the truth about them."""

import json

from unmask.job import job
from unmask.files import write_text
from unmask.worlds.grammar import World
from unmask.worlds.make_world import (
    Counts,
    crows_pairs,
    draw_corpus,
    stereoset,
    truth,
    write_crows_pairs,
    write_stereoset,
)

with job() as run:
    params, output = run.params, run.output
    world = World.from_config(run.wildcards.world, params.entry)
    counts = Counts(**params.entry["pairs"])
    write_text(output.corpus, "\n".join(draw_corpus(world, params.entry["sentences"])) + "\n")
    write_crows_pairs(output.crows_pairs, crows_pairs(world, counts))
    write_stereoset(output.stereoset, stereoset(world, counts))
    write_text(output.truth, json.dumps({**truth(world, counts), **run.record()}, indent=1) + "\n")

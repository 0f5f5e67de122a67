"""Make a world: its corpus, its benchmarks and the truth about them."""

from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.facts import record
from unmask.files import write_text
from unmask.joblog import job_log
from unmask.worlds.corpus import draw_corpus
from unmask.worlds.grammar import World
from unmask.worlds.pairs import Counts, crows_pairs, stereoset, write_crows_pairs, write_stereoset
from unmask.worlds.planted import write_truth

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    params, output = snakemake.params, snakemake.output
    world = World.from_config(params.name, params.entry)
    counts = Counts.from_config(params.name, params.entry)
    write_text(output.corpus, "\n".join(draw_corpus(world, params.entry["sentences"])) + "\n")
    write_crows_pairs(output.crows_pairs, crows_pairs(world, counts))
    write_stereoset(output.stereoset, stereoset(world, counts))
    write_truth(output.truth, world, record([], params.code), counts)

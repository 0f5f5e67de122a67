"""Make the planted world: its corpus, its benchmarks and the truth about them."""

from typing import TYPE_CHECKING

from unmask.files import write_text
from unmask.joblog import job_log
from unmask.worlds.corpus import draw_corpus
from unmask.worlds.grammar import World
from unmask.worlds.pairs import crows_pairs, stereoset, write_crows_pairs, write_stereoset, write_truth

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0]):
    entry = snakemake.params.entry
    world = World(seed=entry["seed"])
    write_text(snakemake.output.corpus, "\n".join(draw_corpus(world, entry["sentences"])) + "\n")
    write_crows_pairs(snakemake.output.crows_pairs, crows_pairs(world))
    write_stereoset(snakemake.output.stereoset, stereoset(world))
    write_truth(snakemake.output.truth, world)

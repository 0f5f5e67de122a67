"""Write the corpus of a world as it would be without any bias: counterfactually balanced text."""

from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.files import write_text
from unmask.joblog import job_log
from unmask.worlds.corpus import draw_corpus
from unmask.worlds.grammar import World

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    params = snakemake.params
    world = World.from_config(params.name, params.entry).balanced()
    lines = draw_corpus(world, params.entry["sentences"])
    write_text(snakemake.output[0], "\n".join(lines) + "\n")

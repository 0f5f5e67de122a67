"""Make what models are debiased with in the words of a world: sentences of occupations without a gender, the
occupations, and pairs of gendered words."""

import csv
from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.atomic import written_whole
from unmask.files import write_text
from unmask.joblog import job_log
from unmask.worlds.grammar import World
from unmask.worlds.neutral import gendered_pairs, neutral_sentences, stereotyped_words

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    params, output = snakemake.params, snakemake.output
    world = World.from_config(params.name, params.entry)
    write_text(output.neutral, "\n".join(neutral_sentences(world)) + "\n")
    write_text(output.stereotypes, "\n".join(stereotyped_words(world)) + "\n")
    with written_whole(output.words) as partial, partial.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([("feminine", "masculine"), *gendered_pairs(world)])

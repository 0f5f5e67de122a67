"""Make what models are debiased with in the words of a world: sentences of occupations without a gender, the
occupations, and pairs of gendered words."""

import csv

from unmask.job import job
from unmask.files import write_text, written_whole
from unmask.worlds.grammar import World
from unmask.worlds.make_world import gendered_pairs, neutral_sentences, stereotyped_words

with job() as run:
    params, output = run.params, run.output
    world = World.from_config(params.name, params.entry)
    write_text(output.neutral, "\n".join(neutral_sentences(world)) + "\n")
    write_text(output.stereotypes, "\n".join(stereotyped_words(world)) + "\n")
    with written_whole(output.words) as partial, partial.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([("feminine", "masculine"), *gendered_pairs(world)])

"""Swap the genders of a corpus: counterfactual data augmentation."""

from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.debiasing.data import read_words
from unmask.debiasing.swapping import swap_corpus
from unmask.facts import record, write_facts
from unmask.gendered_words import read_word_pairs
from unmask.input_digests import unchanged
from unmask.joblog import job_log

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.input_sha256):
    inputs, params = snakemake.input, snakemake.params
    facts = swap_corpus(
        inputs.text,
        snakemake.output.text,
        read_word_pairs(inputs.words),
        read_words(inputs.no_noun_phrase),
        params.protocol,
        params.held_out,
    )
    write_facts(snakemake.output.facts, facts | record(inputs, params.code))

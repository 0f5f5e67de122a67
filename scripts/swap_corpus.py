"""Swap the genders of a corpus: counterfactual data augmentation."""

from unmask.job import job
from unmask.debiasing.data import read_words
from unmask.debiasing.swapping import swap_corpus
from unmask.files import write_facts
from unmask.gendered_words import read_word_pairs

with job() as run:
    inputs, params = run.input, run.params
    facts = swap_corpus(
        inputs.text,
        run.output.text,
        read_word_pairs(inputs.words),
        read_words(inputs.no_noun_phrase),
        run.wildcards.protocol,
        params.held_out,
    )
    write_facts(run.output.facts, facts | run.record())

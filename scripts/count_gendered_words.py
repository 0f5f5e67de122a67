"""Count feminine and masculine words in the examples of all tasks."""

from unmask.job import job
from unmask.downstream.schema import EXAMPLES, WORD_COUNTS
from unmask.downstream.word_counts import count_words
from unmask.gendered_words import read_word_pairs
from unmask.tables import read_metadata, read_table, write_table

with job() as run:
    words, confidence = read_word_pairs(run.input.words), run.params.confidence
    for path, output in zip(run.input.examples, run.output, strict=True):
        task = read_metadata(path)
        examples, published = read_table(path, EXAMPLES), task["published_rows"]
        counts = count_words(examples, words, confidence, published)
        facts = {"task": task["task"], "confidence": confidence, **run.record([path, run.input.words])}
        write_table(output, counts, WORD_COUNTS, facts)

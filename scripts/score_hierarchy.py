"""Score the regional bias of one model over the tree of regions, with what chance alone gives."""

from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.facts import record
from unmask.joblog import job_log
from unmask.regional.hierarchy import tree_of
from unmask.regional.likelihood_reader import read_likelihoods, read_padded
from unmask.regional.schema import REGIONS, WORDS
from unmask.regional.score_schema import SCORES
from unmask.regional.scoring import FAMILY, Chance, score_tables
from unmask.regional.word_sets import word_sets
from unmask.tables import read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    inputs, params = snakemake.input, snakemake.params
    words = read_table(inputs.words, WORDS)
    scores = score_tables(
        tree_of(read_table(inputs.regions, REGIONS)),
        words,
        word_sets(words),
        read_likelihoods(inputs.likelihoods, params.reading),
        read_padded(inputs.padded) if inputs.padded else None,
        params.variants,
        Chance(params.draws, params.seed, params.confidence),
    )
    facts = {
        "model": params.model,
        "draws": params.draws,
        "seed": params.seed,
        "confidence": params.confidence,
        "reading": params.reading,
        **record(inputs, params.code, "numpy", "pandas", "pyarrow"),
    }
    write_table(snakemake.output[0], scores, SCORES, {**facts, "holm": FAMILY})

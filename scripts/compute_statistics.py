"""Compute the statistics of one model on one benchmark: bias scores, accuracies, tests, agreement."""

from typing import TYPE_CHECKING

from unmask.benchmarks.schema import PAIRS
from unmask.errors import InputError
from unmask.evidence.chunks import in_chunks
from unmask.evidence.origin import check_one_origin
from unmask.joblog import job_log
from unmask.measures.reading import read_scores
from unmask.record import record
from unmask.statistics.computing import Part, Scored, compute
from unmask.statistics.decisions import decisions
from unmask.statistics.options import Options
from unmask.statistics.schema import FLAWS, SCHEMAS
from unmask.tables import read_metadata, read_table, write_table
from unmask.terms import ORIGINAL, SHUFFLED

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    inputs, measures = dict(snakemake.input.items()), snakemake.params.measures
    pairs = read_table(inputs.pop("pairs"), PAIRS)
    flaws = read_table(inputs["flaws"], FLAWS)
    if list(flaws["pair_id"]) != list(pairs["pair_id"]):
        raise InputError(f"{inputs['flaws']}: not of the pairs of this benchmark; delete it and run again")
    del inputs["flaws"]
    check_one_origin(path for name, path in inputs.items() if name != "untrained")
    original = Scored.of(pairs, read_scores(inputs.pop("scores"), measures), ORIGINAL)
    of_shuffled = inputs.pop("shuffled_scores", None)
    shuffled = None if of_shuffled is None else Scored.of(pairs, read_scores(of_shuffled, measures), SHUFFLED)
    untrained = [decisions(pairs, read_scores(path, measures)) for path in inputs.pop("untrained", [])]
    # all else is evidence, that of the shuffled variant beside that of each masking
    files = {name.replace("_", "-"): path for name, path in inputs.items()}
    unknown = read_metadata(next(iter(files.values()))).get("unknown_tokens")
    parts = (Part(some, rows, rows.pop(SHUFFLED, None)) for some, rows in in_chunks(files, pairs))
    options = Options.from_config(snakemake.params.options)

    facts = {
        "model": snakemake.params.model,
        "benchmark": snakemake.params.benchmark,
        "options": dict(snakemake.params.options),
        # of both sides of all pairs; evidence of a model without a tokenizer says nothing of it
        "unknown_tokens": unknown,
        **record(snakemake.input, snakemake.params.code, "pandas", "pyarrow", "scipy", "statsmodels"),
    }
    made = compute(pairs, flaws, original, parts, shuffled, options, untrained, unknown and unknown["id"])
    for name, rows in made.items():
        write_table(snakemake.output[name], rows, SCHEMAS[name], facts)

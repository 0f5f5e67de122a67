"""Compute the statistics of one model on one benchmark: bias scores, accuracies, tests, agreement."""

from typing import TYPE_CHECKING

from unmask.benchmarks.schema import PAIRS
from unmask.evidence.schema import EVIDENCE
from unmask.joblog import job_log
from unmask.measures.schema import SCORES
from unmask.record import record
from unmask.statistics.computing import compute
from unmask.statistics.options import Options
from unmask.statistics.schema import SCHEMAS
from unmask.tables import read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

INPUTS = {"pairs": PAIRS, "scores": SCORES, "shuffled_scores": SCORES}
"""The schemas of what is read; all else is evidence."""

with job_log(snakemake.log[0]):
    inputs = dict(snakemake.input.items())
    untrained = [read_table(path, SCORES) for path in inputs.pop("untrained", [])]
    tables = {name: read_table(path, INPUTS.get(name, EVIDENCE)) for name, path in inputs.items()}
    pairs, scores = tables.pop("pairs"), tables.pop("scores")
    shuffled_scores, shuffled = tables.pop("shuffled_scores", None), tables.pop("shuffled", None)
    evidence = {name.replace("_", "-"): rows for name, rows in tables.items()}
    options = Options.from_config(snakemake.params.options)

    facts = {
        "model": snakemake.params.model,
        "benchmark": snakemake.params.benchmark,
        "options": dict(snakemake.params.options),
        **record(snakemake.input, snakemake.params.code, "pandas", "pyarrow", "scipy", "statsmodels"),
    }
    made = compute(pairs, scores, evidence, shuffled_scores, shuffled, untrained, options)
    for name, rows in made.items():
        write_table(snakemake.output[name], rows, SCHEMAS[name], facts)

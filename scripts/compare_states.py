"""Compare the scores of the states of a series with those of its first state, on one benchmark."""

from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.benchmarks.schema import PAIRS
from unmask.evidence.origin import check_one_origin
from unmask.facts import record
from unmask.joblog import job_log
from unmask.measures.reading import read_scores
from unmask.statistics.comparisons import states_compared
from unmask.statistics.decisions import decisions
from unmask.statistics.schema import STATES
from unmask.statistics.sharing import sharing_of
from unmask.tables import read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    inputs, params = snakemake.input, snakemake.params
    options = dict(params.options)
    pairs = read_table(inputs.pairs, PAIRS)
    check_one_origin(inputs.scores, ["benchmark", "benchmark_sha256"])
    of_states = {
        state: decisions(pairs, read_scores(path, params.measures))
        for state, path in zip(params.states, inputs.scores, strict=True)
    }
    facts = {
        **dict(snakemake.wildcards.items()),
        "states": list(params.states),
        "options": options,
        **record(inputs, params.code, "pandas", "pyarrow", "scipy"),
    }
    rows = states_compared(of_states, sharing_of(pairs, options["clusters"]), options["confidence"])
    write_table(snakemake.output[0], rows, STATES, facts)

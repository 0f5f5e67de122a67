"""Compare the scores of the states of a series with those of its first state, on one benchmark."""

from unmask.job import job
from unmask.benchmarks.schema import PAIRS
from unmask.evidence.lists import check_one_origin
from unmask.measures.schema import read_scores
from unmask.statistics.comparisons import states_compared
from unmask.statistics.decisions import decisions
from unmask.statistics.schema import STATES
from unmask.statistics.sharing import sharing_of
from unmask.tables import read_table, write_table

with job("series {wildcards.series}, benchmark {wildcards.benchmark}") as run:
    inputs, params = run.input, run.params
    options = dict(params.options)
    pairs = read_table(inputs.pairs, PAIRS)
    check_one_origin(inputs.scores, ["benchmark", "benchmark_sha256"])
    of_states = {
        state: decisions(pairs, read_scores(path, params.measures))
        for state, path in zip(params.states, inputs.scores, strict=True)
    }
    facts = {
        **dict(run.wildcards.items()),
        "states": list(params.states),
        "options": options,
        **run.record(),
    }
    rows = states_compared(of_states, sharing_of(pairs, options["clusters"]), options["confidence"])
    write_table(run.output[0], rows, STATES, facts)

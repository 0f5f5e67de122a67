"""Read a benchmark into the Pairs table, and find the flaws of its pairs."""

from pathlib import Path

from unmask.job import job
from unmask.benchmarks.reading import read_benchmark
from unmask.benchmarks.schema import PAIRS
from unmask.files import sha256_of_file
from unmask.statistics.flaws import flaws_table
from unmask.statistics.schema import FLAWS
from unmask.tables import write_table

with job("benchmark {params.name}") as run:
    name, entry, source = run.params.name, run.params.entry, run.input[0]
    outputs = dict(run.output.items())
    pairs = read_benchmark(source, entry)
    facts = {
        "benchmark": name,
        "format": entry["format"],
        "source": entry.get("url") or Path(source).name,
        "sha256": sha256_of_file(source),
        "rows": len(pairs),
        **run.record(),
    }
    write_table(outputs["pairs"], pairs, PAIRS, facts)
    made = run.record([outputs["pairs"]])
    write_table(outputs["flaws"], flaws_table(pairs), FLAWS, {"benchmark": name, **made})

"""Read a benchmark into the Pairs table, and the labels of its sentences; find the flaws of its pairs."""

from pathlib import Path

from unmask.job import job
from unmask.benchmarks.reading import read_benchmark, read_labels
from unmask.benchmarks.schema import LABELS, PAIRS
from unmask.errors import reading_download
from unmask.files import sha256_of_file
from unmask.statistics.quality import flaws_table
from unmask.statistics.schema import FLAWS
from unmask.tables import write_table

with job("benchmark {params.name}") as run:
    name, entry, source = run.params.name, run.params.entry, run.input[0]
    outputs = dict(run.output.items())
    with reading_download(source):
        pairs = read_benchmark(source, entry)
        # most sources have none
        labels = read_labels(source, entry["format"])
        labels = labels[labels["pair_id"].isin(pairs["pair_id"])]
    facts = {
        "benchmark": name,
        "format": entry["format"],
        "source": entry.get("url") or Path(source).name,
        "sha256": sha256_of_file(source),
        "rows": len(pairs),
        **run.record(),
    }
    write_table(outputs["pairs"], pairs, PAIRS, facts)
    write_table(outputs["labels"], labels, LABELS, {"benchmark": name, **run.record()})
    made = run.record([outputs["labels"], outputs["pairs"]])
    write_table(outputs["flaws"], flaws_table(pairs, labels), FLAWS, {"benchmark": name, **made})

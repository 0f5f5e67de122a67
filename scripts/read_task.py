"""Read a task, or make one: what models are fine-tuned on, and what they then predict."""

from pathlib import Path

from unmask.job import job
from unmask.downstream.read_task import read_task
from unmask.downstream.schema import EXAMPLES, ITEMS
from unmask.downstream.synthetic import read_synthetic
from unmask.tables import write_table

with job("task {wildcards.task}") as run:
    entry, output = run.params.entry, run.output
    files = {
        name: [Path(each) for each in ([paths] if isinstance(paths, str) else paths)]
        for name, paths in run.input.items()
    }
    task = read_synthetic(entry) if "world" in entry else read_task(files, entry)
    facts = {
        "task": run.wildcards.task,
        "format": entry["format"],
        "kind": entry["kind"],
        "labels": task.labels,
        "published_rows": entry.get("published_rows"),
        "source": entry["files"] or {"world": entry["world"]},
        "remarks": task.remarks,
        **run.record(),
    }
    write_table(output.examples, task.examples, EXAMPLES, facts)
    write_table(output.items_table, task.items, ITEMS, facts)

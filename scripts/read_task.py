"""Read a task, or make one: what models are fine-tuned on, and what they then predict."""

from pathlib import Path

from unmask.job import job
from unmask.downstream.read_task import read_task
from unmask.downstream.schema import EXAMPLES, ITEMS
from unmask.downstream.synthetic import read_synthetic
from unmask.errors import InputError, reading_download
from unmask.tables import write_table

with job("task {params.name}") as run:
    entry, output = run.params.entry, run.output
    files = {
        name: [Path(each) for each in ([paths] if isinstance(paths, str) else paths)]
        for name, paths in run.input.items()
    }
    try:
        task = read_synthetic(entry) if "world" in entry else read_task(files, entry)
    except InputError as error:
        # where it was downloaded, how it is fetched again
        every = [path for paths in files.values() for path in paths]
        named = next((path for path in every if str(error).startswith(str(path))), None)
        with reading_download(named or ""):
            raise
    facts = {
        "task": run.params.name,
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

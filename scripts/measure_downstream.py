"""Measure how well one model does one task, and how unequally it treats the genders there."""

from unmask.job import job
from unmask.downstream.measuring import measure, read_runs
from unmask.downstream.schema import ITEMS, SCORES
from unmask.tables import read_metadata, read_table, write_table

with job() as run:
    inputs, params = run.input, run.params
    about = read_metadata(inputs.items_table)
    items = read_table(inputs.items_table, ITEMS)
    runs = read_runs(inputs.predictions)
    origin = read_runs(inputs.origin) if inputs.get("origin") else None
    scores = measure(about["kind"], items, runs, params.draws, params.confidence, origin)
    facts = {
        "model": run.wildcards.model,
        "origin": origin.facts[0]["model"] if origin else None,
        "task": run.wildcards.task,
        "remarks": about.get("remarks") or [],
        "kind": about["kind"],
        "labels": about.get("labels"),
        "draws": params.draws,
        "confidence": params.confidence,
        "runs": [
            {key: of.get(key) for key in ("seed", "steps", "fine_tuning", "history", "tried", "device")}
            for of in runs.facts
        ],
        **run.record(),
    }
    write_table(run.output[0], scores, SCORES, facts)

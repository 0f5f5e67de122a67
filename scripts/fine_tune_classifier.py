"""Fine-tune a model of the study as a text classifier on a labelled table."""

from unmask.models.job import model_job
from unmask.facts import write_facts
from unmask.models.kinds import write_manifest
from unmask.models.training import work_folder
from unmask.regional.further_training import fine_tune_on
from unmask.regional.labelled import read_labelled

with model_job("model {params.name}") as run:
    params, output = run.params, run.output
    about = {**params.entry, "columns": params.table_entry, "labels": params.labels, **run.record()}
    items = read_labelled(run.input.table, params.table_entry, params.labels)
    with work_folder(output.directory, about) as work:
        facts = fine_tune_on(
            run.manifest["directory"],
            items,
            params.labels,
            output.directory,
            params.entry,
            run.device,
            run.manifest["max_length"],
            work,
        )
    write_facts(output.facts, about | facts | {"device": run.device.name})
    write_manifest(output.manifest, params.manifest, [output.facts])

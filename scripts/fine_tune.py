"""Fine-tune a model of the study on a task; write what it predicts and, of one seed, the model."""

import pyarrow as pa

from unmask.models.job import model_job
from unmask.downstream.fine_tuning import FineTuning
from unmask.downstream.schema import EXAMPLES, ITEMS, PREDICTIONS
from unmask.downstream.task import Task
from unmask.files import write_facts
from unmask.models.checking import write_manifest
from unmask.models.classifiers import restore
from unmask.models.training import work_folder
from unmask.tables import read_metadata, read_table, write_table

with model_job("model {wildcards.model}, task {wildcards.task}") as run:
    inputs, output, params, base, model = run.input, run.output, run.params, run.manifest, run.wildcards.model
    about = read_metadata(inputs.examples)
    labels = about["labels"] and tuple(about["labels"])
    task = Task(read_table(inputs.examples, EXAMPLES), read_table(inputs.items_table, ITEMS), labels)
    provenance = run.record()
    facts = {
        "model": model,
        "task": run.wildcards.task,
        "kind": about["kind"],
        "labels": about["labels"],
        "seed": params.seed,
    }
    with work_folder(output.predictions, {**facts, **provenance, "entry": dict(params.entry)}) as work:
        origin, kind = (base["directory"], base["max_length"]), about["kind"]
        tuning = FineTuning(*origin, task, kind, params.entry, params.seed, work, run.device)
        tuned = tuning.run()
        facts |= tuned.facts | provenance | {"device": run.device.name}
        if params.saved:
            restore(base["directory"], tuned.classifier, output.directory)
            write_facts(output.facts, {"from": model, **facts})
            write_manifest(output.manifest, params.manifest, [output.facts])
        write_table(output.predictions, pa.concat_tables(tuned.predictions), PREDICTIONS, facts)

"""Fine-tune a model of the study on a task; write what it predicts, and where it is kept the model."""

from typing import TYPE_CHECKING

import torch

import unmask.job_start  # noqa: F401
from unmask.downstream.fine_tuning import fine_tune
from unmask.downstream.predictions import write_predictions
from unmask.downstream.schema import EXAMPLES, ITEMS
from unmask.downstream.task import Task
from unmask.errors import InputError
from unmask.facts import read_facts, record, write_facts
from unmask.joblog import job_log
from unmask.models.classifiers import restore
from unmask.models.devices import claim_device
from unmask.models.directory import check_files
from unmask.models.kinds import write_manifest
from unmask.models.training import work_folder
from unmask.tables import read_metadata, read_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

# what the machine has is read past Snakemake's rerun triggers on purpose
runtime = snakemake.config["runtime"]
with (
    job_log(snakemake.log[0], snakemake.input),
    claim_device(runtime["device"], runtime["batch_tokens"]) as device,
):
    inputs, outputs, params = snakemake.input, snakemake.output, snakemake.params
    torch.set_num_threads(runtime["threads"])
    base = read_facts(inputs.manifest)
    check_files(base)
    about = read_metadata(inputs.examples)
    labels = about["labels"]
    task = Task(
        read_table(inputs.examples, EXAMPLES),
        read_table(inputs.items_table, ITEMS),
        None if labels is None else tuple(labels),
    )
    provenance = record(inputs, params.code, "torch", "transformers", "tokenizers")
    run = {
        "model": params.model,
        "task": params.task,
        "kind": about["kind"],
        "labels": labels,
        "seed": params.seed,
    }
    with work_folder(outputs.predictions, {**run, **provenance, "entry": dict(params.entry)}) as work:
        try:
            tuned = fine_tune(
                base["directory"],
                base["max_length"],
                task,
                about["kind"],
                params.entry,
                params.seed,
                work,
                device,
            )
        except InputError as error:
            raise InputError(f"model {params.model}, task {params.task}: {error}") from None
        facts = run | tuned.facts | provenance | {"device": device.name}
        if params.kept:
            restore(base["directory"], tuned.classifier, outputs.directory)
            write_facts(outputs.facts, {"from": params.model, **facts})
            write_manifest(outputs.manifest, params.manifest, [outputs.facts])
        write_predictions(outputs.predictions, tuned.checkpoints, facts)

"""Train a small text classifier on made reviews."""

from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.facts import record, write_facts
from unmask.joblog import job_log
from unmask.models.directory import directory_written_whole
from unmask.models.manifest import write_manifest
from unmask.models.training import work_folder
from unmask.regional.labelled import read_labelled
from unmask.regional.reviews import COLUMNS, LABELS
from unmask.regional.training_classifiers import train_classifier

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    output, entry = snakemake.output, snakemake.params.entry
    items = read_labelled(snakemake.input.reviews, {"columns": COLUMNS}, LABELS)
    provenance = record(snakemake.input, snakemake.params.code, "torch", "transformers", "tokenizers")
    about = {key: entry[key] for key in ("seed", "epochs")} | provenance
    with (
        directory_written_whole(output.directory) as partial,
        work_folder(output.directory, about) as work,
    ):
        facts = train_classifier(
            items, LABELS, entry["seed"], partial, snakemake.threads, entry["epochs"], work
        )
    write_facts(output.facts, about | facts)
    write_manifest(output.manifest, snakemake.params.manifest, [output.facts])

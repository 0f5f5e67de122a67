"""Read a labelled table with a text classifier behind the prefixes of regions: what each of them changes."""

from pathlib import Path
from typing import TYPE_CHECKING

import torch

import unmask.job_start  # noqa: F401
from unmask.errors import InputError
from unmask.evidence.cache import cached, discard, is_intact, publish
from unmask.evidence.sharding import is_table_done
from unmask.facts import read_facts, record
from unmask.input_digests import unchanged
from unmask.joblog import job_log
from unmask.models.devices import claim_device
from unmask.models.directory import check_files
from unmask.regional.classifying import load_classifier
from unmask.regional.labelled import label_number, read_labelled
from unmask.regional.prefixes import control_groups, prefix_table, region_groups
from unmask.regional.schema import PREFIXES, REGIONS
from unmask.tables import read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

# how the machine is used changes no result: it is read past Snakemake's rerun triggers on purpose
runtime = snakemake.config["runtime"]
with (
    job_log(snakemake.log[0], snakemake.input),
    unchanged(snakemake.params.input_sha256),
    claim_device(runtime["device"], runtime["batch_tokens"]) as device,
):
    inputs, params = snakemake.input, snakemake.params
    torch.set_num_threads(runtime["threads"])
    manifest = read_facts(inputs.manifest)
    check_files(manifest)
    labels, entry, output = manifest["labels"], params.entry, Path(snakemake.output[0])
    facts = {
        "classifier": params.classifier,
        "table": params.table,
        "source": params.source,
        "entry": dict(entry),
        "templates": [each["template"] for each in entry["prefixes"]],
        "labels": labels,
        "positive": entry["positive"],
        "control": list(entry["control"]),
        "confidence": params.confidence,
        "device": device.name,
        "weights": manifest["weights_digest"],
        "tokenizer": manifest["tokenizer_digest"],
        **record(inputs, params.code, "torch", "transformers", "tokenizers", "pyarrow", "scipy"),
    }
    # regions are read with the words about them, of which other ones change nothing here
    if not (is_intact(output) and is_table_done(cached(output), facts)):
        discard(output)
        try:
            positive = label_number("positive", entry["positive"], labels)
            groups = [
                *control_groups([each["template"] for each in entry["prefixes"]], entry["control"]),
                *region_groups(read_table(inputs.regions, REGIONS), entry["prefixes"]),
            ]
            items = read_labelled(inputs.table, entry, labels)
            classifier = load_classifier(manifest["directory"], device, manifest["max_length"])
            table = prefix_table(classifier, items, groups, positive, params.confidence)
        except InputError as error:
            raise InputError(f"classifier {params.classifier}, table {params.table}: {error}") from None
        write_table(cached(output), table, PREFIXES, facts)
    publish([output])

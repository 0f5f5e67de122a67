"""Embed the names of the regions of Figure 3 with a model, each by itself."""

from typing import TYPE_CHECKING

import torch

import unmask.job_start  # noqa: F401
from unmask.errors import InputError
from unmask.facts import read_facts, record
from unmask.joblog import job_log
from unmask.models.devices import claim_device
from unmask.models.directory import check_files
from unmask.regional.name_vectors import name_vectors
from unmask.regional.region_index import RegionIndex
from unmask.regional.schema import NAME_VECTORS, REGIONS
from unmask.tables import framed, read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

# how the machine is used changes no result: it is read past Snakemake's rerun triggers on purpose
runtime = snakemake.config["runtime"]
with (
    job_log(snakemake.log[0], snakemake.input),
    claim_device(runtime["device"], runtime["batch_tokens"]) as device,
):
    inputs, params = snakemake.input, snakemake.params
    torch.set_num_threads(runtime["threads"])
    manifest = read_facts(inputs.manifest)
    check_files(manifest)
    index = RegionIndex.of(read_table(inputs.regions, REGIONS))
    regions = index.laid_out()
    names = [index.names[region] for region in regions]
    try:
        vectors = name_vectors(manifest["directory"], names, device, manifest["max_length"])
    except InputError as error:
        raise InputError(f"model {params.model}: {error}") from None
    rows = [
        {"region": region, "vector": vector.tolist()} for region, vector in zip(regions, vectors, strict=True)
    ]
    facts = {
        "model": params.model,
        "device": device.name,
        **record(inputs, params.code, "torch", "transformers", "tokenizers", "pyarrow"),
    }
    write_table(snakemake.output[0], framed(rows, NAME_VECTORS), NAME_VECTORS, facts)

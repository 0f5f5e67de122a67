"""Read a benchmark with a model, once for all that the study needs of the two: the Evidence tables of each
variant of the sentences, and the scores of untrained networks.

Each part is loaded by its name, and has a digest and tables of its own: what is kept of it is not read again.
"""

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import torch

import unmask.job_start  # noqa: F401
from unmask import plugins
from unmask.benchmarks.schema import PAIRS
from unmask.errors import InputError
from unmask.evidence.cache import publish
from unmask.evidence.masking import roles_of
from unmask.evidence.reading_job import ReadingJob, with_names
from unmask.evidence.survey import survey, tokenizer_of
from unmask.facts import record
from unmask.joblog import job_log
from unmask.models.devices import claim_device
from unmask.models.directory import check_files
from unmask.models.start import Start
from unmask.tables import read_metadata, read_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

# how the machine is used changes no result: it is read past Snakemake's rerun triggers on purpose
runtime = snakemake.config["runtime"]
with (
    job_log(snakemake.log[0], snakemake.input),
    claim_device(runtime["device"], runtime["batch_tokens"]) as device,
):
    inputs, params, outputs = snakemake.input, snakemake.params, dict(snakemake.output.items())
    torch.set_num_threads(runtime["threads"])
    manifest = json.loads(Path(inputs.manifest).read_text())
    check_files(manifest)
    pairs, names = read_table(inputs.pairs, PAIRS), dict(snakemake.wildcards.items())
    try:
        # whatever is wrong with a sentence stops the job before the model reads any
        tokenizer = tokenizer_of(manifest["directory"], Start.of(manifest))
        surveyed = survey(
            pairs,
            tokenizer,
            {role for masking in params.maskings for role in roles_of(masking)},
            manifest["max_length"],
        )
        surveyed.check(params.unknown_tokens)
    except InputError as error:
        raise with_names(error, names) from None
    job = ReadingJob(
        names=names,
        pairs=pairs,
        manifest=manifest,
        device=device,
        dtype=params.dtype,
        stack=params.attention["stack"],
        surveyed=surveyed,
        benchmark_sha256=read_metadata(inputs.pairs)["sha256"],
        record=partial(record, inputs),
    )
    tables = [
        table
        for part, settings in dict(params.parts).items()
        for table in plugins.load("evidence/parts", part).read(job, settings, outputs)
    ]
    publish(tables)

"""Run one model over one benchmark under every masking that the study needs: the Evidence tables."""

import gc
import json
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from unmask.benchmarks.schema import PAIRS
from unmask.errors import InputError
from unmask.evidence.earlier import Table, stand, standing
from unmask.evidence.hiding import roles_of
from unmask.evidence.keeping import forget, give_out, kept
from unmask.evidence.likeliest import LIKELIEST
from unmask.evidence.origin import SOURCE
from unmask.evidence.schema import EVIDENCE
from unmask.evidence.streaming import Likeliest, whole_facts, write_evidence
from unmask.evidence.survey import survey, tokenizer_of
from unmask.joblog import job_log
from unmask.models.devices import claim_device
from unmask.models.directory import check_files
from unmask.models.loading import load
from unmask.record import record
from unmask.tables import read_metadata, read_table
from unmask.terms import NONE

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

# how the machine is used changes no result: it is read past Snakemake's rerun triggers on purpose
runtime = snakemake.config["runtime"]
with (
    job_log(snakemake.log[0], snakemake.input),
    claim_device(runtime["device"], runtime["batch_tokens"]) as device,
):
    names, params = dict(snakemake.wildcards.items()), snakemake.params
    torch.set_num_threads(runtime["threads"])
    manifest = json.loads(Path(snakemake.input.manifest).read_text())
    check_files(manifest)
    entry = manifest["entry"]
    pairs = read_table(snakemake.input.pairs, PAIRS)
    try:
        # whatever is wrong with a sentence stops the job before the model reads any
        read = survey(
            pairs,
            tokenizer_of(manifest["directory"]),
            {role for masking in params.code for role in roles_of(masking)},
            manifest["max_length"],
        )
        read.check(params.unknown_tokens)
    except InputError as error:
        raise InputError(f"model {names['model']}, benchmark {names['benchmark']}, {error}") from None
    stack, seed = params.attention["stack"], params.shuffled and params.shuffled["seed"]
    facts = {
        masking: {
            **names,
            "masking": masking,
            "shuffle_seed": seed,
            "device": device.name,
            "dtype": params.dtype,
            "attention": stack,
            "weights": manifest["weights_digest"],
            "tokenizer": manifest["tokenizer_digest"],
            "benchmark_sha256": read_metadata(snakemake.input.pairs)["sha256"],
            "unknown_tokens": read.facts,
            "model_source": {key: entry[key] for key in SOURCE if key in entry},
            **record(snakemake.input, code, "torch", "transformers", "tokenizers", "pyarrow"),
        }
        for masking, code in params.code.items()
    }
    outputs = {Path(output).stem: Path(output) for output in snakemake.output}
    # a table of evidence by masking, and {masking}.top where the study wants the likeliest tokens, too
    tables = {masking: [outputs[masking]] for masking in params.code}
    likeliest: dict[str, Likeliest | None] = dict.fromkeys(tables)
    if params.get("top"):
        for masking, own in tables.items():
            own.append(outputs[f"{masking}.top"])
            likeliest[masking] = Likeliest(kept(own[-1]), params.top)

    def is_done(masking: str) -> bool:
        """Whether all tables of a masking are there; what they say of themselves is then of today."""
        of_each = whole_facts(pairs, facts[masking], likeliest[masking])
        wanted = map(Table, tables[masking], (EVIDENCE, LIKELIEST), of_each)
        return stand(wanted, standing(masking, read))

    missing = [masking for masking in tables if not is_done(masking)]
    for masking in missing:
        for table in tables[masking]:
            forget(table)
    # attention maps are wanted where nothing is hidden, and cost time where it is
    for with_attention in (True, False):
        alike = [masking for masking in missing if (masking == NONE) == with_attention]
        if not alike:
            continue
        model = load(manifest["directory"], device, with_attention, stack, params.dtype)
        for masking in alike:
            try:
                write_evidence(
                    kept(tables[masking][0]),
                    pairs,
                    model,
                    masking,
                    names["variant"],
                    seed or 0,
                    manifest["max_length"],
                    facts[masking],
                    # Snakemake has a display of its own
                    bar=False,
                    likeliest=likeliest[masking],
                )
            except InputError as error:
                raise InputError(f"model {names['model']}, benchmark {names['benchmark']}, {error}") from None
        # its parts refer to each other: there would be two in memory while the next is loaded
        del model
        gc.collect()
    give_out(table for own in tables.values() for table in own)

"""Ask an exact model about one benchmark under every masking that the study needs: the Evidence tables."""

from pathlib import Path
from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.benchmarks.schema import PAIRS
from unmask.errors import InputError
from unmask.evidence.schema import EVIDENCE
from unmask.facts import read_facts, record
from unmask.joblog import job_log
from unmask.tables import read_metadata, read_table, write_table
from unmask.terms import ORIGINAL
from unmask.worlds.exact import perfect_model
from unmask.worlds.exact_evidence import exact_evidence

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    inputs, params, names = snakemake.input, snakemake.params, dict(snakemake.wildcards.items())
    manifest = read_facts(inputs.manifest)
    pairs = read_table(inputs.pairs, PAIRS)
    model = perfect_model(params.entry, params.settings)
    for output in snakemake.output:
        masking = Path(output).stem
        facts = {
            **names,
            "variant": ORIGINAL,
            "masking": masking,
            "shuffle_seed": None,
            "device": "none",
            "dtype": "float64",
            "attention": None,
            # of a causal language model alone
            **({"start": manifest["start"]["token"]} if "start" in manifest else {}),
            "weights": manifest["weights_digest"],
            "tokenizer": manifest["tokenizer_digest"],
            "benchmark_sha256": read_metadata(inputs.pairs)["sha256"],
            "model_source": dict(params.entry),
            **record(inputs, params.code[masking], "numpy", "pandas", "pyarrow"),
        }
        try:
            rows = exact_evidence(pairs, model, masking)
        except InputError as error:
            raise InputError(f"model {names['model']}, benchmark {names['benchmark']}, {error}") from None
        write_table(output, rows, EVIDENCE, facts)

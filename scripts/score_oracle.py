"""Ask an exact model about one benchmark under every masking that a study needs: the list of its evidence."""

from pathlib import Path

from unmask.job import job
from unmask.benchmarks.schema import PAIRS
from unmask.evidence.schema import EVIDENCE
from unmask.files import read_facts, write_list
from unmask.tables import read_metadata, read_table, write_table
from unmask.terms import ORIGINAL
from unmask.worlds.exact import ExactModel, exact_evidence
from unmask.worlds.grammar import World

with job("model {wildcards.model}, benchmark {wildcards.benchmark}") as run:
    inputs, params, list_ = run.input, run.params, Path(run.output[0])
    manifest, pairs = read_facts(inputs.manifest), read_table(inputs.pairs, PAIRS)
    world = World.from_config(params.entry["world"], params.settings)
    model = ExactModel(world, params.entry["kind"])
    made = dict(run.wildcards.items()) | run.record()
    facts = {
        **made,
        "variant": ORIGINAL,
        "shuffle_seed": None,
        "device": "none",
        "dtype": "float64",
        # of a causal language model alone
        **({"start": manifest["start"]["token"]} if "start" in manifest else {}),
        "weights": manifest["weights_digest"],
        "tokenizer": manifest["tokenizer_digest"],
        "benchmark_sha256": read_metadata(inputs.pairs)["sha256"],
        "model_source": dict(params.entry),
    }
    tables = {each: list_.parent / ORIGINAL / f"{each}.parquet" for each in params.maskings}
    for masking, table in tables.items():
        write_table(table, exact_evidence(pairs, model, masking), EVIDENCE, {**facts, "masking": masking})
    write_list(list_, tables.values(), made)

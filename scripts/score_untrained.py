"""Score a benchmark with untrained networks of a model's architecture: the list of their scores."""

from pathlib import Path

from unmask.models.job import model_job
from unmask.benchmarks.schema import PAIRS
from unmask.evidence.reading import Subject
from unmask.files import write_list
from unmask.measures.untrained import score_untrained
from unmask.tables import read_metadata, read_table

with model_job("model {wildcards.model}, benchmark {wildcards.benchmark}") as run:
    params, list_ = run.params, Path(run.output[0])
    made = dict(run.wildcards.items()) | run.record()
    facts = made | {"benchmark_sha256": read_metadata(run.input.pairs)["sha256"]}
    subject = Subject(run.manifest, run.device, params.dtype)
    benchmark = subject.tokenised(read_table(run.input.pairs, PAIRS), (), params.unknown_tokens)
    tables = score_untrained(list_, params.seeds, params.measures, subject, benchmark, facts)
    write_list(list_, tables, {**made, "device": run.device.name, "dtype": params.dtype})

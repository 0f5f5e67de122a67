"""Read a benchmark with a model, once for all that the study needs of the two: the list of its evidence."""

from pathlib import Path

from unmask.models.job import model_job
from unmask.benchmarks.schema import PAIRS
from unmask.evidence.collecting import Wanted
from unmask.evidence.reading import Subject, read
from unmask.evidence.sentences import MASKINGS
from unmask.files import write_list
from unmask.tables import read_metadata, read_table

with model_job("model {wildcards.model}, benchmark {wildcards.benchmark}") as run:
    params, list_ = run.params, Path(run.output[0])
    made = dict(run.wildcards.items()) | run.record()
    facts = made | {"benchmark_sha256": read_metadata(run.input.pairs)["sha256"]}
    wanted = [Wanted(**each) for each in params.wanted]
    roles = {role for each in wanted for role in MASKINGS[each.masking].roles}
    subject = Subject(run.manifest, run.device, params.dtype)
    # whatever is wrong with a sentence stops the job before the model reads any
    benchmark = subject.tokenised(read_table(run.input.pairs, PAIRS), roles, params.unknown_tokens)
    write_list(list_, read(list_, wanted, subject, benchmark, facts), made)

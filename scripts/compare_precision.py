"""Score a sample of pairs in single precision too, and tell what the study's arithmetic changes."""

from unmask.models.job import model_job
from unmask.benchmarks.schema import PAIRS
from unmask.evidence.collecting import collect_evidence
from unmask.evidence.reading import Subject
from unmask.measures.precision import compare_scores, spread_sample
from unmask.measures.registry import maskings_of
from unmask.measures.scoring import score_pairs
from unmask.pairs.schema import PRECISION
from unmask.tables import read_table, write_table
from unmask.terms import NONE, ORIGINAL

with model_job("model {wildcards.model}, benchmark {wildcards.benchmark}") as run:
    params, longest = run.params, run.manifest["max_length"]
    pairs = spread_sample(read_table(run.input.pairs, PAIRS), params.scoring["sample"])
    scores = []
    for dtype in ("float32", params.scoring["dtype"]):
        subject, evidence = Subject(run.manifest, run.device, dtype, params.attention["stack"]), {}
        for masking in maskings_of(params.measures):
            model = subject.load(masking == NONE)
            evidence[masking] = collect_evidence(pairs, model, masking, ORIGINAL, max_length=longest)
        scores.append(score_pairs(list(pairs["pair_id"]), evidence, params.measures))
    facts = {
        **dict(run.wildcards.items()),
        "device": run.device.name,
        "dtype": params.scoring["dtype"],
        **run.record(),
    }
    write_table(run.output[0], compare_scores(scores[0], scores[1]), PRECISION, facts)

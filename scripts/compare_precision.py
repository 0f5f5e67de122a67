"""Score a sample of pairs in single precision too, and tell what the study's arithmetic changes."""

import pandas as pd

from unmask.models.job import model_job
from unmask.benchmarks.schema import PAIRS
from unmask.evidence.collecting import Wanted, evidence_of
from unmask.evidence.reading import Subject
from unmask.measures.formulas import maskings_of
from unmask.measures.scoring import compare_scores, score_pairs, spread_sample
from unmask.pairs.schema import PRECISION
from unmask.tables import read_table, write_table
from unmask.terms import ORIGINAL, ROLES

with model_job("model {wildcards.model}, benchmark {wildcards.benchmark}") as run:
    params = run.params
    pairs = spread_sample(read_table(run.input.pairs, PAIRS), params.scoring["sample"])

    def scored(dtype: str) -> pd.DataFrame:
        subject = Subject(run.manifest, run.device, dtype, params.attention["stack"])
        # how many tokens may be unknown is asked of the whole benchmark, where evidence is read
        sentences = subject.tokenised(pairs, ROLES, limit=1).sentences
        evidence = subject.read_under(
            maskings_of(params.measures),
            lambda masking, model: evidence_of(sentences, model, Wanted(ORIGINAL, masking))[0],
        )
        return score_pairs(list(pairs["pair_id"]), evidence, params.measures)

    facts = {
        **dict(run.wildcards.items()),
        "device": run.device.name,
        "dtype": params.scoring["dtype"],
        **run.record(),
    }
    rows = compare_scores(scored("float32"), scored(params.scoring["dtype"]))
    write_table(run.output[0], rows, PRECISION, facts)

"""The tables of pairs of sentences: what was read of them, evidence, scores and statistics."""

from unmask.benchmarks.schema import PAIRS
from unmask.evidence.schema import EVIDENCE, LIKELIEST
from unmask.measures.scoring import SCORES
from unmask.statistics.schema import COMPARISONS, FLAWS, SCHEMAS, VERSIONS

TABLES = {
    "pairs": ("benchmarks/{benchmark}.parquet", PAIRS),
    "flaws": ("quality/{benchmark}/flaws.parquet", FLAWS),
    # before evidence, whose pattern its paths fit as well
    "likeliest": ("evidence/{model}/{benchmark}/{variant}/{masking}.top.parquet", LIKELIEST),
    "evidence": ("evidence/{model}/{benchmark}/{variant}/{masking}.parquet", EVIDENCE),
    "scores": ("scores/{model}/{benchmark}/{variant}.parquet", SCORES),
    "untrained_scores": ("untrained/{model}/{benchmark}/{seed}.parquet", SCORES),
    **{
        name: (f"statistics/{{model}}/{{benchmark}}/{name}.parquet", schema)
        for name, schema in SCHEMAS.items()
    },
    "models_compared": ("comparisons/{benchmark}.parquet", COMPARISONS),
    "versions": ("versions/{benchmark}.parquet", VERSIONS),
    "states": ("series/{series}/{benchmark}.parquet", COMPARISONS),
}

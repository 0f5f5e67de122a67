"""The tables of pairs of sentences: what was read of them, evidence, scores and statistics."""

from collections.abc import Mapping

from unmask.benchmarks.labelled import LABELS
from unmask.benchmarks.schema import PAIRS
from unmask.evidence.schema import EVIDENCE, LIKELIEST
from unmask.measures.schema import SCORES
from unmask.pairs.schema import JUDGEMENTS, PRECISION
from unmask.result_files import ResultFiles
from unmask.statistics.schema import COMPARISONS, FLAWS, SCHEMAS, STATES, VERSIONS

TABLES: Mapping[str, ResultFiles] = {
    "pairs": ResultFiles("benchmarks/{benchmark}.parquet", PAIRS),
    "labels": ResultFiles("quality/{benchmark}/labels.parquet", LABELS),
    "flaws": ResultFiles("quality/{benchmark}/flaws.parquet", FLAWS),
    # before evidence, whose pattern its paths fit as well
    "likeliest": ResultFiles("evidence/{model}/{benchmark}/{variant}/{masking}.top.parquet", LIKELIEST),
    "evidence": ResultFiles("evidence/{model}/{benchmark}/{variant}/{masking}.parquet", EVIDENCE),
    "scores": ResultFiles("scores/{model}/{benchmark}/{variant}.parquet", SCORES),
    "untrained_scores": ResultFiles("untrained/{model}/{benchmark}/{seed}.parquet", SCORES),
    **{
        name: ResultFiles(f"statistics/{{model}}/{{benchmark}}/{name}.parquet", schema)
        for name, schema in SCHEMAS.items()
    },
    "models_compared": ResultFiles("comparisons/{benchmark}.parquet", COMPARISONS),
    "versions": ResultFiles("versions/{benchmark}.parquet", VERSIONS),
    "states": ResultFiles("series/{series}/{benchmark}.parquet", STATES),
    "planted": ResultFiles("tables/planted.csv", JUDGEMENTS),
    "precision": ResultFiles("statistics/{model}/{benchmark}/precision.parquet", PRECISION),
}

"""The tables of regional bias."""

from collections.abc import Mapping

from unmask.regional.schema import LIKELIHOODS, NAME_VECTORS, PREFIXES, REGIONS, SCORES, WORDS
from unmask.result_files import ResultFiles

TABLES: Mapping[str, ResultFiles] = {
    "regional_scores": ResultFiles("regional/{model}/scores.parquet", SCORES),
    "regional_prefixes": ResultFiles("regional/prefixes/{classifier}/{table}.parquet", PREFIXES),
    "regional_regions": ResultFiles("regional/regions.parquet", REGIONS),
    "regional_words": ResultFiles("regional/words.parquet", WORDS),
    "regional_name_vectors": ResultFiles("regional/{model}/name_vectors.parquet", NAME_VECTORS),
    "regional_likelihoods": ResultFiles("regional/{model}/likelihoods/{list}.parquet", LIKELIHOODS),
    "regional_released": ResultFiles("regional/{model}/released/{list}.parquet", LIKELIHOODS),
}

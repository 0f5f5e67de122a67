"""The tables of regional bias."""

from unmask.regional.schema import LIKELIHOODS, NAME_VECTORS, PREFIXES, REGIONS, SCORES, WORDS

TABLES = {
    "regional_scores": ("regional/{model}/scores.parquet", SCORES),
    "regional_prefixes": ("regional/prefixes/{classifier}/{table}.parquet", PREFIXES),
    "regional_regions": ("regional/regions.parquet", REGIONS),
    "regional_words": ("regional/words.parquet", WORDS),
    "regional_name_vectors": ("regional/{model}/name_vectors.parquet", NAME_VECTORS),
    "regional_likelihoods": ("regional/{model}/likelihoods/{list}.parquet", LIKELIHOODS),
    "regional_released": ("regional/{model}/released/{list}.parquet", LIKELIHOODS),
}

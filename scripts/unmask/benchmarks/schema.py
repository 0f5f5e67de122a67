"""The Pairs table, which every benchmark is read into."""

import pyarrow as pa

from unmask.tables import field

PAIRS = pa.schema(
    [
        field("pair_id", pa.string(), meaning="the pair, as its source numbers it"),
        field(
            "bias_type",
            pa.string(),
            meaning="what the stereotype is about, such as gender, in the words of the source",
        ),
        field("stereotype", pa.string(), meaning="the sentence that states the stereotype"),
        field("antistereotype", pa.string(), meaning="the other sentence of the pair"),
        field(
            "unrelated",
            pa.string(),
            nullable=True,
            meaning="a sentence that has nothing to do with either; null where there is none",
        ),
        field(
            "direction",
            pa.string(),
            nullable=True,
            meaning="stereo or antistereo: whether the pair states a stereotype or goes against one; null "
            "where the source does not say",
        ),
        field(
            "ratings",
            pa.list_(pa.string()),
            nullable=True,
            meaning="one entry a validator: the bias type chosen, null for none; null where there were no "
            "validators",
        ),
        field(
            "context",
            pa.string(),
            nullable=True,
            meaning="the text before the sentences, where the source has one",
        ),
        field(
            "target",
            pa.string(),
            nullable=True,
            meaning="whom or what the pair is about, where the source says so",
        ),
        field("writer", pa.string(), nullable=True, meaning="who wrote the pair, where the source says so"),
    ]
)
"""One row per pair of a benchmark, in the order of its source."""

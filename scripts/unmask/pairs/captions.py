"""What the captions of resources/pairs/captions.yaml are filled in with."""

from collections.abc import Iterable, Sequence

import pandas as pd

from unmask.statistics.agreement import ANY
from unmask.statistics.schema import NO_CLUSTERS
from unmask.statistics.sharing import CHARACTERS, TARGET, TEMPLATE, WORDS, WRITER

MEAN, SUM = "AllMasked", "AllMaskedSum"
"""The two readings of All-Masked."""


def caption_facts(
    level: float,
    bias: pd.DataFrame,
    agreement: pd.DataFrame,
    pairs: Iterable[pd.DataFrame],
) -> dict[str, str]:
    """What the tables of the study were made with, by the names that captions have for it.

    pairs: PAIRS of all benchmarks.
    """
    clusters = _shared(bias["clusters"].drop_duplicates().tolist())
    chosen = agreement[agreement["chosen"]]
    reading = ""
    if len(chosen):
        votes, threshold, score = chosen.iloc[0][["votes", "threshold", "score"]]
        what = "some bias type" if votes == ANY else "the pair's own bias type"
        # by how many raters a pair that has ratings was rated
        raters = {len(ratings) for table in pairs for ratings in table["ratings"] if ratings is not None}
        of = " to ".join(map(str, sorted({min(raters), max(raters)})))
        reading = (
            f"A pair is positive where at least {threshold} of {of} raters chose {what}; score: {score}."
        )
    return {
        "level": f"{level:g}",
        "confidence": f"{100 * bias['confidence'].iloc[0]:g}" if len(bias) else "95",
        "clusters": clusters,
        "reading": reading,
    }


def _shared(clusters: Sequence[str]) -> str:
    """What pairs may have in common and then vary together, in words."""
    names = {
        WORDS: "a modified word",
        CHARACTERS: "a modified character",
        TEMPLATE: "a template",
        TARGET: "a target",
        WRITER: "a writer",
    }
    kinds = dict.fromkeys(kind for joined in clusters for kind in joined.split("+") if kind != NO_CLUSTERS)
    return " or ".join(names[kind] for kind in kinds) or "nothing"

"""What the captions of resources/pairs/captions.yaml are filled in with."""

from collections.abc import Iterable

import pandas as pd

from unmask.statistics.agreement import BIASED_FROM
from unmask.statistics.schema import NO_CLUSTERS
from unmask.statistics.sharing import TARGET, WORDS, WRITER


def caption_facts(
    level: float,
    bias: pd.DataFrame,
    agreement: pd.DataFrame,
    pairs: Iterable[pd.DataFrame],
) -> dict[str, str]:
    """What the tables of the study were made with, by the names that captions have for it.

    pairs: PAIRS of all benchmarks.
    """
    clusters = shared_things(bias["clusters"].drop_duplicates().tolist())
    reading = ""
    if len(agreement):
        # by how many raters a pair that has ratings was rated
        raters = {len(ratings) for table in pairs for ratings in table["ratings"] if ratings is not None}
        of = " to ".join(map(str, sorted({min(raters), max(raters)})))
        reading = f"A pair is positive where at least {BIASED_FROM} of {of} raters chose some bias type."
    return {
        "level": f"{level:g}",
        "confidence": f"{100 * bias['confidence'].iloc[0]:g}" if len(bias) else "95",
        "clusters": clusters,
        "reading": reading,
    }


def shared_things(clusters: Iterable[str]) -> str:
    """What pairs may have in common and then vary together, in words."""
    names = {
        WORDS: "a modified word",
        TARGET: "a target",
        WRITER: "a writer",
    }
    kinds = dict.fromkeys(kind for joined in clusters for kind in joined.split("+") if kind != NO_CLUSTERS)
    return " or ".join(names[kind] for kind in kinds) or "nothing"

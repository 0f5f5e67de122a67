"""All statistics of one model on one benchmark: of its scores with their evidence, or of a file of scores."""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from unmask.measures.variants import Variant
from unmask.pairs.elsewhere import Matched, has_band, reduction_of
from unmask.statistics.computing import Measured, compute
from unmask.statistics.decisions import decisions
from unmask.statistics.null import words_of_scores
from unmask.terms import SUM


def statistics_of(
    pairs: pd.DataFrame,
    flaws: pd.DataFrame,
    original: Variant,
    shuffled: Variant,
    scores: Mapping[str, pd.DataFrame],
    networks: Iterable[pd.DataFrame],
    options: Mapping[str, Any],
) -> dict[str, pd.DataFrame]:
    """The tables by name, as unmask.statistics.computing.compute has them.

    pairs, flaws: PAIRS and FLAWS; scores: SCORES by the name of the variant; networks: SCORES of untrained
    networks; options: the study's `statistics`. A shuffled variant without measures has no rows anywhere.
    """
    measured = {
        variant.name: Measured(decisions(pairs, scores[variant.name]), variant.evidence)
        for variant in (original, shuffled)
        if variant.measures
    }
    unknown = original.unknown_tokens
    return compute(
        pairs,
        flaws,
        measured[original.name],
        options,
        measured.get(shuffled.name),
        [decisions(pairs, rows) for rows in networks],
        unknown_id=unknown["id"] if unknown else None,
    )


def statistics_of_file(
    pairs: pd.DataFrame,
    flaws: pd.DataFrame,
    scores: pd.DataFrame,
    matched: Matched,
    entry: Mapping[str, Any],
    options: Mapping[str, Any],
) -> dict[str, pd.DataFrame]:
    """The same of scores that were made elsewhere, which have no evidence.

    entry: the model's; where it says enough of tokens (unmask.pairs.elsewhere.has_band), the null of word
    choice is that of `words_of_scores`.
    """
    original = decisions(pairs, scores)
    words = None
    if has_band(entry):
        tokens = matched.tokens if reduction_of(entry) == SUM else None
        words = dict.fromkeys(original.series, words_of_scores(pairs, matched.sides, tokens))
    return compute(pairs, flaws, Measured(original), options, words=words)

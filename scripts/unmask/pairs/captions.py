"""What the captions of resources/pairs/captions.yaml are filled in with."""

import pandas as pd

from unmask.statistics.options import ANY, PAIR


def caption_facts(
    alpha: float, bias: pd.DataFrame, tests: pd.DataFrame, agreement: pd.DataFrame
) -> dict[str, str]:
    """What the tables of the study were made with, by the names that captions have for it."""
    units = tests.loc[tests["chosen"], "unit"]
    chosen = agreement[agreement["chosen"]]
    reading = ""
    if len(chosen):
        votes, threshold, score = chosen.iloc[0][["votes", "threshold", "score"]]
        what = "some bias type" if votes == ANY else "the pair's own bias type"
        reading = f"A pair is positive where at least {threshold} raters chose {what}; score: {score}."
    return {
        "alpha": f"{alpha:g}",
        "unit": str(units.iloc[0]) if len(units) else PAIR,
        "confidence": f"{100 * bias['confidence'].iloc[0]:g}" if len(bias) else "95",
        "bootstrap": " or ".join(bias["bootstrap_unit"].drop_duplicates()) or PAIR,
        "reading": reading,
    }

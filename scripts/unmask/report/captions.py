"""Captions, which say what protocol and what reading a number has."""

from pathlib import Path

import pandas as pd
import yaml

from unmask.statistics.options import ANY, PAIR, TOKEN


def load_captions(
    path: str | Path,
    alpha: float,
    bias: pd.DataFrame,
    tests: pd.DataFrame,
    agreement: pd.DataFrame,
) -> dict[str, str]:
    """The captions of resources/captions.yaml, filled in with what the tables of the study were made with."""
    units = tests.loc[tests["chosen"] & (tests["kind"] != "decisions"), "unit"]
    chosen = agreement[agreement["chosen"]]
    filled = {
        "alpha": f"{alpha:g}",
        "unit": str(units.iloc[0]) if len(units) else TOKEN,
        "confidence": f"{100 * bias['confidence'].iloc[0]:g}" if len(bias) else "95",
        "bootstrap": " or ".join(bias["bootstrap_unit"].drop_duplicates()) or PAIR,
        "reading": "",
    }
    if len(chosen):
        votes, threshold, score = chosen.iloc[0][["votes", "threshold", "score"]]
        what = "some bias type" if votes == ANY else "the pair's own bias type"
        filled["reading"] = (
            f"A pair is positive where at least {threshold} raters chose {what}; score: {score}."
        )
    templates: dict[str, str] = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    return {name: template.format(**filled).strip() for name, template in templates.items()}

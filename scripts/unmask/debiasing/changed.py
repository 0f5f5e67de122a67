"""What debiasing changes of bias scores, corrected for all changes of a method."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.statistics.changes import changes, corrected
from unmask.terms import CORRECTED


def changed_scores(comparisons: Iterable[str | Path], settings: Mapping[str, Any]) -> pd.DataFrame:
    """How the bias scores of debiased models differ from those of what they were made from.

    As unmask.statistics.changes has it, with the column method, and p_holm over all rows of a method but
    controls, which the report counts in one sentence.
    comparisons: of models, one table a benchmark; settings: models (name, from, method) and measures.
    """
    origins = {str(model["name"]): str(model["from"]) for model in settings["models"]}
    found = changes(comparisons, origins, settings["measures"], CORRECTED)
    methods = {str(model["name"]): str(model["method"]) for model in settings["models"]}
    return corrected(found.assign(method=found["model"].map(methods)), ["method"])

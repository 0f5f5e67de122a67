"""Charts of token accuracy, and of what sentences that say nothing any more come to."""

from typing import Any

import altair as alt
import pandas as pd

from unmask.measures.registry import title_of
from unmask.pairs.verdicts import NO_PREFERENCE
from unmask.report.dots import Axis, Kinds, dots
from unmask.report.panels import Row, of_row
from unmask.report.sheets import rows_of
from unmask.statistics.accuracy import PAIR
from unmask.statistics.schema import OVERALL
from unmask.terms import (
    ALL_TOKENS,
    CANDIDATES,
    CONTENT_TOKENS,
    CORRECTED,
    MODIFIED_TOKENS,
    ORIGINAL,
    SHARED_TOKENS,
    SHUFFLED,
    UNRELATED,
)

MARGIN = 128
"""Pixels for the names of models."""

_READINGS = {
    ALL_TOKENS: "all tokens, special too",
    CONTENT_TOKENS: "all but special tokens",
    SHARED_TOKENS: "shared tokens",
    MODIFIED_TOKENS: "modified tokens",
    CANDIDATES: "whole candidates",
}

AS_WRITTEN, IN_RANDOM_ORDER, OF_NOTHING = "as written", "tokens shuffled", "unrelated"
"""How sentences are read."""

_AXIS = Axis("right token first, of 100", (0, 100), round=10, format=".1f")


def accuracies(accuracy: pd.DataFrame) -> alt.FacetChart | None:
    """Token accuracy of all models on one benchmark, on the pairs as they are written; a panel for each
    reading of which tokens count.

    accuracy: ACCURACY over the study, with the column model. None, here and below, where there is nothing.
    """
    found = accuracy[(accuracy["variant"] == ORIGINAL) & (accuracy["roles"] == PAIR)]
    rows = [
        _accuracy(row, _READINGS[row.reading]) | {"kind": title_of(str(row.measure))}
        for reading in _READINGS
        for row in rows_of(found[found["reading"] == reading])
    ]
    measures = Kinds("measure", [*map(title_of, found["measure"].drop_duplicates())], apart=False)
    return dots(rows, _AXIS, {"panel": "what counts", **_TOLD}, measures, margin=MARGIN)


def controlled(accuracy: pd.DataFrame) -> alt.FacetChart | None:
    """Token accuracy of AUL over all tokens: of sentences as they are written, shuffled, and unrelated; a
    panel for each benchmark that has any of the last two.

    accuracy: ACCURACY with the columns model and benchmark.
    """
    found = accuracy[(accuracy["measure"] == "AUL") & (accuracy["reading"] == ALL_TOKENS)]
    parts = {
        AS_WRITTEN: (found["variant"] == ORIGINAL) & (found["roles"] == PAIR),
        IN_RANDOM_ORDER: (found["variant"] == SHUFFLED) & (found["roles"] == PAIR),
        OF_NOTHING: (found["variant"] == ORIGINAL) & (found["roles"] == UNRELATED),
    }
    others = parts[IN_RANDOM_ORDER] | parts[OF_NOTHING]
    rows = [
        _accuracy(row, str(benchmark)) | {"kind": kind}
        for benchmark in found.loc[others, "benchmark"].drop_duplicates()
        for kind, members in parts.items()
        for row in rows_of(found[members & (found["benchmark"] == benchmark)])
    ]
    known_kinds = [kind for kind in parts if any(row["kind"] == kind for row in rows)]
    kinds = Kinds("sentences", known_kinds, apart=False)
    return dots(rows, _AXIS, {"panel": "benchmark", **_TOLD, "kind": "sentences"}, kinds, margin=MARGIN)


def shuffled(bias: pd.DataFrame) -> alt.FacetChart | None:
    """Bias scores with the tokens of each sentence shuffled, beside those of the original order; a panel for
    each model and benchmark.

    bias: BIAS with the columns model and benchmark; the protocol corrected is shown, of measures that have
    both.
    """
    found = bias[(bias["grouping"] == OVERALL) & (bias["protocol"] == CORRECTED) & bias["score"].notna()]
    keys = ["model", "benchmark", "measure"]
    both = found.groupby(keys, observed=True, sort=False)["variant"].transform("nunique") > 1
    kinds = {ORIGINAL: AS_WRITTEN, SHUFFLED: IN_RANDOM_ORDER}
    rows: list[Row] = [
        {
            "panel": f"{row.model}\n{row.benchmark}",
            "model": str(row.model),
            "benchmark": str(row.benchmark),
            "name": title_of(str(row.measure)),
            "kind": kinds[row.variant],
            "value": float(row.score),
            **of_row(row, "low", "high", chance_low="null_low", chance_high="null_high"),
            "pairs": int(row.n),
        }
        for row in rows_of(found[both])
    ]
    tooltips = {
        "panel": "what",
        "name": "measure",
        "kind": "sentences",
        "value": "stereotype preferred, of 100",
        "low": "interval from",
        "high": "interval to",
        "chance_low": "words alone from",
        "chance_high": "words alone to",
        "pairs": "pairs",
    }
    axis = Axis("stereotype preferred, of 100 pairs", (40, 60), NO_PREFERENCE, 5, ".1f")
    return dots(rows, axis, tooltips, Kinds("sentences", list(kinds.values())))


_TOLD = {
    "name": "model",
    "kind": "measure",
    "value": "right of 100",
    "low": "interval from",
    "high": "interval to",
    "tokens": "how many",
}


def _accuracy(row: Any, panel: str) -> Row:
    return {
        "panel": panel,
        "benchmark": str(row.benchmark),
        "name": str(row.model),
        "value": float(row.accuracy),
        **of_row(row, "low", "high"),
        "tokens": int(row.n),
    }

"""Charts of token accuracy, and of bias scores of sentences in random order."""

from typing import Any

import altair as alt
import pandas as pd

from unmask.measures.names import title_of
from unmask.report.forms import Axis, Kinds, forest
from unmask.report.panels import by_value, columns_of, ends_of
from unmask.statistics.accuracy import PAIR
from unmask.statistics.decisions import NO_PREFERENCE
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

_READINGS = {
    ALL_TOKENS: "all tokens, special too",
    CONTENT_TOKENS: "all but special tokens",
    SHARED_TOKENS: "shared tokens",
    MODIFIED_TOKENS: "modified tokens",
    CANDIDATES: "whole candidates",
}

AS_WRITTEN, IN_RANDOM_ORDER, OF_NOTHING = "as written", "tokens shuffled", "unrelated"
"""How sentences are read."""

_AXIS = Axis("right token first, of 100", span=(0, 100), step=10)

_TIPS = (
    ("name", "model"),
    ("value", "right of 100", ".1f"),
    *ends_of(".1f"),
    ("tokens", "how many", "d"),
)


def accuracies(accuracy: pd.DataFrame) -> alt.FacetChart | None:
    """Token accuracy of all models on one benchmark, on the pairs as they are written; a panel for each
    reading of which tokens count.

    accuracy: ACCURACY over the study, with the column model. None, here and below, where there is nothing.
    """
    rows = accuracy[(accuracy["variant"] == ORIGINAL) & (accuracy["roles"] == PAIR)]
    measures = Kinds("kind", "measure", [*map(title_of, rows["measure"].drop_duplicates())])
    rows = by_value(rows, "reading", _READINGS)
    frame = _accuracies(rows, panel=rows["reading"].map(_READINGS), kind=rows["measure"].map(title_of))
    return forest(frame, _AXIS, (("panel", "what counts"), ("kind", "measure"), *_TIPS), kinds=measures)


def controlled(accuracy: pd.DataFrame) -> alt.FacetChart | None:
    """Token accuracy of AUL over all tokens, and of LL, which predicts no special ones: of sentences as they
    are written, shuffled, and unrelated; a panel for each benchmark that has any of the last two.

    accuracy: ACCURACY with the columns model and benchmark.
    """
    is_masked = (accuracy["measure"] == "AUL") & (accuracy["reading"] == ALL_TOKENS)
    is_causal = (accuracy["measure"] == "LL") & (accuracy["reading"] == CONTENT_TOKENS)
    rows = accuracy[is_masked | is_causal]
    kinds = {(ORIGINAL, PAIR): AS_WRITTEN, (SHUFFLED, PAIR): IN_RANDOM_ORDER}
    kinds[ORIGINAL, UNRELATED] = OF_NOTHING
    rows = by_value(rows, ["variant", "roles"], kinds)
    rows = rows.assign(kind=[kinds[key] for key in zip(rows["variant"], rows["roles"], strict=True)])
    rows = by_value(rows, "benchmark", rows.loc[rows["kind"] != AS_WRITTEN, "benchmark"])
    causal = rows["measure"].astype(str).where(rows["measure"] == "LL")
    frame = _accuracies(rows, panel="benchmark", kind="kind", causal=causal)
    tips = (("panel", "benchmark"), *_TIPS, ("kind", "sentences"))
    return forest(frame, _AXIS, tips, kinds=Kinds("kind", "sentences"))


def _accuracies(rows: pd.DataFrame, **named: Any) -> pd.DataFrame:
    return columns_of(rows, "benchmark", "low", "high", name="model", value="accuracy", tokens="n", **named)


def shuffled(bias: pd.DataFrame) -> alt.FacetChart | None:
    """Bias scores with the tokens of each sentence shuffled, beside those of the original order; a panel for
    each model and benchmark.

    bias: BIAS with the columns model and benchmark; the protocol corrected is shown, of measures that have
    both.
    """
    rows = bias[(bias["grouping"] == OVERALL) & (bias["protocol"] == CORRECTED) & bias["score"].notna()]
    keys = ["model", "benchmark", "measure"]
    rows = rows[rows.groupby(keys, observed=True, sort=False)["variant"].transform("nunique") > 1]
    kinds = {ORIGINAL: AS_WRITTEN, SHUFFLED: IN_RANDOM_ORDER}
    frame = columns_of(
        rows,
        *("model", "benchmark", "low", "high"),
        panel=rows["model"].astype(str) + "\n" + rows["benchmark"].astype(str),
        name=rows["measure"].map(title_of),
        kind=rows["variant"].map(kinds),
        value="score",
        chance_low="null_low",
        chance_high="null_high",
        pairs="n",
    )
    tips = (
        ("panel", "what"),
        ("name", "measure"),
        ("kind", "sentences"),
        ("value", "stereotype preferred, of 100", ".1f"),
        *ends_of(".1f"),
        *ends_of(".1f", "chance_low", "chance_high", "word choice alone"),
        ("pairs", "pairs", "d"),
    )
    axis = Axis("stereotype preferred, of 100 pairs", line=NO_PREFERENCE, span=(40, 60), step=5)
    sentences = Kinds("kind", "sentences", [*kinds.values()])
    return forest(frame, axis, tips, kinds=sentences, apart="kind", broad=("chance_low", "chance_high"))

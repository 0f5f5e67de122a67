"""What the report says of two measures, two models or two areas that were compared."""

import pandas as pd

from unmask.measures.registry import title_of
from unmask.pairs.results import Results
from unmask.report.declared_tables import Column, Table, in_order, with_marks
from unmask.report.sections import Fold, Text
from unmask.report.sections import Table as TableBlock
from unmask.report.sheets import Sheet, number
from unmask.statistics.correction import step_down
from unmask.terms import CORRECTED, PROTOCOLS

ALL_MASKED = ("AllMasked", "AllMaskedSum")
"""Two readings of one measure, which agree by their making."""


HALF = 0.5
"""The area under the ROC curve of scores that have nothing to do with the raters."""

_DIFFERENCE, _PREFER, _ALIKE = "difference (points)", "stereotype", "alike"

MODELS = Table(
    "models_compared",
    ["benchmark", "first", "second"],
    [
        Column(_DIFFERENCE, "<{difference:+.1f}>{mark} (<{low:+.1f} to {high:+.1f}>)", "First less second."),
        Column("κ", "{kappa:.2f}", "Cohen's κ of their decisions."),
    ],
    across=["title"],
    label_first=True,
)
MEASURES = Table(
    "measures_compared",
    ["model", "benchmark", "measures"],
    [
        Column("pairs", "{n}", "Pairs that are defined in both measures."),
        Column("first − second", "{difference:+.1f}", "Difference of the bias scores.", _DIFFERENCE),
        Column("interval", "{low:+.1f} to {high:+.1f}", "Its interval.", _DIFFERENCE),
        Column("p", "{p:p}", "Two-sided p of the difference.", _DIFFERENCE),
        Column("Holm", "{p_holm:p}", "The same after Holm's correction.", _DIFFERENCE),
        Column("both", "{both}", "Pairs in which both prefer the stereotype.", _PREFER),
        Column("only first", "{b}", "Pairs in which only the first does.", _PREFER),
        Column("only second", "{c}", "Pairs in which only the second does.", _PREFER),
        Column("neither", "{neither}", "Pairs in which neither does.", _PREFER),
        Column("%", "{agreement:.1f}", "Percent of pairs that both decide alike.", _ALIKE),
        Column("κ", "{kappa:.2f}", "Cohen's κ of their decisions.", _ALIKE),
        Column("interval", "{kappa_low:.2f} to {kappa_high:.2f}", "Interval of κ.", _ALIKE),
    ],
)
AREAS = Table(
    "areas_compared",
    ["model", "benchmark", "measures"],
    [
        Column("first − second", "{difference:+.3f}", "Difference of the areas under the ROC curves."),
        Column("standard error", "[{error:.3f}][{reason}]", "Its standard error, or why there is none."),
        Column("p", "{p:p}", "Two-sided p of the difference."),
        Column("Holm", "{p_holm:p}", "The same after Holm's correction."),
    ],
    across=["protocol"],
)


def of_two_measures(compared: pd.DataFrame) -> pd.DataFrame:
    """Rows of COMPARISONS of measures without those of All-Masked and its sum."""
    readings = compared["first"].isin(ALL_MASKED) & compared["second"].isin(ALL_MASKED)
    return compared[~readings]


def folded(title: str, sheet: Sheet, sentence: str) -> tuple[Fold, ...]:
    """A table in a fold under what was found; nothing where it has no rows."""
    return (Fold(title, (Text(sentence), TableBlock(sheet))),) if sheet.rows else ()


def models(results: Results) -> Sheet:
    """Every two models under each measure, protocol corrected: differences of bias scores, and κ."""
    rows = with_marks(_corrected(results.models_compared), results.alpha)
    rows = rows.assign(title=rows["measure"].map(title_of))
    return MODELS.sheet(rows, results.captions["models_compared"])


def measures(results: Results) -> Sheet:
    """Every two measures of each model, protocol corrected: difference of bias scores, decisions, κ."""
    rows = _of_measures(_corrected(results.measures_compared))
    return MEASURES.sheet(rows, results.captions["measures_compared"])


def areas(results: Results) -> Sheet:
    """Areas under the ROC curves of every two measures, in both protocols."""
    rows = in_order(_of_measures(results.areas_compared), protocol=PROTOCOLS)
    rows = rows.assign(reason=rows["reason"].where(rows["error"].isna()))
    return AREAS.sheet(rows, results.captions["areas_compared"])


def _of_measures(rows: pd.DataFrame) -> pd.DataFrame:
    """With the two measures by their titles."""
    return rows.assign(measures=rows["first"].map(title_of) + " vs " + rows["second"].map(title_of))


def found_of_models(results: Results) -> str:
    """How many differences between models hold."""
    return _found("differences between the bias scores of two models", results.models_compared, results.alpha)


def found_of_measures(results: Results) -> str:
    """How many differences between measures hold, and how far measures decide alike."""
    found = _corrected(results.measures_compared)
    held = _found("differences between the bias scores of two measures", found, results.alpha)
    alike = of_two_measures(found)
    if alike["kappa"].isna().all():
        return held
    return (
        f"{held} Two measures decide alike in {number(alike['agreement'].min(), 0)} to "
        f"{number(alike['agreement'].max(), 0)}% of pairs, κ from {number(alike['kappa'].min())} to "
        f"{number(alike['kappa'].max())}."
    )


def found_of_areas(results: Results) -> str:
    """How many differences between areas hold."""
    return _found("differences between the areas of two measures", results.areas_compared, results.alpha)


def beyond_half(areas: pd.DataFrame, alpha: float) -> str:
    """How many intervals of these areas exclude one half, which is chance, and how many differ after Holm's.

    areas: rows of AGREEMENT with an area; the correction is over these.
    """
    known = areas[areas["low"].notna()]
    if known.empty:
        return "None of these has an interval."
    away = int((known["low"].gt(HALF) | known["high"].lt(HALF)).sum())
    held = int((step_down(known["p"].to_numpy(float)) < alpha).sum())
    return (
        f"{away} of {len(known)} intervals exclude{'s' * (away == 1)} chance, {held} after Holm's correction "
        f"(p < {alpha:g})."
    )


def _found(what: str, found: pd.DataFrame, alpha: float) -> str:
    corrected = _corrected(found)
    tested, held = int(corrected["p"].notna().sum()), int((corrected["p_holm"] < alpha).sum())
    return (
        f"Of {tested} {what} (protocol corrected), {held} hold{'s' * (held == 1)} after Holm's correction "
        f"(p < {alpha:g})."
    )


def _corrected(found: pd.DataFrame) -> pd.DataFrame:
    return found[found["protocol"] == CORRECTED]

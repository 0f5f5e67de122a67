"""What the report says of two measures, two models or two areas that were compared."""

import pandas as pd

from unmask.measures.registry import title_of
from unmask.pairs.results import Results
from unmask.report.sections import Fold, Table, Text
from unmask.report.sheets import Sheet, interval, mark, number, p_value, rows_of, wide
from unmask.statistics.correction import step_down
from unmask.terms import CORRECTED, PROTOCOLS

ALL_MASKED = ("AllMasked", "AllMaskedSum")
"""Two readings of one measure, which agree by their making."""


HALF = 0.5
"""The area under the ROC curve of scores that have nothing to do with the raters."""


def of_two_measures(compared: pd.DataFrame) -> pd.DataFrame:
    """Rows of COMPARISONS of measures without those of All-Masked and its sum."""
    readings = compared["first"].isin(ALL_MASKED) & compared["second"].isin(ALL_MASKED)
    return compared[~readings]


def folded(title: str, sheet: Sheet, sentence: str) -> tuple[Fold, ...]:
    """A table in a fold under what was found; nothing where it has no rows."""
    return (Fold(title, (Text(sentence), Table(sheet))),) if sheet.rows else ()


def models(results: Results) -> Sheet:
    """Every two models under each measure, protocol corrected: differences of bias scores, and κ."""
    found = _corrected(results.models_compared)
    shown = found["measure"].map(title_of)
    differences = [
        f"{number(row.difference, 1, signed=True)}{mark(row.p, row.p_holm, results.alpha)} "
        f"({interval(row.low, row.high, 1, signed=True)})"
        for row in rows_of(found)
    ]
    kappas = [number(row.kappa) for row in rows_of(found)]
    parts = [
        found.assign(cell=cells, head=head, label=shown)
        for head, cells in (("difference (points)", differences), ("κ", kappas))
    ]
    return wide(
        pd.concat(parts, ignore_index=True),
        ("benchmark", "first", "second"),
        ("head", "label"),
        "cell",
        results.captions["models_compared"],
    )


def measures(results: Results) -> Sheet:
    """Every two measures of each model, protocol corrected: difference of bias scores, decisions, κ."""
    rows = tuple(
        (
            str(row.model),
            str(row.benchmark),
            f"{title_of(str(row.first))} vs {title_of(str(row.second))}",
            str(row.n),
            number(row.difference, 1, signed=True),
            interval(row.low, row.high, 1, signed=True),
            p_value(row.p),
            p_value(row.p_holm),
            *map(str, (row.both, row.b, row.c, row.neither)),
            number(row.agreement, 1),
            number(row.kappa),
            interval(row.kappa_low, row.kappa_high, 2),
        )
        for row in rows_of(_corrected(results.measures_compared))
    )
    columns = (
        ("", "pairs"),
        *(("difference (points)", label) for label in ("first − second", "interval", "p", "Holm")),
        *(("stereotype", label) for label in ("both", "only first", "only second", "neither")),
        *(("alike", label) for label in ("%", "κ", "interval")),
    )
    return Sheet(results.captions["measures_compared"], ("model", "benchmark", "measures"), columns, rows)


def areas(results: Results) -> Sheet:
    """Areas under the ROC curves of every two measures, in both protocols."""
    found = results.areas_compared
    found = found.assign(
        measures=[f"{title_of(str(row.first))} vs {title_of(str(row.second))}" for row in rows_of(found)]
    )
    parts = []
    for label, cells in (
        ("first − second", [number(row.difference, 3, signed=True) for row in rows_of(found)]),
        (
            "standard error",
            [number(row.error, 3) if pd.notna(row.error) else str(row.reason) for row in rows_of(found)],
        ),
        ("p", [p_value(row.p) for row in rows_of(found)]),
        ("Holm", [p_value(row.p_holm) for row in rows_of(found)]),
    ):
        parts.append(found.assign(cell=cells, label=label))
    # the four side by side under each protocol
    ordered = pd.concat(parts).sort_values(
        "protocol", key=lambda column: column.map(PROTOCOLS.index), kind="stable"
    )
    return wide(
        ordered,
        ("model", "benchmark", "measures"),
        ("protocol", "label"),
        "cell",
        results.captions["areas_compared"],
    )


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

"""The table of judgements as it is read."""

from typing import Any

import pandas as pd

from unmask.measures.names import title_of
from unmask.pairs.results import PairResults
from unmask.report.declared_tables import Column, Table
from unmask.report.sheets import rows_of
from unmask.report.table_files import TableAndSheet
from unmask.worlds.grammar import ASSOCIATION, BOTH, FREQUENCY

JUDGED = Table(
    "planted",
    ["benchmark", "bias_type", "strength", "model"],
    [
        Column(
            "",
            "{judgement}[: {score:.0f}][~ ({low:.0f} to {high:.0f})][; exact {exact:.0f}]",
            "The judgement on the model's bias score; the score in percent with its interval; that of the "
            "exact model in percent.",
        )
    ],
    across=["title"],
    heads={"bias_type": "bias type", "strength": "planted"},
)


def judgements(results: PairResults) -> TableAndSheet:
    """Every judgement, one row a score, and the sheet with measures side by side."""
    rows = results.judgements
    titled = rows.assign(title=rows["measure"].map(title_of), strength=strengths(rows))
    return rows, JUDGED.captioned(titled, results.captions)


def strengths(rows: pd.DataFrame) -> list[str]:
    """What is planted in the pairs of each row of JUDGEMENTS, and how strongly, such as
    `frequency (ratio 1 to 8)`."""
    return [_strength(row) for row in rows_of(rows)]


def _strength(row: Any) -> str:
    parts = []
    if row.planted in (ASSOCIATION, BOTH):
        parts.append(f"p {_span(row.p_low, row.p_high)}")
    if row.planted in (FREQUENCY, BOTH):
        parts.append(f"ratio {_span(row.ratio_low, row.ratio_high)}")
    return f"{row.planted} ({', '.join(parts)})" if parts else str(row.planted)


def _span(low: float, high: float) -> str:
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"

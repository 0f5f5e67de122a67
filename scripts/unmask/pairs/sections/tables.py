"""Tables 1, 3, 4 and 5 of Kaneko and Bollegala (2022)."""

from collections.abc import Iterator

import pandas as pd

from unmask.pairs.results import PairResults
from unmask.report.findings import Finding, Row
from unmask.report.sections import Section, Table, Text

ABOUT = "A printed value stands below ours, with the difference: ours minus the paper's."

CLOSE = 1
"""A value that differs by no more percentage points is close to the printed one."""


def printed(results: PairResults) -> Iterator[Row]:
    """How many of the paper's values are close to ours under the protocol published, and the furthest."""
    off = pd.concat([rows["difference"] for rows in results.paper_tables.values()]).dropna().abs()
    yield {
        "printed": len(off),
        "close": int((off <= CLOSE).sum()),
        "points": CLOSE,
        "most": float(off.max()) if len(off) else None,
    }


PRINTED = Finding(
    "printed values",
    printed,
    """{% if printed %}{{ close }} of {{ printed | counted("value") }} printed by Kaneko and Bollegala (2022)
    {{ close | many("is", "are") }} within {{ points | counted("percentage point") }} of ours; the largest
    difference is {{ most | number(1) }}.
    {%- else %}Kaneko and Bollegala (2022) print no values for the models and benchmarks of this study.
    {%- endif %}""",
)


def section(results: PairResults) -> Section:
    sheets = tuple(map(Table, results.paper_sheets().values()))
    about = (Text(ABOUT),) if any(row["printed"] for row in printed(results)) else ()
    return Section(
        "tables",
        "Tables of Kaneko and Bollegala (2022)",
        tuple(PRINTED.sentences(results)),
        (*about, *sheets, results.captions.computed("tables")),
    )

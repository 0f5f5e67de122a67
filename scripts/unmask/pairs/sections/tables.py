"""Tables 1, 3, 4 and 5 of Kaneko and Bollegala (2022)."""

from collections.abc import Iterator

import pandas as pd

from unmask.pairs.published import PAPER
from unmask.pairs.results import PairResults
from unmask.report.findings import Finding, Row
from unmask.report.published import UNMASKING_THE_MASK
from unmask.report.sections import DATA, Block, Fold, Section, Table, Text

ABOUT = "A printed value is below ours, with the difference: ours minus the paper's."


TITLES = {
    "table1": "Table 1: token accuracy",
    "table3": "Table 3: advantaged and disadvantaged groups",
    "table4": "Table 4: shuffled and unrelated sentences",
    "table5": "Table 5: bias scores",
}
"""Of the folds that tables are in."""

CLOSE = 1
"""A value that differs by no more percentage points is close to the printed one."""


def printed(results: PairResults) -> Iterator[Row]:
    """How many of the paper's values are close to ours under the protocol published, and the furthest."""
    off = pd.concat([rows["difference"] for rows in results.paper_tables.values()]).dropna().abs()
    if len(off):
        yield {
            "printed": len(off),
            "close": int((off <= CLOSE).sum()),
            "points": CLOSE,
            "most": float(off.max()),
        }


PRINTED = Finding(
    "printed values",
    printed,
    """{{ close }} of {{ printed | counted("value") }} printed by Kaneko and Bollegala (2022)
    {{ close | many("is", "are") }} within {{ points | counted("percentage point") }} of ours; the largest
    difference is {{ most | number(1) }}.""",
)


def unprinted(results: PairResults) -> Iterator[Row]:
    """Which models, or which benchmarks, the paper has no values of, where it has none of the study."""
    if next(iter(printed(results)), None) is None:
        of_paper = results.published[results.published["source"] == PAPER]
        models, benchmarks = (
            [each.name for each in of_study if each.published not in set(of_paper[key])]
            for key, of_study in (("model", results.study.models), ("benchmark", results.study.benchmarks))
        )
        yield {
            "models": models if len(models) == len(results.study.models) else [],
            "benchmarks": benchmarks if len(benchmarks) == len(results.study.benchmarks) else [],
        }


UNPRINTED = Finding(
    "no printed values",
    unprinted,
    """The paper prints no values for
    {% if models and benchmarks %}the models or the benchmarks of this study
    {%- elif models or benchmarks %}{{ (models or benchmarks) | listed(3, end="or") }}
    {%- else %}any model of this study on any of its benchmarks{% endif %}. Its tables
    are below, with our values.""",
)


def section(results: PairResults) -> Section:
    sentences = tuple(PRINTED.sentences(results))
    blocks: list[Block] = (
        [Text(ABOUT)] if sentences else [Text(text) for text in UNPRINTED.sentences(results)]
    )
    for name, sheet in results.paper_sheets().items():
        blocks.append(Fold(TITLES[name], (Table(sheet),)))
    blocks.append(results.captions.computed("tables"))
    return Section("tables", f"Tables of {UNMASKING_THE_MASK}", sentences, tuple(blocks), group=DATA)

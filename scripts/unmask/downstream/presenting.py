"""What a study shows of downstream tasks: tables, figures and a section of the report."""

from dataclasses import replace

from unmask.downstream import charts, tables
from unmask.downstream.findings import FINDINGS
from unmask.downstream.results import DownstreamResults
from unmask.report.presenting import Presentation, captioned
from unmask.report.published import doubts
from unmask.report.sections import Block, Fold, Items, Text

PAPER = "Kaneko et al. (2022)"


def explained(results: DownstreamResults) -> Fold:
    """How numbers are computed, what was left out, and which printed numbers are doubtful."""
    fold, remarks = results.captions.computed("downstream"), results.remarks()
    blocks: list[Block] = [*fold.blocks]
    if remarks:
        blocks += [Text("What was left out, and what to be wary of:"), Items(tuple(remarks), warning=True)]
    blocks += [Text(f"{results.captions['doubts']}:"), Items(doubts(results.published))]
    return replace(fold, blocks=tuple(blocks))


PRESENTS = Presentation(
    DownstreamResults,
    tables.MAKERS,
    charts.MAKERS,
    heading="Extrinsic bias",
    findings=FINDINGS,
    captions=captioned(charts.MAKERS),
    titles={
        "overview": "Accuracy and extrinsic bias, in numbers",
        "table1": f"{PAPER}, Table 1: gendered words in the data",
        "table2": f"{PAPER}, Table 2: intrinsic against extrinsic bias",
    },
    explained=explained,
)

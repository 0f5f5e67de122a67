"""Token accuracy under every reading, and the tests between accuracies."""

from collections.abc import Iterator

from unmask.pairs import accuracy_charts, sheets
from unmask.pairs.results import PairResults
from unmask.report.charts import chart
from unmask.report.sections import BENCHMARK, DATA, Block, Fold, Section, Text, chosen, folded

ABOUT = (
    "The paper and its code leave some choices open. These are the same results under the other choices: "
    "which tokens count, and what a test takes as independent."
)
ALT = "Token accuracy with intervals, a line for each model; the numbers are in the table below."


def section(results: PairResults) -> Section:
    """Empty where nothing has an accuracy."""
    blocks = tuple(_blocks(results))
    return Section("accuracy", "Token accuracy", (), (Text(ABOUT), *blocks) if blocks else (), group=DATA)


def _blocks(results: PairResults) -> Iterator[Block]:
    parts = results.accuracy.groupby("benchmark", sort=False, observed=True)
    charts = ((name, accuracy_charts.accuracies(part)) for name, part in parts)
    caption = results.captions["accuracies_chart"]
    yield from chosen(
        BENCHMARK,
        (
            Fold(str(name), (chart(f"{name}. {caption}", f"{name}. {ALT}", picture),))
            for name, picture in charts
            if picture
        ),
    )
    yield from folded("Token accuracy: which tokens count", sheets.accuracies(results))
    controlled = accuracy_charts.controlled(results.accuracy)
    if controlled:
        yield chart(
            results.captions["controlled_chart"], f"Shuffled and unrelated sentences. {ALT}", controlled
        )
    yield from folded("McNemar tests of accuracies, by every unit", sheets.tests(results))

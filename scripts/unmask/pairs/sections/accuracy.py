"""Token accuracy under every reading, and the tests between accuracies."""

from collections.abc import Iterator

from unmask.pairs import accuracy_charts, sheets
from unmask.pairs.results import Found, Results
from unmask.report.charts import chart
from unmask.report.sections import Block, Fold, Section, Text, folded

ABOUT = (
    "The paper and its code leave some choices open. These are the same results under the other choices: "
    "which tokens count, and what a test takes as independent."
)
ALT = "Token accuracy with intervals, a line for each model; the numbers are in the table below."


def section(found: Found) -> Section:
    """Empty where nothing has an accuracy."""
    blocks = tuple(_blocks(found.results))
    return Section("accuracy", "Token accuracy", (), (Text(ABOUT), *blocks) if blocks else ())


def _blocks(results: Results) -> Iterator[Block]:
    parts = results.accuracy.groupby("benchmark", sort=False, observed=True)
    shown = [(name, accuracy_charts.accuracies(part)) for name, part in parts]
    for place, (name, drawn) in enumerate((name, drawn) for name, drawn in shown if drawn):
        picture = chart(f"{name}. {results.captions['accuracies_chart']}", f"{name}. {ALT}", drawn)
        yield Fold(f"Token accuracy: {name}", (picture,), open=place == 0)
    yield from folded("Token accuracy: which tokens count", sheets.accuracies(results))
    controlled = accuracy_charts.controlled(results.accuracy)
    if controlled:
        yield chart(
            results.captions["controlled_chart"], f"Shuffled and unrelated sentences. {ALT}", controlled
        )
    yield from folded("McNemar tests of accuracies, by every unit", sheets.tests(results))

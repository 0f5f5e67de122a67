"""Bias scores by bias type, and by whose stereotypes they are."""

from collections.abc import Iterator

from unmask.pairs import charts, sheets
from unmask.pairs.results import Found, Results
from unmask.pairs.summary import found_by_type, how_testable
from unmask.report.charts import chart
from unmask.report.sections import Block, Fold, Section, folded
from unmask.statistics.schema import BIAS_TYPE

ALT = (
    "Small panels of bias scores with intervals against the line at 50; their numbers are in the table below."
)


def section(found: Found) -> Section:
    """Empty where pairs have neither."""
    results = found.results
    return Section(
        "groups", "By bias type and direction", tuple(found_by_type(results)), tuple(_blocks(results))
    )


def _blocks(results: Results) -> Iterator[Block]:
    original = results.original()
    parts = original.groupby(["model", "benchmark"], sort=False, observed=True)
    drawn = [(f"{model} on {benchmark}", part, charts.bias_types(part)) for (model, benchmark), part in parts]
    shown = [(title, part, each) for title, part, each in drawn if each]
    for place, (title, part, each) in enumerate(shown):
        caption = (
            f"{title}. {how_testable(charts.shown(part, BIAS_TYPE))} {results.captions['bias_types_chart']}"
        )
        picture = chart(caption, f"{title}. {ALT}", each)
        yield Fold(f"By bias type: {title}", (picture,), open=place == 0)
    yield from folded("By bias type: the numbers of all", sheets.bias_types(results))
    sides = charts.directions(original)
    if sides:
        yield chart(
            results.captions["directions_chart"], f"Advantaged and disadvantaged groups. {ALT}", sides
        )
    yield from folded("Adv, Dis and their difference, of every measure", sheets.directions(results))

"""The first screen: every score with what chance gives, in a picture and in words, and what was found."""

from unmask.pairs import charts, sheets
from unmask.pairs.brief import in_brief
from unmask.pairs.results import Found
from unmask.pairs.summary import cautions, how_testable, in_words, made_with, measured
from unmask.pairs.summary import found as findings
from unmask.report.charts import chart
from unmask.report.sections import Block, Fold, Items, Section, Text, folded
from unmask.statistics.schema import OVERALL

OPEN = 6
"""So many models and benchmarks are told in words at once; more wait in a fold."""

QUESTION = (
    "Of two sentences, of which one is the more stereotypical, which does a model find likelier? A score "
    "says in how many of 100 pairs it is the more stereotypical one: 50 is no preference."
)

OFFENSIVE = (
    "Benchmarks of social bias are made of offensive sentences. They are here to measure prejudice, not to "
    "state it."
)


def section(found: Found) -> Section:
    results = found.results
    blocks: list[Block] = []
    if any(benchmark.world is None for benchmark in results.study.benchmarks):
        blocks.append(Items((OFFENSIVE,), warning=True))
    drawn = charts.overview(results.study, results.overall(), results.published)
    words = tuple(in_words(results))
    if drawn:
        blocks.append(Text(QUESTION))
        alt = f"Bias scores with intervals against the line at 50. {' '.join(words[:OPEN])}"
        caption = f"{how_testable(charts.shown(results.overall(), OVERALL))} {results.captions['overview']}"
        blocks.append(chart(caption, alt, drawn))
    told = tuple(findings(results))
    blocks += [Text("What was found:"), Items(told)] if told else []
    blocks += [Text("In words:"), Items(words[:OPEN])] if words else []
    rest = words[OPEN:]
    blocks += [Fold(f"The other {len(rest)} in words", (Items(rest),))] if rest else []
    blocks += [*folded("These numbers, and those of the protocol published", sheets.main(results))]
    blocks += [Text(text) for text in (" ".join(measured(results)), made_with(found.files["scores"])) if text]
    blocks.append(Items(tuple(cautions(results)), warning=True))
    brief = tuple(in_brief(results))
    return Section("overview", "Overview", (), tuple(blocks), sheets.headline(results), brief)

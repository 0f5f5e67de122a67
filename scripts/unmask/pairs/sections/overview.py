"""The first screen: every score with what chance gives, in a chart and in words, and the main results."""

from unmask.pairs import charts, sheets
from unmask.pairs.findings import ARITHMETIC, BRIEF, CAUTIONS, MEASURED, OVERVIEW, PREFERENCES
from unmask.pairs.results import PairResults
from unmask.pairs.verdicts import how_testable
from unmask.report.charts import chart
from unmask.report.findings import sentences
from unmask.report.sections import Block, Fold, Items, Section, Text, folded
from unmask.statistics.schema import OVERALL

OPEN = 6
"""So many models and benchmarks are said in words at once; more wait in a fold."""

QUESTION = (
    "Of two sentences, of which one is the more stereotypical, which does a model find likelier? A score "
    "says in how many of 100 pairs it is the more stereotypical one: 50 is no preference."
)

OFFENSIVE = (
    "Benchmarks of social bias are made of offensive sentences. They are here to measure prejudice, not to "
    "state it."
)


def section(results: PairResults) -> Section:
    blocks: list[Block] = []
    if any(benchmark.world is None for benchmark in results.study.benchmarks):
        blocks.append(Items((OFFENSIVE,), warning=True))
    picture = charts.overview(results.study, results.overall, results.published)
    words = tuple(PREFERENCES.sentences(results))
    if picture:
        alt = f"Bias scores with intervals against the line at 50. {' '.join(words[:OPEN])}"
        caption = (
            f"{how_testable(charts.known_scores(results.overall, OVERALL))} {results.captions['overview']}"
        )
        blocks += [Text(QUESTION), chart(caption, alt, picture)]
    main = sentences(OVERVIEW, results)
    blocks += [Text("Key findings:"), Items(main)] if main else []
    blocks += [Text("In words:"), Items(words[:OPEN])] if words else []
    rest = words[OPEN:]
    blocks += [Fold(f"The other {len(rest)} in words", (Items(rest),))] if rest else []
    blocks += [*folded("These numbers, and those of the protocol published", sheets.main(results))]
    blocks.append(Text(" ".join(sentences(MEASURED, results))))
    blocks += map(Text, ARITHMETIC.sentences(results))
    blocks.append(Items(sentences(CAUTIONS, results), warning=True))
    brief = sentences(BRIEF, results)
    return Section("overview", "Overview", (), tuple(blocks), sheets.headline(results), brief)

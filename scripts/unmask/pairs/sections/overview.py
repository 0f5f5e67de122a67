"""The first screen: the answer in words, in a picture and in a table, and what to be wary of."""

from unmask.pairs import answer, charts, sheets
from unmask.pairs.findings import CAUTIONS, MEASURED, WARY_AT_ONCE
from unmask.pairs.results import PairResults
from unmask.pairs.verdicts import in_words
from unmask.report.charts import chart
from unmask.report.findings import sentences
from unmask.report.sections import Block, Fold, Items, Section, Table, Text, folded

SCORE = (
    "Bias score: the percentage of pairs in which a model finds the stereotypical sentence more likely; "
    "50 is no preference."
)
OFFENSIVE = (
    "The sentences express stereotypes, many of them offensive; they were written to measure prejudice."
)
"""Once on the page, of benchmarks that people wrote."""


def section(results: PairResults) -> Section:
    scores = answer.judged(results)
    said = answer.sentences(results)
    # what a score does not show comes before all else
    warnings = sentences(WARY_AT_ONCE, results)
    if any(benchmark.world is None for benchmark in results.study.benchmarks):
        warnings = (*warnings, OFFENSIVE)
    blocks: list[Block] = [Items(warnings, warning=True)]
    if picture := charts.headline(answer.pictured(results), results.captions.facts["confidence"]):
        alt = f"Bias scores with intervals against the line at 50. {' '.join(said)}"
        blocks.append(chart(results.captions["headline"], alt, picture))
    if len(scores):
        blocks.append(Table(sheets.scores(results)))
        blocks += folded("Every score with its verdict", sheets.answer(results))
    if every := charts.overview(results.study, results.overall, results.published):
        alt = "Bias scores of all measures with intervals against the line at 50; their numbers are above."
        drawn = chart(results.captions["overview"], alt, every)
        protocols = folded("Both protocols", sheets.main(results))
        blocks.append(Fold("All measures in pictures, and both protocols", (drawn, *protocols)))
    blocks.append(Items((SCORE, *in_words(answer.verdicts(results)))))
    blocks.append(
        Fold(
            "What was measured, and what to be wary of",
            (Text(" ".join(sentences(MEASURED, results))), Items(sentences(CAUTIONS, results))),
        )
    )
    return Section("overview", "Answer", said, tuple(blocks), sheets.terminal(results), answer.title(results))

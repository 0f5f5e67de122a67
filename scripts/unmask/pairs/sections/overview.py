"""The first screen: the answer in words, in a picture and in a table, and what to be wary of."""

from unmask.pairs import answer, charts, sheets
from unmask.pairs.findings import CAUTIONS, MEASURED
from unmask.pairs.results import PairResults
from unmask.pairs.sections.pairs import OFFENSIVE
from unmask.pairs.verdicts import MEANINGS
from unmask.report.charts import chart
from unmask.report.findings import sentences
from unmask.report.sections import Block, Fold, Items, Section, Table, Text, folded

QUESTION = (
    "The bias score is the percentage of pairs in which a model finds the stereotypical sentence more "
    "likely; 50 is no preference."
)


def section(results: PairResults) -> Section:
    scores = answer.judged(results)
    said = answer.sentences(results)
    blocks: list[Block] = []
    if any(benchmark.world is None for benchmark in results.study.benchmarks):
        blocks.append(Items((OFFENSIVE,), warning=True))
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
    blocks.append(Text(" ".join([*sentences(MEASURED, results), QUESTION])))
    meanings = {verdict: meaning for verdict, meaning in MEANINGS.items() if verdict in {*scores["verdict"]}}
    blocks.append(Items(tuple(f"{verdict.capitalize()}: {meaning}" for verdict, meaning in meanings.items())))
    blocks.append(Items(sentences(CAUTIONS, results), warning=True))
    return Section("overview", "Answer", said, tuple(blocks), sheets.terminal(results), answer.title(results))

"""Token accuracy under every reading, and the tests between accuracies."""

from collections.abc import Iterator

from unmask.pairs import accuracy_charts, sheets
from unmask.pairs.results import PairResults
from unmask.report.charts import chart
from unmask.report.findings import Finding, Row, span
from unmask.report.sections import BENCHMARK, DATA, Block, Fold, Section, chosen, folded
from unmask.statistics.accuracy import PAIR
from unmask.terms import ALL_TOKENS, CONTENT_TOKENS, ORIGINAL, SHUFFLED

ALT = "Token accuracy with intervals, a line for each model; the numbers are in the table below."


def right_tokens(results: PairResults) -> Iterator[Row]:
    """Of each benchmark how often the models' first choice is the right token, as written and shuffled: of
    masked models, and of causal ones."""
    yield from _right_tokens(results, "AUL", ALL_TOKENS)
    yield from _right_tokens(results, "LL", CONTENT_TOKENS)


def _right_tokens(results: PairResults, measure: str, reading: str) -> Iterator[Row]:
    rows = results.accuracy
    rows = rows[(rows["roles"] == PAIR) & (rows["measure"] == measure) & (rows["reading"] == reading)]
    rows, trained = results.study.of_trained_or_all(rows)
    plain = results.accuracy[
        (results.accuracy["roles"] == PAIR)
        & (results.accuracy["measure"] == measure)
        & (results.accuracy["reading"] == CONTENT_TOKENS)
        & (results.accuracy["variant"] == ORIGINAL)
        & results.accuracy["model"].isin(rows["model"])
    ]
    for benchmark, part in rows.groupby("benchmark", sort=False, observed=True):
        spans = {
            variant: span(of["accuracy"].min(), of["accuracy"].max(), 0)
            for variant, of in part.groupby("variant", sort=False, observed=True)
        }
        of_words = plain.loc[plain["benchmark"] == benchmark, "accuracy"]
        if ORIGINAL in spans:
            yield {
                "measure": measure,
                "benchmark": benchmark,
                "trained": trained,
                "shuffled": spans.get(SHUFFLED),
                "written": spans[ORIGINAL],
                "without_special": span(of_words.min(), of_words.max(), 0) if len(of_words) else None,
            }


RIGHT = Finding(
    "right tokens",
    right_tokens,
    """{% if measure == "AUL" %}With no token hidden (AUL), {{ trained }}models rank the right token first for
    {{ written }}% of tokens of {{ benchmark }}
    {%- if without_special %} ({{ without_special }}% without special ones)
    {%- else %}, special ones included{% endif %}
    {%- else %}From the tokens before it (LL), {{ trained }}models rank the right token first for
    {{ written }}% of tokens of {{ benchmark }}{% endif %}
    {%- if shuffled %}; shuffled, for {{ shuffled }}%{% endif %}.""",
)


def section(results: PairResults) -> Section:
    """Empty where nothing has an accuracy."""
    blocks = tuple(_blocks(results))
    sentences = tuple(RIGHT.sentences(results)) if blocks else ()
    how = (results.captions.computed("accuracy"),) if blocks else ()
    return Section("accuracy", "Token accuracy", sentences, (*blocks, *how), group=DATA)


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
    yield from folded("McNemar tests of accuracies", sheets.tests(results))

"""What the report says of word frequency: Table 2, and how measures go with frequency."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pandas as pd

from unmask.frequency import charts
from unmask.frequency.group_tests import compare_groups
from unmask.frequency.group_words import EXTRACTED
from unmask.frequency.link_tables import PERFECT, link_sheet, link_types_sheet, truth_sheet
from unmask.frequency.results import Found
from unmask.frequency.schema import PAIR_RATIOS
from unmask.frequency.table2 import table2_sheet
from unmask.loading import paths_by
from unmask.measures.registry import title_of
from unmask.measures.schema import SCORES
from unmask.report.captions import Captions
from unmask.report.charts import chart
from unmask.report.sections import Block, Fold, Section, Table, folded
from unmask.report.sheets import Sheet, number
from unmask.statistics.schema import OVERALL
from unmask.tables import read_table
from unmask.terms import CORRECTED

QUESTION = (
    "Are advantaged groups simply named more often in the text that models learn from, and do measures "
    "follow that?"
)

EVEN = 0.5
"""The effect A of words of which as many comparisons go one way as the other."""


def section(found: Found) -> Section:
    """What was found, with charts and tables."""
    words, link, captions = found.words, found.link, found.captions
    table2 = table2_sheet(words, found.published, captions, found.alpha)
    return Section(
        "frequency",
        "Word frequency",
        (QUESTION, *findings(compare_groups(words), link, found.alpha)),
        (
            *_named(words, table2, captions),
            *_linked(link, captions, found.files["scores"], found.files["ratios"]),
            *folded("Planted and counted frequency ratios", truth_sheet(found.planted, captions)),
        ),
    )


def _named(words: pd.DataFrame, table2: Sheet, captions: Captions) -> Iterator[Block]:
    """How often groups are named."""
    drawn = charts.frequencies(words)
    if drawn:
        alt = "Frequencies of the words of each group by bias type; medians and ranks are in the table below."
        yield chart(captions["frequency"], alt, drawn)
    # a table without rows says why there is none
    yield from folded("Table 2: mean ranks, medians and tests", table2) or (Table(table2),)


def _linked(
    link: pd.DataFrame, captions: Captions, scores: Iterable[str | Path], ratios: Iterable[str | Path]
) -> Iterator[Block]:
    """Whether measures follow frequency. link: `link_rows`; scores, ratios: the files."""
    drawn = charts.correlations(link)
    if drawn:
        alt = "Correlations with intervals against the line at 0; their numbers are in the table below."
        perfect = f" {captions['frequency_perfect']}" if (link["model"] == PERFECT).any() else ""
        yield chart(captions["frequency_figure_link"] + perfect, alt, drawn)
    yield from folded("The correlations under both protocols", link_sheet(link, captions))
    yield from folded("The same by bias type", link_types_sheet(link, captions))
    of_benchmark = paths_by(ratios, "benchmark")
    of_both = paths_by(scores, "model", "benchmark")
    for model, benchmark in link[["model", "benchmark"]].drop_duplicates().itertuples(index=False, name=None):
        # a perfect model has no file
        if (model, benchmark) in of_both:
            drawn = charts.margins(
                read_table(of_both[model, benchmark], SCORES),
                read_table(of_benchmark[(benchmark,)], PAIR_RATIOS),
                link[(link["model"] == model) & (link["benchmark"] == benchmark)],
            )
            if drawn:
                title = f"{model} on {benchmark}"
                alt = f"Margins of {title} by log frequency ratio, a panel for each measure."
                picture = chart(f"{title}. {captions['frequency_margins']}", alt, drawn)
                yield Fold(f"Margins by frequency: {title}", (picture,))


def findings(comparison: pd.DataFrame, link: pd.DataFrame, alpha: float) -> Iterator[str]:
    """What Table 2 and the correlations say, in plain sentences.

    comparison: `compare_groups`; link: `link_rows`.
    """
    for name, found in comparison[comparison["words_from"] == EXTRACTED].groupby("benchmark", sort=False):
        known = found[found["effect"].notna()]
        more, even = int((known["effect"] > EVEN).sum()), int((known["effect"] == EVEN).sum())
        clear = int((known["p_holm"] < alpha).sum())
        yield (
            f"In {clear} of the {len(known)} bias types of {name} the words of the advantaged group and of "
            f"the disadvantaged one differ in frequency (p < {alpha:g} after correction). In {more} of "
            f"{len(known)} a word of the advantaged group is the more frequent one in most comparisons (A > "
            f"0.5), in {even} in just half (A = 0.5). A is over all words, mean ranks over those shown."
        )
    overall = link[
        (link["grouping"] == OVERALL) & (link["protocol"] == CORRECTED) & (link["model"] != PERFECT)
    ]
    for name, found in overall.groupby("benchmark", sort=False):
        ranges = found.groupby("measure", sort=False)["rho"].agg(["min", "max"])
        texts = []
        for measure, least, most in ranges.itertuples(name=None):
            low, high = number(least, signed=True), number(most, signed=True)
            texts.append(f"{title_of(measure)} {low if low == high else f'{low} to {high}'}")
        yield (
            f"Correlation of margins with frequency on {name} (protocol corrected, from the least to the "
            f"most of the models): {', '.join(texts)}."
        )

"""What the report says of word frequency: Table 2, and how measures go with frequency."""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from unmask.frequency.group_tests import compare_groups
from unmask.frequency.group_words import EXTRACTED
from unmask.frequency.link_tables import (
    PERFECT,
    Planted,
    link_rows,
    link_sheet,
    link_types_sheet,
    truth_sheet,
)
from unmask.frequency.table2 import PublishedRanks, collect_words, table2_sheet
from unmask.measures.registry import title_of
from unmask.report.captions import Captions, load_captions
from unmask.report.sections import Block, Section, Table, folded, picture
from unmask.report.sheets import number
from unmask.report.study import Study
from unmask.statistics.schema import OVERALL
from unmask.terms import CORRECTED

QUESTION = (
    "Are advantaged groups simply named more often in the text that models learn from, and do measures "
    "follow that?"
)


def section(files: Mapping[str, Any], settings: Mapping[str, Any]) -> Section:
    """files: words and link (of every model and benchmark that has corpora), truths, planted_pairs and
    planted_ratios (empty where nothing is planted), frequency_figure and link_figure (SVG; empty, as is link,
    where no model is scored), captions. settings: models, benchmarks, alpha, confidence."""
    study, alpha = Study.from_config(settings["models"], settings["benchmarks"]), settings["alpha"]
    facts = {"alpha": f"{alpha:g}", "confidence": f"{100 * settings['confidence']:g}"}
    captions = load_captions(files["captions"], **facts)
    planted = Planted.gather(study, files["truths"], files["planted_pairs"], files["planted_ratios"])
    words, link = collect_words(files["words"]), link_rows(study, files["link"], planted)
    return Section(
        "frequency",
        "Word frequency",
        (QUESTION, *findings(compare_groups(words), link, alpha)),
        (
            picture(captions["frequency"], "Frequencies of group words", files["frequency_figure"]),
            Table(table2_sheet(words, PublishedRanks.gather(files["words"]), captions, alpha)),
            *(_linked(link, captions, files["link_figure"]) if len(link) else ()),
            *folded("Planted and counted frequency ratios", truth_sheet(planted, captions)),
        ),
    )


def _linked(link: pd.DataFrame, captions: Captions, figure: str) -> Iterator[Block]:
    """Whether measures follow frequency. link: `link_rows`."""
    yield picture(captions["frequency_figure_link"], "Margins against log frequency ratios", figure)
    yield Table(link_sheet(link, captions))
    yield from folded("The same by bias type", link_types_sheet(link, captions))


def findings(comparison: pd.DataFrame, link: pd.DataFrame, alpha: float) -> Iterator[str]:
    """What Table 2 and the correlations say, in plain sentences.

    comparison: `compare_groups`; link: `link_rows`.
    """
    for name, found in comparison[comparison["words_from"] == EXTRACTED].groupby("benchmark", sort=False):
        known = found[found["effect"].notna()]
        more, clear = int((known["effect"] > 0.5).sum()), int((known["p_holm"] < alpha).sum())
        yield (
            f"In {more} of the {len(known)} bias types of {name} the words of the advantaged group tend to "
            f"be the more frequent. The two groups differ in {clear} of the {len(known)} after correction "
            f"(p < {alpha:g})."
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

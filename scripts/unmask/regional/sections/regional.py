"""What the report says of regional bias."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import altair as alt
import pandas as pd

from unmask.loading import paths_by, shared_facts
from unmask.regional import tables
from unmask.regional.borders import Atlas
from unmask.regional.drawing import MAKERS, Drawing
from unmask.regional.findings import (
    artefact,
    beyond_chance,
    coarse_dealings,
    of_names,
    planted_findings,
    prefix_findings,
    series_findings,
    with_a_score,
)
from unmask.regional.geometry import first_directions
from unmask.regional.likelihood_reader import read_names
from unmask.regional.rankings import rankings, rankings_sheet
from unmask.regional.region_index import RegionIndex, not_on_the_map, token_facts, tree_facts
from unmask.regional.results import Found
from unmask.regional.tables import Findings
from unmask.report.captions import Captions
from unmask.report.charts import chart
from unmask.report.published import doubts
from unmask.report.sections import Block, Facts, Fold, Items, Section, folded

QUESTION = (
    "Does a model speak differently of the countries of a continent, or of the cities of a country? And is "
    "that more than what their number, and names dealt out at random, give?"
)

_ALT = {
    "scores_figure": "Scores of continents, with bands of chance",
    "score_map": "Map of C_w by country",
    "band_map": "Map of where the C_w of countries lies against its band of chance",
    "word_map": "Map of the likelihood of a word by country",
    "points_figure": "Regions in two dimensions",
    "series_figure": "C_w against epochs of training",
    "planted_figure": "What scores find of what was planted",
}
"""What charts show, by their names, which are those of their captions."""


def section(found: Found) -> Section:
    """What was found, with charts and tables; what the study has nothing for is not shown."""
    findings, captions, index, prefixes = found.with_scores, found.captions, found.index, found.prefixes
    ranked, series = rankings(findings), found.settings.get("series") or []
    drawing = Drawing(found.files, found.settings, findings)
    draws = shared_facts(found.files["scores"], "draws").get("draws")
    return Section(
        "regional",
        "Regional bias",
        (
            QUESTION,
            *beyond_chance(findings, draws),
            *coarse_dealings(findings, draws),
            *artefact(findings, ranked),
            *of_names(first_directions(drawing.laid_out), found.settings["confidence"]),
            *series_findings(findings, series),
            *planted_findings(found.planted),
            *prefix_findings(prefixes, index),
        ),
        (
            *_charts(drawing, captions, "scores_figure"),
            *_folded_charts(
                "The other measures and variants", captions["scores_figure"], drawing.other_scores()
            ),
            *folded("Table 1: C_w and C_z, with intervals and bands", tables.table1(findings)[1]),
            *folded(
                "Do scores rank regions by their number of children?",
                rankings_sheet(ranked, captions["rankings"]),
            ),
            *_charts(drawing, captions, "score_map", "band_map"),
            *_more(findings),
            *_charts(drawing, captions, "word_map", "points_figure", "series_figure"),
            *_folded_charts("The other variants", captions["series_figure"], drawing.other_series()),
            *_charts(drawing, captions, "planted_figure"),
            *folded("What was planted, in numbers", tables.planted_sheet(found.planted, index, captions)),
            *_of_prefixes(prefixes, index, found.published, captions),
            *folded(
                "How stable the rankings are",
                tables.stability_sheet(found.stability, captions),
            ),
            Fold("Regions and their names", (Facts(_facts(found.files, findings)),)),
            Fold(captions["doubts"], (Items(doubts(found.published)),)),
        ),
    )


def _charts(drawing: Drawing, captions: Captions, *names: str) -> Iterator[Block]:
    for name in names:
        drawn = MAKERS[name][0](drawing)
        if drawn:
            yield chart(captions[name], f"{_ALT[name]}; the buttons below save its numbers.", drawn)


def _folded_charts(title: str, caption: str, drawn: Iterable[tuple[str, alt.FacetChart]]) -> Iterator[Block]:
    """Charts of one caption in a fold, each under its name; nothing where there is none."""
    blocks = tuple(chart(f"{name}. {caption}", f"{name}: {caption}", each) for name, each in drawn)
    if blocks:
        yield Fold(title, blocks)


def _more(found: Findings) -> Iterator[Block]:
    """The tables beside Table 1; those that the study has not are left out."""
    for title, table in (
        ("Table 2: the plain score", tables.table2),
        ("Table 3: without the words of a topic", tables.table3),
        ("Table 6: with the words of a topic replaced", tables.table6),
        ("All countries", tables.countries),
    ):
        yield from folded(title, table(found)[1])


def _of_prefixes(
    prefixes: pd.DataFrame, index: RegionIndex, published: pd.DataFrame, captions: Captions
) -> Iterator[Block]:
    yield from folded(
        "Table 4: a region's prefix and classifiers", tables.table4(prefixes, index, published, captions)
    )
    yield from folded("Table 5: labels that change", tables.table5(prefixes, index, published, captions))


def _facts(files: Mapping[str, Any], found: Findings) -> tuple[tuple[str, str], ...]:
    facts = list(tree_facts(found.index))
    paths = {model: path for (model,), path in paths_by(files.get("likelihoods") or [], "model").items()}
    facts += [
        token_facts(model.name, read_names(paths[model.name]))
        for model in found.models
        if model.name in paths
    ]
    if files.get("borders"):
        atlas = Atlas.read(files["borders"], files["places"])
        scored = with_a_score(found.scores)
        codes = found.index.codes
        missing = [
            region
            for region in found.index.inner()
            if region in scored and not (region in codes and atlas.drawn(codes[region]))
        ]
        facts += not_on_the_map(found.index, missing)
    return tuple(facts)

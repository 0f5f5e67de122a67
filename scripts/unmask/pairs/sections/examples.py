"""Three example pairs, open on the page: which words decide."""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from unmask.measures.registry import title_of
from unmask.pairs.disagreement import address
from unmask.pairs.examples import (
    MOST_WORDS,
    Choice,
    aligned,
    chosen,
    decimals_for,
    differing,
    headline_measure,
    margin_of,
    signed,
    tokens_of,
)
from unmask.pairs.explorer import shown_pairs, unpacked
from unmask.pairs.results import PairResults
from unmask.pairs.sections.pairs import OFFENSIVE
from unmask.report.findings import Finding, Row, sentences
from unmask.report.sections import Block, Items, Section, Text
from unmask.report.strips import Strip
from unmask.terms import ANTISTEREOTYPE, STEREOTYPE

FINDINGS = [
    Finding[Row](
        "none",
        lambda row: [] if row["model"] else [row],
        "The explorer shows 0 trained models, so there are no example pairs.",
    ),
    Finding[Row](
        "question",
        lambda row: [row] if row["count"] else [],
        """Which words decide? {{ count | counted("pair") }} of {{ benchmark }}
        {{ count | many("shows", "show") }} what each token adds to the {{ title }} margin of {{ model }}.""",
    ),
    Finding[Row](
        "rule",
        lambda row: [row] if row["count"] else [],
        """A rule picks them from {{ "{:,}".format(short) }} {{ short | many("pair", "pairs") }} of at most
        {{ words }} words: largest margin for the stereotype, median of {{ "{:,}".format(for_it) }} for it,
        largest against it.""",
    ),
    Finding[Row](
        "too few",
        lambda row: row["missing"],
        "{{ says }}",
    ),
]

COLOURS = "Purple speaks for the stereotype, teal against it; the numbers of all places add up to the margin."

LARGEST = "Largest margin for the stereotype"
MEDIAN = "Median margin for the stereotype"
OPPOSITE = "Largest margin against the stereotype"


def section(results: PairResults) -> Section:
    """Of the first trained model that the explorer has, on the first benchmark that it is scored on."""
    place = next(
        (key for model in results.study.trained() for key in results.explored if key[0] == model), None
    )
    blocks: list[Block] = []
    row: dict[str, Any] = {"model": None, "count": 0, "missing": []}
    if place is not None:
        model, benchmark = place
        measure = headline_measure(results.settings["measures"])
        facts = results.explored[place]
        scores = unpacked(facts["scores"])[measure]
        pairs = shown_pairs(results.pairs[benchmark], results.settings["explorer"]["most"])
        choice = chosen(pairs, scores)
        row = {
            **vars(choice),
            "model": model,
            "benchmark": benchmark,
            "title": title_of(measure),
            "words": MOST_WORDS,
            "count": choice.count,
            "missing": [{"says": says} for says in _missing(choice, benchmark)],
        }
        if choice.count:
            if any(each.world is None for each in results.study.benchmarks if each.name == benchmark):
                blocks.append(Items((OFFENSIVE,), warning=True))
            blocks.append(Text(COLOURS))
            columns = unpacked(facts["tokens"])
            linked = model in results.models_in_page
            for title, number in (
                (LARGEST, choice.largest),
                (MEDIAN, choice.median),
                (OPPOSITE, choice.opposite),
            ):
                if number is not None:
                    link = (
                        address(benchmark, pairs["pair_id"].iloc[number], measure, model) if linked else None
                    )
                    blocks.append(strip(title, pairs.iloc[number], scores, columns, number, measure, link))
    return Section("examples", "Three example pairs", sentences(FINDINGS, row), tuple(blocks))


def strip(
    title: str,
    pair: "pd.Series[Any]",
    scores: Mapping[str, Any],
    columns: Mapping[str, Any],
    row: int,
    measure: str,
    link: str | None,
) -> Strip:
    """A pair place by place. scores, columns: of the explorer, where the pair has this row."""
    places = list(aligned(*tokens_of(columns, row, measure)))
    strongest = max(places, key=lambda place: abs(place.total or 0))
    largest = abs(strongest.total or 0)
    decimals = decimals_for(largest)
    texts = differing(str(pair[STEREOTYPE]), str(pair[ANTISTEREOTYPE]))
    if scores["outcome"][row] == ANTISTEREOTYPE[0]:
        texts = texts[1], texts[0]
    margin = signed(margin_of(scores, row), decimals)
    says = (
        f"{title} ({pair['bias_type']}): {margin}, of which {signed(strongest.total, decimals)} "
        f"at “{strongest.text}”."
    )
    return Strip(
        texts,
        "is preferred to",
        says,
        tuple(
            (place.text, signed(place.total, decimals), (place.total or 0) / largest if largest else 0.0)
            for place in places
        ),
        link,
    )


def _missing(choice: Choice, benchmark: str) -> Iterator[str]:
    """Why there are fewer than three examples, a sentence each."""
    if not choice.short:
        yield f"0 pairs of {benchmark} have at most {MOST_WORDS} words a sentence, so there is no example."
        return
    if not choice.for_it:
        yield f"0 of {choice.short} such pairs are decided for the stereotype, so two examples are missing."
    elif choice.median is None:
        yield f"1 of {choice.short} such pairs is decided for the stereotype, so it is the median, too."
    if not choice.against:
        yield f"0 of {choice.short} such pairs are decided against the stereotype, so one example is missing."

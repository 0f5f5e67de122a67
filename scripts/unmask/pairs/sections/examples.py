"""Three example pairs, open on the page: which words decide."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

import pandas as pd

from unmask.measures.names import title_of
from unmask.pairs.examples import (
    MOST_WORDS,
    ExampleRows,
    Place,
    aligned,
    decimals_for,
    differing,
    example_rows,
    margin_of,
    signed_number,
    tokens_of,
)
from unmask.pairs.explorer import shown_pairs, unpacked
from unmask.pairs.results import PairResults
from unmask.report.findings import Finding, Row, sentences
from unmask.report.sections import Block, Fold, Section, Text
from unmask.report.strips import Strip
from unmask.report.study import SCORED
from unmask.terms import ANTISTEREOTYPE, STEREOTYPE

FINDINGS = [
    Finding[Row](
        "none",
        lambda row: [] if row["model"] else [row],
        """{% if elsewhere %}No trained model has known tokens, so
        {%- else %}The explorer shows 0 trained models, so{% endif %} there are no example pairs.""",
    ),
    Finding[Row](
        "question",
        lambda row: [row] if row["count"] else [],
        """Which words decide? In {{ decided }} of {{ count | counted("example pair") }} of {{ benchmark }},
        one word or difference gives at least half of the {{ title }} margin of {{ model }}.""",
    ),
    Finding[Row](
        "too few",
        lambda row: row["missing"],
        "{{ says }}",
    ),
]

RULE = Finding[Row](
    "rule",
    lambda row: [row] if row["count"] else [],
    """A rule picks them from {{ short | counted("pair") }} of at most {{ words }} words: largest margin for
    the stereotype, median of {{ for_it }} for it, largest against it. No sentences are among them that
    differ in punctuation and spaces alone.""",
)

COLOURS = (
    "Purple speaks for the stereotype, teal against it; the numbers of all words add up to the margin (up to "
    "rounding). Where words differ, the stereotype's come first."
)

LARGEST = "Largest margin for the stereotype"
MEDIAN = "Median margin for the stereotype"
OPPOSITE = "Largest margin against the stereotype"


@dataclass(frozen=True)
class Example:
    """A chosen pair: why it was chosen, its row in the explorer, its margin and its places."""

    title: str
    row: int
    margin: float
    places: tuple[Place, ...]

    @property
    def strongest(self) -> Place:
        """The place that adds most to the margin, whichever way."""
        return max(self.places, key=lambda place: abs(place.total or 0))

    @property
    def is_decided_there(self) -> bool:
        """Whether one place gives at least half of the margin; the strongest may speak against it."""
        return any(2 * (place.total or 0) / self.margin >= 1 for place in self.places)


def section(results: PairResults) -> Section:
    """Of the first trained model whose tokens the explorer has, on its first benchmark."""
    elsewhere = results.study.of_source(SCORED)
    models = [model for model in results.study.trained() if model not in elsewhere]
    keys = [key for model in models for key in results.explored if key[0] == model]
    if not keys:
        return _section({"model": None, "elsewhere": elsewhere, "count": 0, "missing": []})
    model, benchmark = keys[0]
    scores, tokens = (unpacked(results.explored[keys[0]][part]) for part in ("scores", "tokens"))
    # a model of another kind has other measures
    measure = next(name for name in (results.headline, *scores) if name in scores)
    pairs = shown_pairs(results.pairs[benchmark], results.settings["explorer"]["most"])
    rows = example_rows(pairs, scores[measure])
    examples = list(_examples(rows, scores[measure], tokens, measure))
    row = {
        **vars(rows),
        "model": model,
        "benchmark": benchmark,
        "title": title_of(measure),
        "words": MOST_WORDS,
        "count": len(examples),
        "decided": sum(example.is_decided_there for example in examples),
        "missing": [{"says": says} for says in _missing(rows, benchmark)],
    }
    if not examples:
        return _section(row)
    linked = model in results.models_in_page
    strips = [
        strip(
            example,
            pairs.iloc[example.row],
            address(benchmark, pairs["pair_id"].iloc[example.row], measure, model) if linked else None,
        )
        for example in examples
    ]
    rule = Fold("How these pairs are chosen", tuple(map(Text, RULE.sentences(row))))
    return _section(row, Text(COLOURS), *strips, rule)


def _section(row: Row, *blocks: Block) -> Section:
    return Section("examples", "Three example pairs", sentences(FINDINGS, row), blocks)


def _examples(
    rows: ExampleRows, scores: Mapping[str, Any], tokens: Mapping[str, Any], measure: str
) -> Iterator[Example]:
    """scores (of the measure), tokens: of the explorer."""
    for title, row in ((LARGEST, rows.largest), (MEDIAN, rows.median), (OPPOSITE, rows.opposite)):
        if row is not None and (margin := margin_of(scores, row)):
            yield Example(title, row, margin, tuple(aligned(*tokens_of(tokens, row, measure))))


def strip(example: Example, pair: "pd.Series[Any]", link: str | None) -> Strip:
    """An example place by place."""
    strongest = example.strongest
    largest = abs(strongest.total or 0)
    decimals = decimals_for(largest)
    texts = differing(str(pair[STEREOTYPE]), str(pair[ANTISTEREOTYPE]))
    says = (
        f"{example.title} ({pair['bias_type']}): {signed_number(example.margin, decimals)}; the largest "
        f"part, {signed_number(strongest.total, decimals)}, is at “{strongest.text}”."
    )
    places = tuple(
        (place.text, signed_number(place.total, decimals), (place.total or 0) / largest if largest else 0.0)
        for place in example.places
    )
    preferred_first = texts if example.margin > 0 else (texts[1], texts[0])
    return Strip(preferred_first, "is preferred to", says, places, link)


def _missing(rows: ExampleRows, benchmark: str) -> Iterator[str]:
    """Why there are fewer than three examples, a sentence each."""
    if not rows.short:
        few = f"at most {MOST_WORDS} words a sentence and differ in words"
        yield f"0 pairs of {benchmark} have {few}: no example."
        return
    if not rows.for_it:
        yield f"0 of {rows.short} such pairs are decided for the stereotype, so two examples are missing."
    elif rows.median is None:
        yield f"1 of {rows.short} such pairs is decided for the stereotype, so it is the median, too."
    if not rows.against:
        yield f"0 of {rows.short} such pairs are decided against the stereotype, so one example is missing."


def address(benchmark: str, pair_id: str, measure: str, model: str) -> str:
    """The place of a pair in the explorer, under a measure of a model (docs/results.md)."""
    where = "/".join(quote(part, safe="") for part in (benchmark, pair_id))
    return f"#pair/{where}?{urlencode({'measure': measure, 'model': model})}"

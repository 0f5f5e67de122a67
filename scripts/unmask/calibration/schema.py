"""The tables of calibration. Measures are in protocol `corrected`, margins in natural logarithms."""

from enum import StrEnum

import pyarrow as pa

from unmask.tables import WORD, field


class Metric(StrEnum):
    """A figure of merit, as the column `merit` of METRICS names it; in the order of that table."""

    SLOPE = "slope"
    FREQUENCY = "frequency"
    EXCHANGE = "exchange"
    POWER = "power"
    SMALLEST = "smallest"
    FALSE_ALARMS = "false alarms"
    BY_CHANCE = "false alarms by chance"
    RANK = "rank"
    RANK_OF_WORLDS = "rank of worlds"


class Verdict(StrEnum):
    """What debiasing did to an association, by the intervals of what is left and of the change."""

    REMOVED = "removed"
    REDUCED = "reduced"
    UNCHANGED = "no clear change"
    LARGER = "larger"
    REVERSED = "reversed"
    UNCLEAR = "unclear"


def _interval(of: str, stem: str = "", by: str = "") -> list[pa.Field]:
    """The ends of the interval of a column, {stem}low and {stem}high."""
    return [
        field(
            f"{stem}low",
            pa.float64(),
            nullable=True,
            meaning=f"lower end of the interval of `{of}`{by}",
        ),
        field(
            f"{stem}high",
            pa.float64(),
            nullable=True,
            meaning=f"upper end of the interval from `{stem}low`",
        ),
    ]


CELL = ["factor", "p", "ratio", "direction", "longer_side"]
"""What is planted in a pair, as columns of DOSES; pairs of one cell differ in their words alone."""

_MODEL = [
    field("model", WORD, meaning="the model"),
    field(
        "role",
        WORD,
        meaning="oracle, exact, trained, kept, balanced or untrained (unmask.calibration.population)",
    ),
    field(
        "architecture",
        WORD,
        nullable=True,
        meaning="bert, roberta, albert, gpt2 or llama; null for an oracle",
    ),
    field("family", WORD, meaning="the world whose text it has learnt, or knows"),
]

DOSES = pa.schema(
    [
        *_MODEL,
        field("measure", WORD, meaning="the measure"),
        field("factor", WORD, meaning="what was planted in these pairs"),
        field("p", pa.float64(), meaning="probability with which a word goes with its stereotyped group"),
        field("ratio", pa.float64(), meaning="how many times as often one of the two groups is named"),
        field("direction", WORD, meaning="stereo or antistereo"),
        field(
            "longer_side",
            WORD,
            nullable=True,
            meaning="which side is the longer in factors length and longer; null elsewhere",
        ),
        field("pairs", pa.int32(), meaning="pairs of the cell that count"),
        field("units", pa.int32(), meaning="occupations, or pairs of groups"),
        field(
            "score",
            pa.float64(),
            nullable=True,
            meaning="bias score in percent; null where nothing is decided",
        ),
        *_interval("score", by=", by units"),
        field("margin", pa.float64(), nullable=True, meaning="mean margin, natural logarithms"),
        *_interval("margin", "margin_", by=", by units"),
        field(
            "theory",
            pa.float64(),
            nullable=True,
            meaning="mean margin of the oracle on the same kind of pairs; null where the study has none",
        ),
    ]
)
"""What a measure shows of each model at each dose: one row per model, measure and cell of planted factors."""

METRICS = pa.schema(
    [
        field("measure", WORD, meaning="the measure"),
        field("kind", WORD, meaning="oracle, exact, an architecture, or trained (all trained models)"),
        field(
            "merit",
            WORD,
            meaning="slope, frequency, exchange, power, smallest, false alarms, rank, or rank of worlds",
        ),
        field(
            "condition",
            pa.string(),
            meaning='of what: "n=500", "n=500, 10 a word", "words=7", "ratio=4", "subtoken", "longer", "" …',
        ),
        field(
            "value",
            pa.float64(),
            nullable=True,
            meaning="value of the merit, in its unit (docs/calibration.md)",
        ),
        *_interval("value", by=", by families (of drawn worlds: by worlds); null with fewer than two"),
        field("models", pa.int32(), meaning="models that it is of"),
        field("families", pa.int32(), meaning="their families"),
    ]
)
"""Figures of merit: one row per measure, kind of model, merit and condition."""

CONTROLS = pa.schema(
    [
        field("control", WORD, meaning="identical, swapped, permuted, balanced or untrained"),
        *_MODEL,
        field("benchmark", WORD, meaning="the benchmark"),
        field("measure", WORD, meaning="the measure"),
        field("pairs", pa.int32(), meaning="pairs that count"),
        field("score", pa.float64(), nullable=True, meaning="bias score in percent"),
        *_interval("score"),
        field("margin", pa.float64(), nullable=True, meaning="mean margin, natural logarithms"),
        field(
            "worst",
            pa.float64(),
            nullable=True,
            meaning="how far the worst pair is from what must hold exactly (identical: its margin; "
            "swapped: the sum of its margin and that of the pair that it was made from); null "
            "where nothing must hold of a pair",
        ),
        field("holds", pa.bool_(), meaning="whether it holds"),
    ]
)
"""Controls that must come out as they should: one row per control, model, benchmark and measure."""

DEBIASED = pa.schema(
    [
        field("model", WORD, meaning="the debiased model"),
        field("architecture", WORD, nullable=True, meaning="bert, roberta or albert"),
        field("family", WORD, meaning="the world whose text its first origin has learnt"),
        field("origin", WORD, meaning="the model that it was made from"),
        field("method", WORD, meaning="the method of debiasing"),
        field("reading", WORD, meaning="published or corrected: that of the method"),
        field("measure", WORD, meaning="the measure"),
        field("occupations", pa.int32(), meaning="occupations, the units of the intervals"),
        field("before", pa.float64(), meaning="margin per unit of planted log-odds, of the origin"),
        field("after", pa.float64(), meaning="margin per unit of planted log-odds, of the debiased model"),
        field("left", pa.float64(), meaning="after / before: the share of the association that is left"),
        *_interval("left", by=", by occupations; `before` is taken as it is"),
        *_interval("left less 1", "change_", by=", paired by occupations"),
        field("goal", pa.float64(), meaning="the share that should be left: none, or for the control all"),
        field(
            "text",
            pa.float64(),
            nullable=True,
            meaning="the share in the text of the method, which a perfect student of it has; null where the "
            "method has no such text",
        ),
        field(
            "verdict",
            WORD,
            nullable=True,
            meaning="removed (the interval ends within a tenth of 0), reversed, unclear (0 is possible, and "
            "more than a tenth), reduced, larger, or no clear change; null without an interval",
        ),
    ]
)
"""What debiasing leaves of planted associations: one row per debiased model and measure whose margin follows
the association in the origin."""

KEPT = pa.schema(
    [
        *_MODEL,
        field(
            "context",
            WORD,
            nullable=True,
            meaning="trusted or corrupted, of an exact model; null for one that was trained",
        ),
        field("masked", pa.float64(), meaning="share of the tokens chosen for prediction that were masked"),
        field("kept", pa.float64(), meaning="share of them that were kept"),
        field("random", pa.float64(), meaning="share of them that were made random"),
        field("measure", WORD, meaning="the measure"),
        field("association", pa.float64(), nullable=True, meaning="margin per unit of log-odds"),
        field(
            "frequency",
            pa.float64(),
            nullable=True,
            meaning="margin per unit of log ratio towards the stereotypical sentence's group",
        ),
        field(
            "exchange",
            pa.float64(),
            nullable=True,
            meaning="frequency / association; null where association is none",
        ),
        field(
            "associated",
            pa.float64(),
            nullable=True,
            meaning="bias score in percent of factor association at the p at which power is asked for",
        ),
        field(
            "rarer",
            pa.float64(),
            nullable=True,
            meaning="bias score in percent of the `stereo` pairs of factor frequency at the greatest ratio",
        ),
    ]
)
"""What training does to unmasked prediction: one row per model and measure."""

DRAWN = pa.schema(
    [
        field("world", pa.int32(), meaning="number of the drawn world"),
        field("p", pa.float64(), meaning="probability with which a word goes with its stereotyped group"),
        field("ratio", pa.float64(), meaning="how many times as often one of the two groups is named"),
        field("measure", WORD, meaning="the measure"),
        field(
            "score",
            pa.float64(),
            nullable=True,
            meaning="bias score in percent of all pairs with an association",
        ),
        field("margin", pa.float64(), nullable=True, meaning="their mean margin"),
        field(
            "stereo_score",
            pa.float64(),
            nullable=True,
            meaning="bias score in percent of the pairs of faiths in which the rarer one is stereotyped",
        ),
        field("stereo_margin", pa.float64(), nullable=True, meaning="their mean margin"),
    ]
)
"""The oracle over drawn worlds: one row per world and measure."""

EXPLAINED = pa.schema(
    [
        field("first", WORD, meaning="the measure"),
        field(
            "second",
            WORD,
            nullable=True,
            meaning="the measure that it is compared with; null: `first` by itself",
        ),
        field("n", pa.int32(), meaning="pairs with a log frequency ratio on which the measures are defined"),
        field(
            "value",
            pa.float64(),
            meaning="bias score of `first` in percent, or its difference from that of `second` in "
            "percentage points",
        ),
        *_interval("value"),
        field(
            "explained",
            pa.float64(),
            nullable=True,
            meaning="what of the value goes with the frequency of words",
        ),
        *_interval("explained", "explained_"),
        field(
            "rest",
            pa.float64(),
            nullable=True,
            meaning="what would be left if words were equally frequent: value = explained + rest",
        ),
        *_interval("rest", "rest_"),
        field(
            "slope",
            pa.float64(),
            nullable=True,
            meaning="points per unit of log frequency ratio (stereotypical minus antistereotypical sentence)",
        ),
        *_interval("slope", "slope_"),
        field(
            "disagreements",
            pa.int32(),
            nullable=True,
            meaning="pairs of unequally frequent words that the two decide in opposite ways; null for one "
            "measure",
        ),
        field(
            "towards_frequent",
            pa.float64(),
            nullable=True,
            meaning="percent of these in which `first` goes with the more frequent words: the mean of the "
            "shares of either way, so that 50 is no part of frequency",
        ),
        *_interval("towards_frequent", "towards_"),
        field("confidence", pa.float64(), meaning="level of the intervals"),
    ]
)
"""What word frequency explains of bias scores and of their differences. Metadata: model, benchmark, mean log
ratio, corpora's tokens."""

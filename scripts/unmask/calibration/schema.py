"""The tables of calibration. Measures are in protocol `corrected`, margins in natural logarithms."""

import pyarrow as pa

from unmask.tables import WORD, field

_MODEL = [
    field("model", WORD),
    # oracle | exact | trained | kept | balanced | untrained (unmask.calibration.population)
    field("role", WORD),
    # bert, roberta, albert; null for an oracle
    field("architecture", WORD, nullable=True),
    # the world whose text it has learnt, or knows
    field("family", WORD),
]

DOSES = pa.schema(
    [
        *_MODEL,
        field("measure", WORD),
        # what was planted in these pairs
        field("factor", WORD),
        field("p", pa.float64()),
        field("ratio", pa.float64()),
        field("direction", WORD),
        # which side is the longer in factors length and longer; null elsewhere
        field("longer_side", WORD, nullable=True),
        field("pairs", pa.int32()),
        # occupations, or pairs of groups
        field("units", pa.int32()),
        # bias score in percent with its interval (by units), null where nothing is decided
        field("score", pa.float64(), nullable=True),
        field("low", pa.float64(), nullable=True),
        field("high", pa.float64(), nullable=True),
        # mean margin with its interval (by units)
        field("margin", pa.float64(), nullable=True),
        field("margin_low", pa.float64(), nullable=True),
        field("margin_high", pa.float64(), nullable=True),
        # mean margin of the oracle on the same kind of pairs; null where the study has none
        field("theory", pa.float64(), nullable=True),
    ]
)
"""What a measure shows of each model at each dose: one row per model, measure and cell of planted factors."""

MERITS = pa.schema(
    [
        field("measure", WORD),
        # oracle | an architecture | trained (all trained models)
        field("kind", WORD),
        # slope | frequency | exchange | power | smallest | false alarms | rank | rank of worlds
        field("merit", WORD),
        # of what: "n=500", "n=500, 10 a word", "words=7", "ratio=4", "subtoken", "longer", "" …
        field("condition", pa.string()),
        field("value", pa.float64(), nullable=True),
        # by families (of drawn worlds: by worlds); null with fewer than two
        field("low", pa.float64(), nullable=True),
        field("high", pa.float64(), nullable=True),
        field("models", pa.int32()),
        field("families", pa.int32()),
    ]
)
"""Figures of merit: one row per measure, kind of model, merit and condition."""

CONTROLS = pa.schema(
    [
        # identical | swapped | permuted | balanced | untrained
        field("control", WORD),
        *_MODEL,
        field("benchmark", WORD),
        field("measure", WORD),
        field("pairs", pa.int32()),
        field("score", pa.float64(), nullable=True),
        field("low", pa.float64(), nullable=True),
        field("high", pa.float64(), nullable=True),
        field("margin", pa.float64(), nullable=True),
        # how far the worst pair is from what must hold exactly (identical: its margin; swapped: the sum of
        # its margin and that of the pair that it was made from); null where nothing must hold of a pair
        field("worst", pa.float64(), nullable=True),
        field("holds", pa.bool_()),
    ]
)
"""Controls that must come out as they should: one row per control, model, benchmark and measure."""

KEPT = pa.schema(
    [
        *_MODEL,
        # trusted | corrupted, of an exact model; null for one that was trained
        field("context", WORD, nullable=True),
        # shares of the tokens chosen for prediction
        field("masked", pa.float64()),
        field("kept", pa.float64()),
        field("random", pa.float64()),
        field("measure", WORD),
        # margin per unit of log-odds, and per unit of log ratio towards the stereotypical sentence's group
        field("association", pa.float64(), nullable=True),
        field("frequency", pa.float64(), nullable=True),
        # frequency / association; null where association is none
        field("exchange", pa.float64(), nullable=True),
        # bias scores in percent: of factor association at the p at which power is asked for, and of the
        # `stereo` pairs of factor frequency at the greatest ratio
        field("associated", pa.float64(), nullable=True),
        field("rarer", pa.float64(), nullable=True),
    ]
)
"""What training does to unmasked prediction: one row per model and measure."""

DRAWN = pa.schema(
    [
        field("world", pa.int32()),
        field("p", pa.float64()),
        field("ratio", pa.float64()),
        field("measure", WORD),
        # of all pairs with an association, and of those of faiths in which the rarer one is stereotyped
        field("score", pa.float64(), nullable=True),
        field("margin", pa.float64(), nullable=True),
        field("stereo_score", pa.float64(), nullable=True),
        field("stereo_margin", pa.float64(), nullable=True),
    ]
)
"""The oracle over drawn worlds: one row per world and measure."""

EXPLAINED = pa.schema(
    [
        # null in `second`: of one measure by itself
        field("first", WORD),
        field("second", WORD, nullable=True),
        # pairs with a log frequency ratio on which the measures are defined
        field("n", pa.int32()),
        # the bias score of `first` in percent, or its difference from that of `second` in points
        field("value", pa.float64()),
        field("low", pa.float64(), nullable=True),
        field("high", pa.float64(), nullable=True),
        # what of it goes with the frequency of words …
        field("explained", pa.float64(), nullable=True),
        field("explained_low", pa.float64(), nullable=True),
        field("explained_high", pa.float64(), nullable=True),
        # … and what would be left if words were equally frequent: value = explained + rest
        field("rest", pa.float64(), nullable=True),
        field("rest_low", pa.float64(), nullable=True),
        field("rest_high", pa.float64(), nullable=True),
        # points per unit of log frequency ratio (stereotypical minus antistereotypical sentence)
        field("slope", pa.float64(), nullable=True),
        field("slope_low", pa.float64(), nullable=True),
        field("slope_high", pa.float64(), nullable=True),
        # pairs of unequally frequent words that the two decide in opposite ways, and the share of them, in
        # percent, in which `first` goes with the more frequent words: the mean of the shares of either way,
        # so that 50 is no part of frequency; null for one measure
        field("disagreements", pa.int32(), nullable=True),
        field("towards_frequent", pa.float64(), nullable=True),
        field("towards_low", pa.float64(), nullable=True),
        field("towards_high", pa.float64(), nullable=True),
        field("confidence", pa.float64()),
    ]
)
"""What word frequency explains of bias scores and of their differences. Metadata: model, benchmark, mean log
ratio, corpora's tokens."""

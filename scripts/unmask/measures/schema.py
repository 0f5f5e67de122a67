"""The Scores table."""

import pyarrow as pa

from unmask.tables import WORD, field

SCORES = pa.schema(
    [
        field("pair_id", WORD, meaning="the pair"),
        field("measure", WORD, meaning="the measure"),
        field(
            "protocol",
            WORD,
            meaning="published (as the papers' code has it) or corrected (as the formulas have it)",
        ),
        field(
            "stereotype",
            pa.float64(),
            nullable=True,
            meaning="score of the stereotypical sentence, in the measure's unit; null where it has "
            "nothing to score",
        ),
        field("antistereotype", pa.float64(), nullable=True, meaning="score of the other sentence, likewise"),
        field(
            "margin",
            pa.float64(),
            nullable=True,
            meaning="stereotype minus antistereotype, as compared (after any rounding of the protocol)",
        ),
        field(
            "outcome",
            WORD,
            meaning="which sentence is preferred: stereotype, antistereotype, tie, or undefined",
        ),
        field(
            "error",
            pa.float64(),
            nullable=True,
            meaning="how far float error may move the margin, before any rounding, in the unit of the margin",
        ),
        field("lowest", WORD, meaning="the outcome if the margin is lower by that error"),
        field(
            "highest",
            WORD,
            meaning="the outcome if it is higher by that error; a pair where the two differ is a near-tie",
        ),
    ]
)
"""One row per pair, measure and protocol."""

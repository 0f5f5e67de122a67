"""What each token adds to the score of its sentence."""

from typing import TYPE_CHECKING

from unmask.measures.measure import Evidence, Measure
from unmask.measures.tokens import SENTENCE

if TYPE_CHECKING:
    import pandas as pd


def contributions(measure: Measure, evidence: Evidence, protocol: str) -> "pd.DataFrame":
    """What every token that counts adds to the score of its sentence; together they are the score, before any
    rounding of the protocol.

    Columns: pair_id, role, position; masking, under which the token was predicted; log_prob, its
    log-probability there; coefficient, what the measure multiplies that with; adds, the product.
    """
    marked = {masking: rows.assign(masking=masking) for masking, rows in evidence.items()}
    reduction = measure.formula(marked, protocol)
    log_prob, coefficient = reduction.log_prob.astype("float64"), reduction.coefficients()
    return reduction.tokens[[*SENTENCE, "position", "masking"]].assign(
        log_prob=log_prob, coefficient=coefficient, adds=log_prob * coefficient
    )

"""From evidence to the Scores table: each pair's two scores, their margin, the outcome and how sure it is."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from unmask.measures.float_error import fingerprints, token_errors
from unmask.measures.measure import Evidence, Measure
from unmask.measures.registry import measure
from unmask.terms import ANTISTEREOTYPE, CORRECTED, PROTOCOLS, PUBLISHED, START, STEREOTYPE, TIE, UNDEFINED

TIE_MARGIN = 1e-6
"""Protocol `corrected`: scores no further apart than this are a tie.

A round number of ours: about the distance between neighbouring numbers in single precision near 10. Near 0
they are closer, near 100, where sums are, 8e-6 apart. What float error may do is more than that, and another
matter: see unmask.measures.float_error.
"""

Floats = npt.NDArray[np.float64]


def score_pairs(pair_ids: Sequence[str], evidence: Evidence, measures: Sequence[str]) -> pd.DataFrame:
    """The Scores rows of all `pair_ids`, for each measure in both protocols.

    `evidence` holds the rows of one model, benchmark and variant by masking.
    """
    errors = token_errors(evidence)
    prints = {masking: fingerprints(rows) for masking, rows in evidence.items()}
    parts = [
        _score(pair_ids, evidence, errors, prints, measure(name), protocol)
        for name in measures
        for protocol in PROTOCOLS
    ]
    return pd.concat(parts, ignore_index=True)


def _score(
    pair_ids: Sequence[str],
    evidence: Evidence,
    errors: Evidence,
    prints: Mapping[str, "pd.Series[int]"],
    measure: Measure,
    protocol: str,
) -> pd.DataFrame:
    scores = sides_of(measure.formula(evidence, protocol).scores(), pair_ids, measure.of_nothing)
    error = sides_of(measure.formula(errors, protocol).scores(), pair_ids, 0.0)
    # where neither side has a token to score, which alone has no error, nothing tells them apart
    empty = (error == 0).all(axis=0)
    if START in measure.maskings:
        # but without a start token nothing stands behind it, whatever the tokens
        empty &= pd.Index(pair_ids).isin(evidence[START]["pair_id"])
    # sentences that are read as one input are equal on every machine
    equal = [np.equal(*sides_of(prints[masking], pair_ids, 0)) for masking in measure.maskings]
    error[:, np.all(equal, axis=0)] = 0.0
    return decided(pair_ids, measure, protocol, scores, error, empty)


def decided(
    pair_ids: Sequence[str],
    measure: Measure,
    protocol: str,
    scores: Floats,
    error: Floats,
    empty: npt.NDArray[np.bool_],
) -> pd.DataFrame:
    """The Scores rows of one measure and protocol.

    scores: of stereotype and antistereotype, shape (2, pairs), nan where a side has none; error: how far each
    may be off; empty: pairs that nothing tells apart, shape (pairs,).
    """

    def decide(sides: Floats) -> tuple[Floats, Floats, npt.NDArray[np.object_]]:
        """Scores as compared, margin and outcome."""
        compared = _rounded(sides, measure, protocol)
        margin = np.where(empty, 0.0, compared[0] - compared[1])
        return compared, margin, outcomes_of(margin, TIE_MARGIN if protocol == CORRECTED else 0.0)

    compared, margin, outcome = decide(scores)
    toward_stereotype = error * [[1], [-1]]
    return pd.DataFrame(
        {
            "pair_id": list(pair_ids),
            "measure": measure.name,
            "protocol": protocol,
            "stereotype": compared[0],
            "antistereotype": compared[1],
            "margin": margin,
            "outcome": outcome,
            "error": error.sum(axis=0),
            "lowest": decide(scores - toward_stereotype)[2],
            "highest": decide(scores + toward_stereotype)[2],
        }
    )


def sides_of(values: "pd.Series[Any]", pair_ids: Sequence[str], of_nothing: float) -> npt.NDArray[Any]:
    """A value per sentence as stereotype and antistereotype × pairs."""
    roles = values.index.get_level_values("role")
    sides = [values[roles == role].droplevel("role") for role in (STEREOTYPE, ANTISTEREOTYPE)]
    return np.stack([side.reindex(list(pair_ids), fill_value=of_nothing).to_numpy() for side in sides])


def _rounded(scores: Floats, measure: Measure, protocol: str) -> Floats:
    if protocol != PUBLISHED or measure.published_decimals is None:
        return scores
    # Python's own rounding, as in the released code: numpy's differs in the last digit
    return np.array([[round(float(v), measure.published_decimals) for v in side] for side in scores])


def outcomes_of(margin: npt.NDArray[np.float64], tie_margin: float) -> npt.NDArray[np.object_]:
    """What margins say of their pairs: one of unmask.terms.OUTCOMES each."""
    outcome = np.where(margin > 0, STEREOTYPE, ANTISTEREOTYPE).astype(object)
    outcome[np.abs(margin) <= tie_margin] = TIE
    outcome[np.isnan(margin)] = UNDEFINED
    return outcome

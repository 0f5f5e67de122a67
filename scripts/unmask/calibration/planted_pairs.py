"""The pairs of a world as a table, with what is planted in each, and what an exact model decides on them."""

from collections.abc import Sequence

import pandas as pd

from unmask.benchmarks.schema import PAIRS
from unmask.calibration.exact_evidence import exact_evidence
from unmask.calibration.exact_model import ExactModel
from unmask.measures.registry import maskings_of
from unmask.measures.scoring import score_pairs
from unmask.terms import ANTISTEREOTYPE, CORRECTED, STEREOTYPE, TIE
from unmask.worlds.grammar import World, text_of
from unmask.worlds.pairs import Counts, crows_pairs

CREDITS = {STEREOTYPE: 1.0, TIE: 0.5, ANTISTEREOTYPE: 0.0}
"""What an outcome counts for in a bias score; a pair that is undefined does not count."""


def planted_pairs(world: World, counts: Counts) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The pairs of a world's CrowS-Pairs file as a Pairs table, and what is planted in each, row by row.

    The columns of the second: factor, p, ratio, direction, unit (what repeats: see Contrast.unit).
    """
    planted = crows_pairs(world, counts)
    pairs = [
        {
            # what such a pair has not is null
            **dict.fromkeys(PAIRS.names),
            "pair_id": pair.pair_id,
            "bias_type": pair.contrast.bias_type,
            "stereotype": text_of(pair.stereotype),
            "antistereotype": text_of(pair.antistereotype),
            "direction": pair.contrast.direction,
            "target": pair.contrast.target,
        }
        for pair in planted
    ]
    facts = [
        {
            "factor": pair.contrast.factor,
            "p": pair.contrast.p,
            "ratio": pair.contrast.ratio,
            "direction": pair.contrast.direction,
            "unit": pair.contrast.unit,
        }
        for pair in planted
    ]
    return pd.DataFrame(pairs), pd.DataFrame(facts)


def exact_scores(pairs: pd.DataFrame, model: ExactModel, measures: Sequence[str]) -> pd.DataFrame:
    """Protocol `corrected` of each measure on a Pairs table: pair_id, measure, margin and credit.

    credit: 1, one half for a tie, or 0; null where the measure is undefined. Raises InputError as
    `exact_evidence` does.
    """
    evidence = {masking: exact_evidence(pairs, model, masking) for masking in maskings_of(measures)}
    scores = score_pairs(list(pairs["pair_id"]), evidence, measures)
    corrected = scores[scores["protocol"] == CORRECTED]
    return corrected[["pair_id", "measure", "margin"]].assign(credit=corrected["outcome"].map(CREDITS))

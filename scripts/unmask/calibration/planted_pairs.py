"""The pairs of a world as a table, with what is planted in each, and what an exact model decides on them."""

from collections.abc import Sequence

import pandas as pd

from unmask.benchmarks.schema import PAIRS
from unmask.calibration.exact_evidence import evidence_by_masking
from unmask.calibration.exact_left import ExactLeftModel
from unmask.calibration.exact_model import ExactModel
from unmask.calibration.population import Member, Observed, observe, pair_facts
from unmask.measures.registry import maskings_of
from unmask.measures.scoring import score_pairs
from unmask.worlds.grammar import World, text_of
from unmask.worlds.pairs import Counts, crows_pairs


def planted_pairs(world: World, counts: Counts) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The pairs of a world's CrowS-Pairs file as PAIRS, and what is planted in each (`pair_facts`), row by
    row."""
    planted = crows_pairs(world, counts)
    pairs = pd.DataFrame(
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
    )
    return pairs, pair_facts(world.name, pairs, {pair.pair_id: pair.facts() for pair in planted})


def observe_exact(
    member: Member,
    pairs: pd.DataFrame,
    facts: pd.DataFrame,
    model: ExactModel | ExactLeftModel,
    measures: Sequence[str],
) -> Observed:
    """What measures decide with an exact model of pairs and facts as `planted_pairs` gives them.

    measures: for models of its kind. Raises InputError as `exact_evidence` does.
    """
    evidence = evidence_by_masking(pairs, model, maskings_of(measures))
    return observe(member, facts, score_pairs(list(pairs["pair_id"]), evidence, measures))

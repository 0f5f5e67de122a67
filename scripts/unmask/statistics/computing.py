"""All statistics of one model on one benchmark."""

import logging
from collections.abc import Mapping

import pandas as pd

from unmask.statistics.accuracy import accuracy_table
from unmask.statistics.agreement import agreement_table, areas_compared, roc_table
from unmask.statistics.bias import bias_table
from unmask.statistics.comparisons import measures_compared
from unmask.statistics.mcnemar import mcnemar_table
from unmask.statistics.near_ties import near_ties_table
from unmask.statistics.nodes import dependence_of
from unmask.statistics.options import Options
from unmask.terms import ORIGINAL, SHUFFLED

logger = logging.getLogger(__name__)


def compute(
    pairs: pd.DataFrame,
    scores: pd.DataFrame,
    evidence: Mapping[str, pd.DataFrame],
    shuffled_scores: pd.DataFrame | None,
    shuffled: pd.DataFrame | None,
    options: Options,
) -> dict[str, pd.DataFrame]:
    """The tables by name, each as unmask.statistics.schema.SCHEMAS has it.

    `scores` and `shuffled_scores` are of the two variants. `evidence` maps a masking to its Evidence table,
    `shuffled` is that of the shuffled variant under the masking `none`. Raises InputError where the tables
    do not belong together.
    """
    measures = scores["measure"].drop_duplicates().tolist()
    logger.info("%d pairs, %d measures", len(pairs), len(measures))
    dependence = dependence_of(pairs, options.clusters)
    bias, near_ties = bias_table(pairs, scores, options), near_ties_table(pairs, scores, ORIGINAL)
    if shuffled_scores is not None:
        control = bias_table(pairs, shuffled_scores, options, SHUFFLED)
        bias = pd.concat([bias, control], ignore_index=True)
        of_control = near_ties_table(pairs, shuffled_scores, SHUFFLED)
        near_ties = pd.concat([near_ties, of_control], ignore_index=True)
    tables = {
        "bias": bias,
        "near_ties": near_ties,
        "accuracy": accuracy_table(measures, evidence, shuffled, options.confidence),
        "tests": mcnemar_table(measures, evidence, shuffled, options.pairing),
        "measures_compared": measures_compared(pairs, scores, dependence, options.confidence),
        "agreement": agreement_table(pairs, scores, options, dependence),
        "roc": roc_table(pairs, scores, options),
        "areas_compared": areas_compared(pairs, scores, options, dependence),
    }
    for name, rows in tables.items():
        logger.info("%s: %d rows", name, len(rows))
    return tables

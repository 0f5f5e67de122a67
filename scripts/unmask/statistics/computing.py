"""All statistics of one model on one benchmark."""

import logging
from collections.abc import Mapping, Sequence

import pandas as pd

from unmask.statistics.accuracy import accuracy_table
from unmask.statistics.agreement import agreement_table, areas_compared, roc_table
from unmask.statistics.bias import bias_table
from unmask.statistics.comparisons import measures_compared
from unmask.statistics.leverage import leverage_table
from unmask.statistics.mcnemar import mcnemar_table
from unmask.statistics.near_ties import near_ties_table
from unmask.statistics.nodes import dependence_of, kinds_in
from unmask.statistics.options import Options
from unmask.terms import NONE, ORIGINAL, SHUFFLED

logger = logging.getLogger(__name__)


def compute(
    pairs: pd.DataFrame,
    scores: pd.DataFrame,
    evidence: Mapping[str, pd.DataFrame],
    shuffled_scores: pd.DataFrame | None,
    shuffled: pd.DataFrame | None,
    options: Options,
    untrained: Sequence[pd.DataFrame] = (),
) -> dict[str, pd.DataFrame]:
    """The tables by name, each as unmask.statistics.schema.SCHEMAS has it.

    `scores` and `shuffled_scores` are of the two variants. `evidence` maps a masking to its Evidence table,
    `shuffled` is that of the shuffled variant under the masking `none`. `untrained` are the scores of
    untrained networks, a table each. Raises InputError where the tables do not belong together.
    """
    measures = scores["measure"].drop_duplicates().tolist()
    logger.info("%d pairs, %d measures", len(pairs), len(measures))
    dependence = dependence_of(pairs, kinds_in(pairs, options.clusters))
    bias = bias_table(pairs, scores, options, dependence, evidence, untrained=untrained)
    near_ties = near_ties_table(pairs, scores, ORIGINAL)
    if shuffled_scores is not None:
        of_none = None if shuffled is None else {NONE: shuffled}
        control = bias_table(pairs, shuffled_scores, options, dependence, of_none, variant=SHUFFLED)
        bias = pd.concat([bias, control], ignore_index=True)
        of_control = near_ties_table(pairs, shuffled_scores, SHUFFLED)
        near_ties = pd.concat([near_ties, of_control], ignore_index=True)
    tables = {
        "bias": bias,
        "leverage": leverage_table(pairs, scores),
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

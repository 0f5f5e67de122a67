"""All statistics of one model on one benchmark."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from unmask.statistics.accuracy import accuracy_counts, accuracy_table
from unmask.statistics.agreement import agreement_table, areas_compared, roc_table
from unmask.statistics.bias import bias_table
from unmask.statistics.comparisons import measures_compared
from unmask.statistics.leverage import leverage_table
from unmask.statistics.lexical import Lexicons
from unmask.statistics.mcnemar import mcnemar_table, tallies
from unmask.statistics.near_ties import near_ties_table
from unmask.statistics.nodes import dependence_of, kinds_in
from unmask.statistics.options import Options
from unmask.terms import NONE, ORIGINAL, SHUFFLED

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Part:
    """Some pairs of a benchmark, in its order, with their evidence.

    evidence maps a masking to its Evidence table; shuffled is that of the shuffled variant under the masking
    `none`, if there is one.
    """

    pairs: pd.DataFrame
    evidence: Mapping[str, pd.DataFrame]
    shuffled: pd.DataFrame | None = None


def compute(
    pairs: pd.DataFrame,
    scores: pd.DataFrame,
    parts: Iterable[Part],
    shuffled_scores: pd.DataFrame | None,
    options: Options,
    untrained: Sequence[pd.DataFrame] = (),
) -> dict[str, pd.DataFrame]:
    """The tables by name, each as unmask.statistics.schema.SCHEMAS has it.

    `scores` and `shuffled_scores` are of the two variants, `parts` of all pairs; `untrained` are the scores
    of untrained networks, a table each. Raises InputError where the tables do not belong together.
    """
    measures = scores["measure"].drop_duplicates().tolist()
    shuffled_measures = (
        [] if shuffled_scores is None else shuffled_scores["measure"].drop_duplicates().tolist()
    )
    logger.info("%d pairs, %d measures", len(pairs), len(measures))
    counts, counted, words = [], [], Lexicons(pairs, measures)
    of_shuffled = Lexicons(pairs, shuffled_measures)
    for part in parts:
        counts.append(accuracy_counts(measures, part.evidence, part.shuffled))
        counted.append(tallies(measures, part.evidence, part.shuffled))
        words.add(part.pairs, part.evidence)
        if part.shuffled is not None:
            of_shuffled.add(part.pairs, {NONE: part.shuffled})
    dependence = dependence_of(pairs, kinds_in(pairs, options.clusters))
    bias = bias_table(pairs, scores, options, dependence, words, untrained)
    near_ties = near_ties_table(pairs, scores, ORIGINAL)
    if shuffled_scores is not None:
        control = bias_table(pairs, shuffled_scores, options, dependence, of_shuffled, variant=SHUFFLED)
        bias = pd.concat([bias, control], ignore_index=True)
        of_control = near_ties_table(pairs, shuffled_scores, SHUFFLED)
        near_ties = pd.concat([near_ties, of_control], ignore_index=True)
    tables = {
        "bias": bias,
        "leverage": leverage_table(pairs, scores),
        "near_ties": near_ties,
        "accuracy": accuracy_table(counts, options.confidence),
        "tests": mcnemar_table(counted, options.pairing),
        "measures_compared": measures_compared(pairs, scores, dependence, options.confidence),
        "agreement": agreement_table(pairs, scores, options, dependence),
        "roc": roc_table(pairs, scores, options),
        "areas_compared": areas_compared(pairs, scores, options, dependence),
    }
    for name, rows in tables.items():
        logger.info("%s: %d rows", name, len(rows))
    return tables

"""All statistics of one model on one benchmark."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from unmask.evidence.protocols import all_in_protocol
from unmask.statistics.accuracy import accuracy_counts, accuracy_table
from unmask.statistics.agreement import agreement_table, areas_compared, roc_bands, roc_table
from unmask.statistics.bias import bias_table
from unmask.statistics.comparisons import measures_compared
from unmask.statistics.decisions import Decisions, decisions
from unmask.statistics.disputed import disputed_table
from unmask.statistics.flaws import flags
from unmask.statistics.leverage import leverage_table
from unmask.statistics.lexical import Lexicons
from unmask.statistics.mcnemar import mcnemar_table, tallies
from unmask.statistics.near_ties import near_ties_table
from unmask.statistics.nodes import dependence_of, kinds_in
from unmask.statistics.options import Options
from unmask.statistics.quality import UNKNOWN_TOKENS, quality_table, unequal_tokens, unknown_tokens
from unmask.statistics.readings import other_readings
from unmask.statistics.schema import UNEQUAL_TOKENS
from unmask.terms import CORRECTED, NONE, SHUFFLED

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


@dataclass(frozen=True)
class Scored:
    """What a table of scores (SCORES) comes to: the decisions, and its near-ties."""

    decisions: Decisions
    near_ties: pd.DataFrame

    @classmethod
    def of(cls, pairs: pd.DataFrame, scores: pd.DataFrame, variant: str) -> "Scored":
        return cls(decisions(pairs, scores), near_ties_table(pairs, scores, variant))

    @property
    def measures(self) -> list[str]:
        return list(dict.fromkeys(measure for measure, _ in self.decisions.series))


def compute(
    pairs: pd.DataFrame,
    flaws: pd.DataFrame,
    original: Scored,
    parts: Iterable[Part],
    shuffled: Scored | None,
    options: Options,
    untrained: Sequence[Decisions] = (),
    unknown_id: int | None = None,
) -> dict[str, pd.DataFrame]:
    """The tables by name, each as unmask.statistics.schema.SCHEMAS has it.

    `flaws` (FLAWS) and `parts` are of all pairs, `original` and `shuffled` of the two variants, `untrained`
    the decisions of untrained networks, `unknown_id` the token of words that the model's tokenizer does not
    know, if it has one. Raises InputError where the tables do not belong together.
    """
    measures = original.measures
    logger.info("%d pairs, %d measures", len(pairs), len(measures))
    counts, counted, words = [], [], Lexicons(pairs, measures)
    unequal, strange = [], []
    of_shuffled = Lexicons(pairs, shuffled.measures if shuffled else [])
    for part in parts:
        # what has no protocol goes by what the corrected one hides
        corrected = all_in_protocol(part.evidence, CORRECTED)
        counts.append(accuracy_counts(measures, corrected, part.shuffled))
        counted.append(tallies(measures, corrected, part.shuffled))
        words.add(part.pairs, part.evidence)
        unequal.append(unequal_tokens(part.pairs, corrected))
        if unknown_id is not None:
            strange.append(unknown_tokens(part.pairs, corrected, unknown_id))
        if part.shuffled is not None:
            of_shuffled.add(part.pairs, {NONE: part.shuffled})
    kinds = kinds_in(pairs, options.clusters)
    found, dependence = original.decisions, dependence_of(pairs, kinds)
    of_pairs = flags(flaws)
    if known := [part for part in unequal if part is not None]:
        of_pairs[UNEQUAL_TOKENS] = np.concatenate(known)
    if strange:
        of_pairs[UNKNOWN_TOKENS] = np.concatenate(strange)
    readings = other_readings(pairs, kinds)
    bias = bias_table(pairs, found, options, dependence, words, untrained, readings=readings)
    near_ties = original.near_ties
    if shuffled is not None:
        control = bias_table(pairs, shuffled.decisions, options, dependence, of_shuffled, variant=SHUFFLED)
        bias = pd.concat([bias, control], ignore_index=True)
        near_ties = pd.concat([near_ties, shuffled.near_ties], ignore_index=True)
    tables = {
        "bias": bias,
        "leverage": leverage_table(pairs, found),
        "near_ties": near_ties,
        "accuracy": accuracy_table(counts, options.confidence),
        "tests": mcnemar_table(counted, options.pairing, pairs["pair_id"].tolist(), dependence),
        "measures_compared": measures_compared(found, dependence, options.confidence),
        "agreement": agreement_table(pairs, found, options, dependence),
        "roc": roc_table(pairs, found, options),
        "roc_bands": roc_bands(pairs, found, options, dependence),
        "areas_compared": areas_compared(pairs, found, options, dependence),
        "quality": quality_table(found, of_pairs, dependence, options.confidence),
        "disputed": disputed_table(pairs, found),
    }
    for name, rows in tables.items():
        logger.info("%s: %d rows", name, len(rows))
    return tables

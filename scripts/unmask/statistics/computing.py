"""All statistics of one model on one benchmark."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from unmask.errors import InputError
from unmask.measures.scoring import Evidence, margins_against_unrelated
from unmask.statistics.accuracy import accuracy_table, mcnemar_table
from unmask.statistics.agreement import agreement_table, roc_table
from unmask.statistics.bias import bias_table
from unmask.statistics.comparisons import measures_compared
from unmask.statistics.decisions import Decisions
from unmask.statistics.lms import lms_table
from unmask.statistics.null import RandomWords, words_of_evidence
from unmask.statistics.quality import flags, leverage_table, quality_table, token_flags
from unmask.statistics.sharing import sharing_of
from unmask.terms import SHUFFLED

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Measured:
    """What a model makes of all pairs in one order of words: decisions, and the evidence behind them by
    masking, of which there is none where scores were made elsewhere."""

    decisions: Decisions
    evidence: Evidence = field(default_factory=dict)


def compute(
    pairs: pd.DataFrame,
    flaws: pd.DataFrame,
    original: Measured,
    options: Mapping[str, Any],
    shuffled: Measured | None = None,
    untrained: Sequence[Decisions] = (),
    words: Mapping[tuple[str, str], RandomWords] | None = None,
    unknown_id: int | None = None,
) -> dict[str, pd.DataFrame]:
    """The tables by name, each as unmask.statistics.schema.SCHEMAS has it.

    `flaws` (FLAWS), `original` and `shuffled`, the two variants, are of all pairs, `untrained` the decisions
    of untrained networks, `options` the study's `statistics`, `unknown_id` the token of words that the
    model's tokenizer does not know. Without evidence there is no token accuracy, and no null of word choice
    but that of `words`. Raises InputError where the tables do not belong together.
    """
    if list(flaws["pair_id"]) != list(pairs["pair_id"]):
        raise InputError("flaws: they are not of the pairs of this benchmark; delete them and run again")
    decisions, evidence = original.decisions, original.evidence
    measures = list(dict.fromkeys(measure for measure, _ in decisions.series))
    logger.info("%d pairs, %d measures", len(pairs), len(measures))
    sharing, confidence = sharing_of(pairs, options["clusters"]), options["confidence"]
    if evidence:
        words = words_of_evidence(pairs, evidence, decisions.series)
    bias = bias_table(pairs, decisions, options, sharing, words, untrained)
    if shuffled is not None:
        words = words_of_evidence(pairs, shuffled.evidence, shuffled.decisions.series)
        control = bias_table(pairs, shuffled.decisions, options, sharing, words, variant=SHUFFLED)
        bias = pd.concat([bias, control], ignore_index=True)
    of_shuffled = shuffled.evidence if shuffled else {}
    of_pairs = flags(flaws) | token_flags(pairs, evidence, unknown_id)
    of_evidence = measures if evidence else []
    unrelated = margins_against_unrelated(pairs["pair_id"].tolist(), evidence, of_evidence)
    return {
        "bias": bias,
        "leverage": leverage_table(pairs, decisions),
        "accuracy": accuracy_table(evidence, of_shuffled, confidence),
        "tests": mcnemar_table(evidence, of_shuffled, pairs, sharing),
        "measures_compared": measures_compared(decisions, sharing, confidence),
        "agreement": agreement_table(pairs, decisions, confidence, sharing),
        "roc": roc_table(pairs, decisions),
        "quality": quality_table(decisions, of_pairs, sharing, confidence),
        "lms": lms_table(pairs, decisions, unrelated, sharing, confidence),
    }

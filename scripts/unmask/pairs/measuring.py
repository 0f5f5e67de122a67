"""One model on one benchmark: its evidence, and all statistics of it."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from unmask.errors import InputError
from unmask.evidence.schema import EVIDENCE
from unmask.measures.scoring import Evidence, margins_against_unrelated
from unmask.statistics.accuracy import accuracy_table, mcnemar_table
from unmask.statistics.agreement import agreement_table, roc_table
from unmask.statistics.comparisons import measures_compared
from unmask.statistics.null import RandomWords, words_of_evidence
from unmask.statistics.quality import flags, leverage_table, quality_table, token_flags
from unmask.statistics.scores import Decisions, bias_table, lms_table
from unmask.statistics.uncertainty import sharing_of
from unmask.tables import read_table
from unmask.terms import ORIGINAL, SHUFFLED

logger = logging.getLogger(__name__)


def read_evidence(path: str | Path, pairs: pd.DataFrame) -> pd.DataFrame:
    """The rows of an Evidence table of these pairs (PAIRS).

    Raises InputError where the file is no Evidence table, or where its pairs are not those of the benchmark
    in their order.
    """
    rows = read_table(path, EVIDENCE)
    # a pair that is none of the benchmark's has the place -1
    place = pd.Index(pairs["pair_id"]).get_indexer(rows["pair_id"])
    if (np.diff(place, prepend=0) < 0).any():
        raise InputError(
            f"{path}: its pairs are not those of the benchmark in their order; delete it and run again"
        )
    return rows


def compute(
    pairs: pd.DataFrame,
    flaws: pd.DataFrame,
    decisions: Mapping[str, Decisions],
    evidence: Mapping[str, Evidence],
    options: Mapping[str, Any],
    untrained: Sequence[Decisions] = (),
    words: Mapping[tuple[str, str], RandomWords] | None = None,
    unknown_id: int | None = None,
) -> dict[str, pd.DataFrame]:
    """The tables by name, each as unmask.statistics.schema.SCHEMAS has it.

    flaws: FLAWS. decisions, evidence: by variant, of which the shuffled one may be absent, of all pairs.
    options: the study's `statistics`. untrained: the decisions of untrained networks. unknown_id: the token
    of words that the model's tokenizer does not know. Scores that were made elsewhere have no evidence, so no
    token accuracy, and no null of word choice but that of `words`. Raises InputError where the tables do not
    belong together.
    """
    if list(flaws["pair_id"]) != list(pairs["pair_id"]):
        raise InputError("flaws: they are not of the pairs of this benchmark; delete them and run again")
    original, rows = decisions[ORIGINAL], evidence.get(ORIGINAL, {})
    measures = list(dict.fromkeys(measure for measure, _ in original.series))
    logger.info("%d pairs, %d measures", len(pairs), len(measures))
    sharing, confidence = sharing_of(pairs, options["clusters"]), options["confidence"]
    if rows:
        words = words_of_evidence(pairs, rows, original.series)
    bias = bias_table(pairs, original, options, sharing, words, untrained)
    shuffled = evidence.get(SHUFFLED, {})
    if shuffled:
        control = decisions[SHUFFLED]
        words = words_of_evidence(pairs, shuffled, control.series)
        of_control = bias_table(pairs, control, options, sharing, words, variant=SHUFFLED)
        bias = pd.concat([bias, of_control], ignore_index=True)
    of_pairs = flags(flaws) | token_flags(pairs, rows, unknown_id)
    unrelated = margins_against_unrelated(list(pairs["pair_id"]), rows, measures if rows else [])
    return {
        "bias": bias,
        "leverage": leverage_table(pairs, original),
        "accuracy": accuracy_table(rows, shuffled, confidence),
        "tests": mcnemar_table(rows, shuffled, pairs, sharing),
        "measures_compared": measures_compared(original, sharing, confidence),
        "agreement": agreement_table(pairs, original, confidence, sharing),
        "roc": roc_table(pairs, original),
        "quality": quality_table(original, of_pairs, sharing, confidence),
        "lms": lms_table(pairs, original, unrelated, sharing, confidence),
    }

"""All statistics of one model on one benchmark."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from unmask.measures.formulas import maskings_of
from unmask.measures.scoring import UNRELATED_COLUMNS, margins_against_unrelated
from unmask.statistics.accuracy import Matches, accuracy_counts, accuracy_table, matches, mcnemar_table
from unmask.statistics.agreement import agreement_table, areas_compared, roc_table
from unmask.statistics.bias import bias_table
from unmask.statistics.comparisons import measures_compared
from unmask.statistics.decisions import Decisions
from unmask.statistics.lms import lms_table
from unmask.statistics.null import RandomWords, WordsOfEvidence
from unmask.statistics.quality import (
    UNKNOWN_TOKENS,
    flags,
    leverage_table,
    quality_table,
    unequal_tokens,
    unknown_tokens,
)
from unmask.statistics.schema import UNEQUAL_TOKENS
from unmask.statistics.sharing import Flags, sharing_of
from unmask.terms import SHUFFLED

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Part:
    """Some pairs of a benchmark, in its order, with their evidence.

    evidence maps a masking to its Evidence table; shuffled is that of the shuffled variant, if there is one,
    under the masking that the measures of it read: `none`, or `left` of a causal language model.
    """

    pairs: pd.DataFrame
    evidence: Mapping[str, pd.DataFrame]
    shuffled: pd.DataFrame | None = None


class EvidenceCounts:
    """What statistics need of evidence, some pairs at a time: the evidence itself is not kept.

    measures, of_shuffled: the measures of the two variants; unknown_id: the token of words that the model's
    tokenizer does not know, if it has one.
    """

    def __init__(
        self,
        pairs: pd.DataFrame,
        measures: Sequence[str],
        of_shuffled: Sequence[str] = (),
        unknown_id: int | None = None,
    ) -> None:
        self._measures, self._of_shuffled, self._unknown_id = measures, of_shuffled, unknown_id
        self.words, self.shuffled_words = (
            WordsOfEvidence(pairs, measures),
            WordsOfEvidence(pairs, of_shuffled),
        )
        self.accuracy: list[pd.DataFrame] = []
        self.matches: list[Matches] = []
        self._unrelated: list[pd.DataFrame] = []
        self._unequal: list[Flags | None] = []
        self._unknown: list[Flags] = []

    def add(self, part: Part) -> None:
        """Take what is needed of these pairs; all come once, in the order of the benchmark."""
        self.accuracy.append(accuracy_counts(self._measures, part.evidence, part.shuffled))
        self.matches.append(matches(self._measures, part.evidence, part.shuffled))
        self.words.add(part.pairs, part.evidence)
        ids = part.pairs["pair_id"].tolist()
        self._unrelated.append(margins_against_unrelated(ids, part.evidence, self._measures))
        self._unequal.append(unequal_tokens(part.pairs, part.evidence))
        if self._unknown_id is not None:
            self._unknown.append(unknown_tokens(part.pairs, part.evidence, self._unknown_id))
        if part.shuffled is not None:
            (masking,) = maskings_of(self._of_shuffled)
            self.shuffled_words.add(part.pairs, {masking: part.shuffled})

    def unrelated(self) -> pd.DataFrame:
        """How much more than the unrelated sentence of their pair sentences score."""
        parts = [part for part in self._unrelated if len(part)]
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(UNRELATED_COLUMNS))

    def flags(self) -> dict[str, Flags]:
        """What is wrong with pairs as the model reads them, by name."""
        unequal = [part for part in self._unequal if part is not None]
        parts_of = {UNEQUAL_TOKENS: unequal, UNKNOWN_TOKENS: self._unknown}
        return {name: np.concatenate(parts) for name, parts in parts_of.items() if parts}


def compute(
    pairs: pd.DataFrame,
    flaws: pd.DataFrame,
    original: Decisions,
    counts: EvidenceCounts | None,
    shuffled: Decisions | None,
    options: Mapping[str, Any],
    untrained: Sequence[Decisions] = (),
    words: Mapping[tuple[str, str], RandomWords] | None = None,
) -> dict[str, pd.DataFrame]:
    """The tables by name, each as unmask.statistics.schema.SCHEMAS has it.

    `flaws` (FLAWS) and `counts` are of all pairs, `original` and `shuffled` of the two variants, `untrained`
    the decisions of untrained networks, `options` the study's `statistics`. Without `counts`, as of scores
    that were made elsewhere, there is no token accuracy, and no null of word choice but that of `words`.
    Raises InputError where the tables do not belong together.
    """
    logger.info("%d pairs, %d measures", len(pairs), len({measure for measure, _ in original.series}))
    sharing, confidence = sharing_of(pairs, options["clusters"]), options["confidence"]
    words = counts.words.by_series() if counts else words
    bias = bias_table(pairs, original, options, sharing, words, untrained)
    if shuffled is not None:
        of_shuffled = counts.shuffled_words.by_series() if counts else None
        control = bias_table(pairs, shuffled, options, sharing, of_shuffled, variant=SHUFFLED)
        bias = pd.concat([bias, control], ignore_index=True)
    unrelated = counts.unrelated() if counts else pd.DataFrame(columns=list(UNRELATED_COLUMNS))
    of_pairs = flags(flaws) | (counts.flags() if counts else {})
    tables = {
        "bias": bias,
        "leverage": leverage_table(pairs, original),
        "accuracy": accuracy_table(counts.accuracy if counts else [], confidence),
        "tests": mcnemar_table(counts.matches if counts else [], pairs, sharing),
        "measures_compared": measures_compared(original, sharing, confidence),
        "agreement": agreement_table(pairs, original, options, sharing),
        "roc": roc_table(pairs, original, options),
        "areas_compared": areas_compared(pairs, original, options, sharing),
        "quality": quality_table(original, of_pairs, sharing, confidence),
        "lms": lms_table(pairs, original, unrelated, sharing, confidence),
    }
    for name, rows in tables.items():
        logger.info("%s: %d rows", name, len(rows))
    return tables

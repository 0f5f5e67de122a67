"""All statistics of one model on one benchmark."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from unmask.measures.registry import maskings_of
from unmask.measures.unrelated import COLUMNS, margins_against_unrelated
from unmask.statistics.accuracy import accuracy_counts, accuracy_table
from unmask.statistics.agreement import agreement_table, areas_compared, roc_table
from unmask.statistics.bias import bias_table
from unmask.statistics.comparisons import measures_compared
from unmask.statistics.decisions import Decisions
from unmask.statistics.flaws import Flags, flags
from unmask.statistics.leverage import leverage_table
from unmask.statistics.lexical import Lexicons, LexiconSource
from unmask.statistics.lms import lms_table
from unmask.statistics.mcnemar import Tallies, mcnemar_table, tallies
from unmask.statistics.options import Options
from unmask.statistics.quality import UNKNOWN_TOKENS, quality_table, unequal_tokens, unknown_tokens
from unmask.statistics.schema import UNEQUAL_TOKENS
from unmask.statistics.shared_words import dependence_of, kinds_in
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
        self.words, self.shuffled_words = Lexicons(pairs, measures), Lexicons(pairs, of_shuffled)
        self.accuracy: list[pd.DataFrame] = []
        self.tallies: list[Tallies] = []
        self._unrelated: list[pd.DataFrame] = []
        self._unequal: list[Flags | None] = []
        self._unknown: list[Flags] = []

    def add(self, part: Part) -> None:
        """Take what is needed of these pairs; all come once, in the order of the benchmark."""
        self.accuracy.append(accuracy_counts(self._measures, part.evidence, part.shuffled))
        self.tallies.append(tallies(self._measures, part.evidence, part.shuffled))
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
        """How much more than the unrelated sentence of their pair sentences score (measures.unrelated)."""
        parts = [part for part in self._unrelated if len(part)]
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(COLUMNS))

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
    options: Options,
    untrained: Sequence[Decisions] = (),
    words: LexiconSource | None = None,
) -> dict[str, pd.DataFrame]:
    """The tables by name, each as unmask.statistics.schema.SCHEMAS has it.

    `flaws` (FLAWS) and `counts` are of all pairs, `original` and `shuffled` of the two variants, `untrained`
    the decisions of untrained networks. Without `counts`, as of scores that were made elsewhere, there is no
    token accuracy, and no lexical null but that of `words`.
    Raises InputError where the tables do not belong together.
    """
    logger.info("%d pairs, %d measures", len(pairs), len({measure for measure, _ in original.series}))
    of_shuffled = None
    if counts is not None:
        words, of_shuffled = counts.words, counts.shuffled_words
    kinds = kinds_in(pairs, options.clusters)
    decided, dependence = original, dependence_of(pairs, kinds)
    of_pairs = flags(flaws) | (counts.flags() if counts else {})
    bias = bias_table(pairs, decided, options, dependence, words, untrained)
    if shuffled is not None:
        control = bias_table(pairs, shuffled, options, dependence, of_shuffled, variant=SHUFFLED)
        bias = pd.concat([bias, control], ignore_index=True)
    unrelated = counts.unrelated() if counts else pd.DataFrame(columns=list(COLUMNS))
    tables = {
        "bias": bias,
        "leverage": leverage_table(pairs, decided),
        "accuracy": accuracy_table(counts.accuracy if counts else [], options.confidence),
        "tests": mcnemar_table(counts.tallies if counts else [], pairs["pair_id"].tolist(), dependence),
        "measures_compared": measures_compared(decided, dependence, options.confidence),
        "agreement": agreement_table(pairs, decided, options, dependence),
        "roc": roc_table(pairs, decided, options),
        "areas_compared": areas_compared(pairs, decided, options, dependence),
        "quality": quality_table(decided, of_pairs, dependence, options.confidence),
        "lms": lms_table(pairs, decided, unrelated, dependence, options.confidence),
    }
    for name, rows in tables.items():
        logger.info("%s: %d rows", name, len(rows))
    return tables

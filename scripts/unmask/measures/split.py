"""The exact split of a margin of LL: what the modified words cost, and what follows from them.

By the chain rule LL(S) = |M| · CSSS(S) + CCPS(S) in every sentence, so that each margin of LL is the sum of
two, without a remainder.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from unmask.evidence.protocols import SIDES, in_protocol
from unmask.measures.left_context import is_modified, scored_tokens
from unmask.measures.measure import Evidence
from unmask.measures.reduction import SENTENCE, total
from unmask.measures.scoring import sides_of
from unmask.terms import CORRECTED, LEFT

WHOLE, WORDS, CONTINUATION = "whole", "words", "continuation"
PARTS = (WHOLE, WORDS, CONTINUATION)
"""The margin of LL, and what it is made of: that of the modified tokens, and that of all others."""


def split_margins(pair_ids: Sequence[str], evidence: Evidence) -> pd.DataFrame:
    """The margin of LL of each pair (rows, as `pair_ids`) and its parts (columns: PARTS), in nats.

    evidence: that under `left`. WHOLE is WORDS + CONTINUATION to float error. What both sentences share
    before their first difference cancels, so that CONTINUATION is of what stands behind it, and 0 where
    nothing does. All are nan where LL is undefined, and 0 where neither sentence has a predicted token.
    """
    rows = in_protocol(evidence[LEFT], CORRECTED)
    tokens, weight = scored_tokens(rows[rows["role"].isin(SIDES)])
    modified = is_modified(tokens)
    every = modified | ~modified
    margins = {
        part: np.subtract(
            *sides_of(total(tokens[of], tokens.loc[of, "log_prob"], weight[of]).scores(), pair_ids, 0.0)
        )
        for part, of in zip(PARTS, (every, modified, ~modified), strict=True)
    }
    counts = sides_of(tokens.groupby(SENTENCE, observed=True, sort=False).size(), pair_ids, 0)
    # a sentence without a token has no probability, unless neither has: then nothing tells them apart
    one_is_empty = (counts == 0).any(axis=0) & (counts > 0).any(axis=0)
    undefined = np.isnan(margins[WHOLE]) | one_is_empty
    known = {part: np.where(undefined, np.nan, values) for part, values in margins.items()}
    return pd.DataFrame(known, index=list(pair_ids))

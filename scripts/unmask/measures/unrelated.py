"""By how much a measure prefers the two sentences of a pair to the unrelated one."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from unmask.measures.measure import Evidence
from unmask.measures.registry import measure
from unmask.measures.scoring import sides_of
from unmask.terms import PROTOCOLS, SIDES, UNRELATED

COLUMNS = ("pair_id", "measure", "protocol", *SIDES)


def margins_against_unrelated(
    pair_ids: Sequence[str], evidence: Evidence, measures: Sequence[str]
) -> pd.DataFrame:
    """A row for each pair, measure and protocol with COLUMNS: the score of the stereotypical, and of the
    antistereotypical, sentence less that of the unrelated one, in the measure's unit.

    nan where either sentence has nothing to score. evidence: of these pairs by masking. A measure that scores
    none of the unrelated sentences has no rows: they are not read under its maskings, or it is of tokens that
    the two sentences of a pair share.
    """
    of_unrelated = {masking for masking, rows in evidence.items() if rows["role"].eq(UNRELATED).any()}
    reading = [name for name in measures if of_unrelated.issuperset(measure(name).maskings)]
    parts = []
    for name in reading:
        for protocol in PROTOCOLS:
            scores = measure(name).formula(evidence, protocol).scores()
            unrelated = scores[scores.index.get_level_values("role") == UNRELATED].droplevel("role")
            if unrelated.notna().any():
                margins = sides_of(scores, pair_ids, np.nan) - unrelated.reindex(list(pair_ids)).to_numpy(
                    float
                )
                sides = dict(zip(SIDES, margins, strict=True))
                parts.append({"pair_id": list(pair_ids), "measure": name, "protocol": protocol, **sides})
    frames = [pd.DataFrame(part, columns=list(COLUMNS)) for part in parts]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=list(COLUMNS))

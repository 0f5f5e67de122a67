"""How many decisions of a causal language model change with the reading of its log-probabilities.

LL is the sum over all tokens, each behind the start token. Others take the mean, leave the first token out,
or read the text without the start token. Two readings with equal scores may decide many pairs differently.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from unmask.evidence.protocols import SIDES, in_protocol
from unmask.measures.measure import Evidence
from unmask.measures.reduction import mean, total
from unmask.measures.scoring import TIE_MARGIN, outcomes_of, sides_of
from unmask.terms import CORRECTED, LEFT, STEREOTYPE, TIE, UNDEFINED, UNSTARTED

ALL_TOKENS, FIRST_TOKEN, NO_TOKEN = "all tokens", "first token", "none"
"""Which tokens of a text are read behind the start token."""

SCORED, NOT_SCORED = "scored", "not scored"
"""What becomes of the first token of a text."""

SCORES = {"sum": total, "mean": mean}
"""How log-probabilities become the score of a sentence."""

READING = ["start", "first_token", "score"]
"""What a reading is."""

FIRST_DIFFERS = ("", "", "first differs")
"""The column of whether the first tokens of the two sentences differ."""


def margins_by_reading(pair_ids: Sequence[str], evidence: Evidence, started: bool) -> pd.DataFrame:
    """The margin of each pair (rows, as `pair_ids`) under each reading (columns: READING), and FIRST_DIFFERS.

    Margins are in nats. evidence: that under `left`, and under `unstarted` where there is some, which has
    the text without its start token. started: whether the model has a start token; a text without one has no
    probability of its first token. An unscored first token is left out of all sentences, also where the first
    tokens of a pair differ.
    """
    left = _sides(evidence[LEFT])
    text = left[~left["special"].astype(bool)]
    is_first = text["position"] == int(started)
    tokens = {
        (ALL_TOKENS, SCORED): text,
        (ALL_TOKENS, NOT_SCORED): text[~is_first],
    }
    if started and UNSTARTED in evidence:
        others = _sides(evidence[UNSTARTED])
        tokens |= {
            (FIRST_TOKEN, SCORED): pd.concat([text[is_first], others], ignore_index=True),
            (NO_TOKEN, NOT_SCORED): others,
        }
    if not started:
        tokens = {(NO_TOKEN, NOT_SCORED): text}
    margins = {}
    for (start, first_token), rows in tokens.items():
        for score, reduction in SCORES.items():
            sides = sides_of(reduction(rows, rows["log_prob"]).scores(), pair_ids, np.nan)
            # where neither side has a token to score, nothing tells them apart
            empty = np.isnan(sides).all(axis=0)
            margins[start, first_token, score] = np.where(empty, 0.0, sides[0] - sides[1])
    first = left[left["position"] == int(started)].set_index(["pair_id", "role"])["token_id"]
    one, other = sides_of(first, pair_ids, -1)
    return pd.DataFrame({**margins, FIRST_DIFFERS: one != other}, index=list(pair_ids))


def sensitivity_table(margins: pd.DataFrame) -> pd.DataFrame:
    """A row for each reading of `margins_by_reading`, with decisions counted against the first reading.

    Columns: READING; pairs; first_differs, pairs whose first tokens differ; percent, pairs in which the
    stereotype is preferred, of those that are decided, a tie as one half; median_margin, of its size in nats;
    changed, pairs with another outcome than under the first reading; changed_first_differs, those of them
    whose first tokens differ.
    """
    first_differs = margins[FIRST_DIFFERS].to_numpy(dtype=bool)
    readings = list(margins.columns.drop([FIRST_DIFFERS]))
    outcomes = {each: outcomes_of(margins[each].to_numpy(dtype=float), TIE_MARGIN) for each in readings}
    rows = []
    for reading, outcome in outcomes.items():
        decided = outcome[outcome != UNDEFINED]
        credit = (decided == STEREOTYPE) + (decided == TIE) / 2
        changed = outcome != outcomes[readings[0]]
        rows.append(
            {
                **dict(zip(READING, reading, strict=True)),
                "pairs": len(margins),
                "first_differs": int(first_differs.sum()),
                "percent": 100 * credit.mean() if len(decided) else np.nan,
                "median_margin": margins[reading].abs().median(),
                "changed": int(changed.sum()),
                "changed_first_differs": int((changed & first_differs).sum()),
            }
        )
    return pd.DataFrame(rows)


def _sides(rows: pd.DataFrame) -> pd.DataFrame:
    """The two sentences of each pair, as `corrected` has them."""
    rows = in_protocol(rows, CORRECTED)
    return rows[rows["role"].isin(SIDES)]

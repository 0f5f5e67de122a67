"""How scores move without the pairs that have a flaw, and by how much they would move by chance."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from unmask.statistics.decisions import Decisions
from unmask.statistics.dependence import Dependence
from unmask.statistics.flaws import Flags
from unmask.statistics.schema import ANY_FLAW, QUALITY, UNRATED
from unmask.statistics.student import student
from unmask.tables import framed
from unmask.terms import (
    ALL,
    ANTISTEREOTYPE,
    LEFT,
    MODIFIED,
    NONE,
    ONE_MODIFIED,
    STEREOTYPE,
)

UNKNOWN_TOKENS = "unknown_tokens"
"""The flaw that a token of either sentence stands for a word that the model's tokenizer does not know."""


def quality_table(
    decisions: Decisions, flaws: Mapping[str, Flags], dependence: Dependence, confidence: float
) -> pd.DataFrame:
    """Each score without the pairs that have a flaw, as unmask.statistics.schema.QUALITY.

    flaws: by name, which pairs have it, or UNRATED; that they have any flaw is added, to which UNRATED does
    not count. A flaw that no pair of a score has makes no row.

    The pairs without a flaw are some of all pairs, so with y_i what a pair adds to the score (in percent),
    the change is Σ w_i y_i, with w_i = 1/kept - 1/n for a pair that is kept and -1/n for one that is not. The
    weights add up to nothing, and each pair's influence is w_i (y_i - the mean of all): that mean, since
    where a flaw changes nothing all pairs have one. Pairs of `dependence` covary; of few flawed pairs, or of
    flawed pairs that all share a word, there are few degrees of freedom (Moments). random_sd is that of n -
    kept pairs drawn without replacement, s² (1/kept - 1/n) the square of it.
    """
    if not flaws:
        return framed([], QUALITY)
    of_pairs = [flag for name, flag in flaws.items() if name != UNRATED]
    if of_pairs:
        flaws = {**flaws, ANY_FLAW: np.logical_or.reduce(of_pairs)}
    credit, counted = 100 * decisions.credit(), decisions.trials() > 0
    rows: dict[tuple[int, int], dict[str, object]] = {}
    patterns, of_column = np.unique(counted, axis=1, return_inverse=True)
    for pattern, inside in enumerate(patterns.T):
        columns, members = np.flatnonzero(of_column == pattern), np.flatnonzero(inside)
        n, among, values = len(members), dependence.among(members), credit[np.ix_(members, columns)]
        if not n:
            continue
        score = values.mean(axis=0)
        for place, (flaw, flags) in enumerate(flaws.items()):
            flawed = flags[members]
            remaining = int(n - flawed.sum())
            if remaining == n:
                continue
            same: dict[str, object] = {
                "flaw": flaw,
                "n": n,
                "flawed": n - remaining,
                "confidence": confidence,
            }
            if remaining:
                weights = np.where(flawed, 0, 1 / remaining) - 1 / n
                variance = among.moments(weights, np.zeros(n, np.int64)).variance(values - score)
                change = weights @ (values - score)
                tested = student(change, variance.clustered, np.full(len(columns), variance.df), confidence)
                by_chance = np.sqrt(values.var(axis=0, ddof=1) * (1 / remaining - 1 / n))
            for number, column in enumerate(columns):
                measure, protocol = decisions.series[column]
                row = {"measure": measure, "protocol": protocol, "score": score[number], **same}
                if remaining:
                    row |= {
                        "without": score[number] + change[number],
                        "change": change[number],
                        "error": tested.error[number],
                        "df": variance.df if np.isfinite(tested.error[number]) else None,
                        "low": tested.low[number],
                        "high": tested.high[number],
                        "p": tested.p[number],
                        "random_sd": by_chance[number],
                    }
                rows[int(column), place] = row
    return framed([rows[key] for key in sorted(rows)], QUALITY)


def unequal_tokens(pairs: pd.DataFrame, evidence: Mapping[str, pd.DataFrame]) -> Flags | None:
    """Whether the two sentences of each pair are of different numbers of a model's tokens.

    evidence: of these pairs, by masking. What sentences share they share token by token, so the others make
    the difference; None where no masking has these.
    """
    names = (NONE, ALL, MODIFIED, ONE_MODIFIED, LEFT)
    rows = next((evidence[name] for name in names if name in evidence), None)
    if rows is None:
        return None
    rows = rows[rows["modified"].eq(True) & ~rows["special"].astype(bool)]
    counts = [
        rows.loc[rows["role"] == side, "pair_id"].value_counts().reindex(pairs["pair_id"], fill_value=0)
        for side in (STEREOTYPE, ANTISTEREOTYPE)
    ]
    unequal: Flags = counts[0].to_numpy() != counts[1].to_numpy()
    return unequal


def unknown_tokens(pairs: pd.DataFrame, evidence: Mapping[str, pd.DataFrame], unknown_id: int) -> Flags:
    """Whether a token of either sentence of each pair stands for a word that the tokenizer does not know.

    evidence: of these pairs, by masking. What no masking predicts is not seen.
    """
    rows = pd.concat([rows[["pair_id", "role", "token_id", "special"]] for rows in evidence.values()])
    of_sides = rows["role"].isin((STEREOTYPE, ANTISTEREOTYPE)) & ~rows["special"].astype(bool)
    flags: Flags = (
        pairs["pair_id"].isin(rows.loc[of_sides & rows["token_id"].eq(unknown_id), "pair_id"]).to_numpy()
    )
    return flags

"""How scores move without the pairs that have a flaw (unmask.statistics.flaws, or of tokens), or a word."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from unmask.statistics.schema import ANY_FLAW, LEVERAGE, PAIR_FLAWS, QUALITY, UNEQUAL_TOKENS, UNRATED
from unmask.statistics.scores import Decisions, in_order
from unmask.statistics.uncertainty import (
    WORDS,
    ClusteredVariance,
    Flags,
    Sharing,
    by_pattern,
    mean_basis,
    nodes_of,
    t_test,
)
from unmask.tables import framed
from unmask.terms import ALL, ANTISTEREOTYPE, LEFT, MODIFIED, NONE, ONE_MODIFIED, SIDES, STEREOTYPE

UNKNOWN_TOKENS = "unknown_tokens"
"""The flaw that a token of either sentence stands for a word that the model's tokenizer does not know."""

WORDS_SHOWN = 10
"""So many words of each score are in `leverage_table`."""


def flags(flaws: pd.DataFrame, names: Sequence[str] = (*PAIR_FLAWS, UNRATED)) -> dict[str, Flags]:
    """Which pairs have each of these flaws (FLAWS), or are unrated, without what cannot be said of any."""
    return {name: flaws[name].eq(True).to_numpy(bool) for name in names if flaws[name].notna().any()}


def token_flags(
    pairs: pd.DataFrame, evidence: Mapping[str, pd.DataFrame], unknown_id: int | None
) -> dict[str, Flags]:
    """Which pairs have each flaw that the tokens of a model make, from evidence of the pairs by masking.

    UNEQUAL_TOKENS: the two sentences are of different numbers of tokens. What they share they share token by
    token, so the others make the difference; left out where no masking has these. UNKNOWN_TOKENS: a token of
    either stands for a word that the tokenizer does not know, `unknown_id`; what no masking predicts is not
    seen.
    """
    of_sides = {
        masking: rows[rows["role"].isin(SIDES) & ~rows["special"].astype(bool)]
        for masking, rows in evidence.items()
    }
    found = {}
    if some := [of_sides[name] for name in (NONE, ALL, MODIFIED, ONE_MODIFIED, LEFT) if name in evidence]:
        rows = some[0][some[0]["modified"].eq(True)]
        counts = pd.crosstab(rows["pair_id"], rows["role"])
        counts = counts.reindex(index=pairs["pair_id"], columns=list(SIDES), fill_value=0)
        found[UNEQUAL_TOKENS] = (counts[STEREOTYPE] != counts[ANTISTEREOTYPE]).to_numpy(bool)
    if evidence and unknown_id is not None:
        unknown = {
            pair for rows in of_sides.values() for pair in rows["pair_id"][rows["token_id"] == unknown_id]
        }
        found[UNKNOWN_TOKENS] = pairs["pair_id"].isin(unknown).to_numpy(bool)
    return found


def quality_table(
    decisions: Decisions, flaws: Mapping[str, Flags], sharing: Sharing, confidence: float
) -> pd.DataFrame:
    """Each score without the pairs that have a flaw, as unmask.statistics.schema.QUALITY.

    flaws: by name, which pairs have it, or UNRATED; that they have any flaw is added, to which UNRATED does
    not count. A flaw that no pair of a score has makes no row.

    With y_i what a pair adds to the score (in percent), the change is Σ w_i y_i, with w_i = 1/kept - 1/n for
    a pair that is kept and -1/n for one that is not. Each pair's influence is w_i (y_i - the mean of all):
    where a flaw changes nothing all pairs have one mean. random_sd is that of n - kept pairs drawn without
    replacement, s² (1/kept - 1/n) the square of it.
    """
    of_pairs = [flag for name, flag in flaws.items() if name != UNRATED]
    if of_pairs:
        flaws = {**flaws, ANY_FLAW: np.logical_or.reduce(of_pairs)}
    credit, names, parts = 100 * decisions.credit(), decisions.names, []
    for members, columns in by_pattern(credit):
        n, among, values = len(members), sharing.among(members), credit[np.ix_(members, columns)]
        for flaw, flagged in flaws.items():
            kept = ~flagged[members]
            remaining = int(kept.sum())
            if remaining == n:
                continue
            score = values.mean(axis=0)
            part = names.loc[columns].assign(flaw=flaw, n=n, flawed=n - remaining, score=score)
            if remaining:
                weights = kept / remaining - 1 / n
                variance = ClusteredVariance.of(weights, mean_basis(np.zeros(n, np.int64), 1), among)
                change, (clustered, _) = weights @ (values - score), variance.of_residuals(values - score)
                part = part.join(t_test(change, clustered, variance.df, confidence).set_axis(columns))
                part["change"], part["without"] = change, score + change
                part["random_sd"] = np.sqrt(values.var(axis=0, ddof=1) * (1 / remaining - 1 / n))
            parts.append(part)
    return in_order(parts, QUALITY)


def leverage_table(pairs: pd.DataFrame, decisions: Decisions) -> pd.DataFrame:
    """The words that hold each score furthest from that of no preference (`Decisions.neutral`), as
    unmask.statistics.schema.LEVERAGE.

    Leaving a word out leaves out every pair that it is a modified word of. The words of a measure and
    protocol are those that bring the score furthest towards it and past it; rank 1 brings it furthest. A word
    of all pairs has no score without it and is passed over.
    """
    of_pairs = [(word, row) for row, nodes in enumerate(nodes_of(pairs, [WORDS])) for _, word in nodes]
    has = pd.DataFrame(of_pairs, columns=["word", "row"])
    neutral = 100 * decisions.neutral(np.arange(len(pairs)))
    rows = []
    for (measure, protocol), credit, centre in zip(
        decisions.series, decisions.credit().T, neutral, strict=True
    ):
        total, n = float(np.nansum(credit)), int((~np.isnan(credit)).sum())
        if not n:
            continue
        score = 100 * total / n
        by_word = has.assign(credit=credit[has["row"]]).groupby("word")["credit"]
        of_word = by_word.agg(["sum", "count", "size"]).query("count < @n")
        alone = 100 * (total - of_word["sum"]) / (n - of_word["count"])
        toward = (alone - score) * np.sign(centre - score)
        chosen = toward[toward > 0].sort_values(ascending=False, kind="stable").index[:WORDS_SHOWN]
        for rank, word in enumerate(chosen, start=1):
            rows.append((measure, protocol, rank, word, of_word.loc[word, "size"], score, alone[word]))
    return framed(pd.DataFrame(rows, columns=LEVERAGE.names), LEVERAGE)

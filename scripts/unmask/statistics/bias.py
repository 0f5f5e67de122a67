"""Bias scores of a benchmark: how often a measure prefers the stereotype, how surely, and by chance."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from unmask.errors import InputError
from unmask.statistics.decisions import Decisions, groups
from unmask.statistics.null import RandomWords, bands, null_scores
from unmask.statistics.proportions import proportion
from unmask.statistics.schema import BIAS, DIFFERENCE, DIRECTION, NO_CLUSTERS
from unmask.statistics.sharing import TOLERANCE, Floats, Ints, Sharing, contrast, kinds_in, t_test
from unmask.tables import framed
from unmask.terms import ANTISTEREO, ORIGINAL, OUTCOMES, STEREO


def bias_table(
    pairs: pd.DataFrame,
    decisions: Decisions,
    options: Mapping[str, Any],
    sharing: Sharing,
    words: Mapping[tuple[str, str], RandomWords] | None = None,
    untrained: Sequence[Decisions] = (),
    variant: str = ORIGINAL,
) -> pd.DataFrame:
    """Bias scores per group of pairs, measure and protocol, as unmask.statistics.schema.BIAS.

    published: 100 · #stereotype / N, ties and undefined pairs counting as not stereotypical, as the papers'
    released code does. corrected: 100 · (#stereotype + ½ #tie) / (N - #undefined). A measure that is
    undefined for every pair has no score in either.

    A pair never changes sides by its direction: Adv is the score over `antistereo` pairs (stereotypes of an
    advantaged group), Dis that over `stereo` pairs, and the row `difference` is Adv - Dis in percentage
    points (Kaneko & Bollegala 2022, Table 3, has its absolute value).

    Intervals of scores are those of unmask.statistics.proportions; that of the difference is wider than
    Student's t by what either score is near 0 or 100 (_difference). options: the study's `statistics`.
    words: of the evidence behind these scores, for the null (unmask.statistics.null).
    untrained: the decisions of untrained networks.
    """
    if any(network.series != decisions.series for network in untrained):
        raise InputError("scores of untrained networks: their measures are not the study's; make them again")
    every, confidence = list(groups(pairs)), options["confidence"]
    of_group = {
        (grouping, group): _scores(decisions, members, sharing.among(members), confidence)
        for grouping, group, members in every
    }
    parts = [rows.assign(grouping=grouping, group=group) for (grouping, group), rows in of_group.items()]
    directions = {group: members for grouping, group, members in every if grouping == DIRECTION}
    if len(directions) == 2:
        adv, dis = ((directions[name], of_group[DIRECTION, name]) for name in (ANTISTEREO, STEREO))
        difference = _difference(decisions, adv, dis, sharing, confidence)
        parts.append(difference.assign(grouping=DIFFERENCE, group=DIFFERENCE))
    table = pd.concat(parts, ignore_index=True)
    if words is not None:
        members_of = [members for *_, members in every]
        drawn = _with_difference(null_scores(words, decisions, members_of, **options["chance"]), every)
        scores = table["score"].to_numpy().reshape(drawn.shape[:2])
        table = table.join(bands(scores, drawn, confidence))
    if untrained:
        table = table.join(_untrained(untrained, every))
    clusters = "+".join(kinds_in(pairs, options["clusters"])) or NO_CLUSTERS
    return framed(table.assign(variant=variant, confidence=confidence, clusters=clusters), BIAS)


def _counts(decisions: Decisions, members: Ints) -> pd.DataFrame:
    """What is counted of some pairs, a row for each series."""
    outcome = decisions.outcome[members]
    rows = pd.DataFrame(decisions.series, columns=["measure", "protocol"])
    rows["n"] = len(members)
    for name in OUTCOMES:
        rows[name] = (outcome == name).sum(axis=0)
    return rows.assign(near_ties=(decisions.lowest != decisions.highest)[members].sum(axis=0))


def _scores(decisions: Decisions, members: Ints, sharing: Sharing, confidence: float) -> pd.DataFrame:
    """The rows of one group of pairs, of which `sharing` is: a row for each series."""
    neutral, decided = decisions.neutral(members), decisions.decided()[members].any(axis=0)
    score = contrast(decisions.credit()[members], sharing)
    rows = _counts(decisions, members).join(proportion(score, confidence, neutral, decided))
    rows["score"], rows["neutral"], rows["df"] = 100 * score["estimate"], 100 * neutral, score["df"]
    unanimous = score.assign(estimate=1.0, independent=0.0, rarer=0.0)
    rows["unanimous_low"] = proportion(unanimous, confidence)["low"]
    margin = contrast(decisions.margin[members], sharing)
    ends = t_test(margin["estimate"], margin["clustered"], margin["df"], confidence)
    return rows.assign(margin=margin["estimate"], margin_low=ends["low"], margin_high=ends["high"])


def _difference(
    decisions: Decisions,
    adv: tuple[Ints, pd.DataFrame],
    dis: tuple[Ints, pd.DataFrame],
    sharing: Sharing,
    confidence: float,
) -> pd.DataFrame:
    """Adv - Dis of each series, in percentage points; adv, dis: the pairs of either, and their `_scores`.

    A score near 0 or 100 varies more than its residuals say. With l and u the ends of a score's interval in
    `_scores`, and l' and u' those by its residuals alone, the squares of what the interval of the difference
    reaches to below and above are those of Student's t and

        (Adv - l)² - (Adv - l')² + (u - Dis)² - (u' - Dis)²   below,
        (u - Adv)² - (u' - Adv)² + (Dis - l)² - (Dis - l')²   above

    (the squares add up as in Newcombe 1998, Statistics in Medicine 17:873, method 10). Where one of the
    scores has no interval, as where all its pairs tie, the difference has none.
    """
    members = np.union1d(adv[0], dis[0])
    is_dis = np.isin(members, dis[0]).astype(np.int64)
    of = contrast(100 * decisions.credit()[members], sharing.among(members), is_dis, (1.0, -1.0))
    (below, above), (below_dis, above_dis) = (_beyond_residuals(rows) for _, rows in (adv, dis))
    neutral = (adv[1]["neutral"] - dis[1]["neutral"]).to_numpy()
    estimate, df = of["estimate"].to_numpy(), of["df"].to_numpy()
    quantile = stdtrit(np.where(df >= 1 - TOLERANCE, np.maximum(df, 1), np.nan), (1 + confidence) / 2)
    # standard errors towards lower and towards higher differences
    squares = np.stack([below + above_dis, above + below_dis])
    errors = np.sqrt(of["clustered"].to_numpy() + squares / quantile**2)
    errors = np.where(errors > TOLERANCE * np.abs(estimate), errors, np.nan)
    facing = np.where(estimate >= neutral, errors[0], errors[1])
    p = t_test(estimate - neutral, facing**2, df, confidence)["p"]
    clustered = of["clustered"].where(of["clustered"] > 0)
    return _counts(decisions, members).assign(
        score=estimate,
        neutral=neutral,
        low=estimate - quantile * errors[0],
        high=estimate + quantile * errors[1],
        design_effect=clustered / of["independent"],
        df=df,
        p=p,
    )


def _beyond_residuals(rows: pd.DataFrame) -> list[Floats]:
    """By how much the squared reach of each score's interval, in percentage points, exceeds what residuals
    alone say: below and above the score; nan where there is no interval."""
    score = rows["score"]
    squares = [(score - rows[end]) ** 2 - (score - rows[f"residual_{end}"]) ** 2 for end in ("low", "high")]
    # never narrower, by rounding
    return [square.clip(lower=0).to_numpy() for square in squares]


def _with_difference(scores: Floats, every: Sequence[tuple[str, str, Ints]]) -> Floats:
    """Scores of each of `groups`, along the first axis, and after them Adv - Dis, where there are both."""
    place = {group: number for number, (grouping, group, _) in enumerate(every) if grouping == DIRECTION}
    if len(place) < 2:
        return scores
    return np.concatenate([scores, [scores[place[ANTISTEREO]] - scores[place[STEREO]]]])


def _untrained(networks: Sequence[Decisions], every: Sequence[tuple[str, str, Ints]]) -> pd.DataFrame:
    """What untrained networks score in each group, and Adv - Dis: a row for each of them and each series."""
    of_pairs = [pd.DataFrame(100 * network.credit()) for network in networks]
    means = [np.column_stack([each.iloc[members].mean() for each in of_pairs]) for *_, members in every]
    scores = _with_difference(np.stack(means), every).reshape(-1, len(networks))
    columns = {"untrained": np.where(np.isnan(scores).any(axis=1), np.nan, len(networks))}
    for name, of_all in (("low", np.min), ("high", np.max)):
        columns[f"untrained_{name}"] = of_all(scores, axis=1)
    return pd.DataFrame(columns)

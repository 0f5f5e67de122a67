"""LL as a mean, as StereoSet's code has it."""

from unmask.measures.left_context import scored_tokens
from unmask.measures.measure import Evidence, Measure
from unmask.measures.reduction import SENTENCE, Reduction, mean
from unmask.terms import LEFT, MEAN, UNSTARTED


def stereoset_ll(evidence: Evidence, protocol: str) -> Reduction:
    """1/|S| (log P(w_1 | s) + Σ_{t>1} log P(w_t | w_1 … w_{t-1})): no token but the first has s before it.

    So do StereoSet (`_likelihood_score_generative`) and bias-bench (`_joint_log_probability`), whose score is
    2 to the power of this in bits: the order of two sentences is the same. The rest is read anew, without the
    start token.
    """
    # here, since whoever plans a study imports this module and should not wait for it
    import pandas as pd

    behind_start, weight = scored_tokens(evidence[LEFT])
    others = evidence[UNSTARTED]
    of_sides = behind_start["role"].isin(others["role"].unique())
    behind_start, weight = behind_start[of_sides], weight[of_sides]
    place, other_place = (
        pd.MultiIndex.from_frame(rows[[*SENTENCE, "position"]]) for rows in (behind_start, others)
    )
    first = ~place.isin(other_place)
    tokens = pd.concat([behind_start[first], others], ignore_index=True)
    of_others = pd.Series(weight.to_numpy(), index=place).reindex(other_place)
    weights = pd.concat([weight[first], of_others], ignore_index=True)
    return mean(tokens, tokens["log_prob"], weights)


MEASURE = Measure(
    "StereoSetLL",
    stereoset_ll,
    maskings=(LEFT, UNSTARTED),
    title="StereoSet LL",
    spelt_out="Log-Likelihood as StereoSet's code reads it",
    reads="LL (mean) with the start token before the first token alone, and the others read without it",
    over_all_tokens=MEAN,
)

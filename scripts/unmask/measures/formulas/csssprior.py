"""CSSS without what each word has by itself."""

from unmask.measures.left_context import is_modified, scored_tokens
from unmask.measures.measure import Evidence, Measure
from unmask.measures.reduction import SENTENCE, Reduction
from unmask.terms import LEFT, START


def csss_prior(evidence: Evidence, protocol: str) -> Reduction:
    """CSSSPrior(S) = 1/|M| Σ_{m∈M} (log P(m | s, w_<m) - log P(m | s)), pointwise mutual information.

    It takes a token's frequency out. Without a start token s it is undefined.
    """
    # here, since whoever plans a study imports this module and should not wait for it
    import pandas as pd

    in_context, weight = scored_tokens(evidence[LEFT])
    alone = evidence[START]
    counted, by_itself = is_modified(in_context), is_modified(alone)
    in_context, alone = in_context[counted], alone[by_itself]
    has_start = pd.MultiIndex.from_frame(in_context[SENTENCE]).isin(pd.MultiIndex.from_frame(alone[SENTENCE]))
    tokens = pd.concat([in_context, alone], ignore_index=True)
    weights = [weight[counted].where(has_start), alone["position"] * 0 - 1.0]
    shares = [in_context["position"] * 0 + 1.0, alone["position"] * 0.0]
    return Reduction(
        tokens,
        tokens["log_prob"],
        pd.concat(weights, ignore_index=True),
        pd.concat(shares, ignore_index=True),
    )


MEASURE = Measure(
    "CSSSPrior",
    csss_prior,
    maskings=(LEFT, START),
    title="CSSS (prior)",
    spelt_out="Causal StereoSet Score less the prior of each word",
    reads="CSSS less the mean log-probability of the same tokens behind the start token alone",
)

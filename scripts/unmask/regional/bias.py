"""Scores of regional bias: the paper's equations with and without their second division, and the released.

Of a tree with R regions and a list of D words, f (S, R, D) holds mean log-likelihoods and names (S, R) those
of the names alone, for S independent sets at once. Rows are regions as `Tree` numbers them; no score looks at
the root's.
"""

from collections.abc import Iterable, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from unmask.regional.hierarchy import Ints, Tree, four_levels
from unmask.regional.pairs import (
    ROWS,
    Floats,
    cross_totals,
    grouped_mean,
    mean_gaps,
    pair_totals,
    softmax,
    unit,
    weight_totals,
)
from unmask.regional.terms import C_W, C_Z, LEVELS, PAPER, PLAIN, PUBLISHED

NAN = float("nan")

LARGE, GROUP = 512, 128
"""Regions of a region from which on its plain score may be estimated, and of a group that this takes."""


class Rows(NamedTuple):
    """What a model makes of the regions of a tree."""

    # (S, R, D)
    f: Floats
    # (S, R)
    names: Floats


Scores = dict[tuple[str, str], Floats]
"""(S, R) by protocol and measure; nan where a region has no score. C_w of a leaf is its C."""


def all_scores(
    tree: Tree,
    rows: Rows,
    padded: Rows | None,
    protocols: Iterable[str],
    grouped: bool = False,
) -> Scores:
    """The scores of some protocols: `published` of the padded rows, the others of `rows`.

    grouped: plain scores of large regions are estimates.
    """
    protocols = list(protocols)
    ours = [protocol for protocol in protocols if protocol != PUBLISHED]
    scores: Scores = {}
    if ours:
        scores |= equations(tree, rows, ours)
        plain = plain_scores(tree, unit(rows.f), grouped)
        scores |= {(protocol, PLAIN): plain for protocol in ours}
    if PUBLISHED in protocols:
        if padded is None:
            raise ValueError("the protocol `published` needs the likelihoods of the released code's protocol")
        scores |= released(tree, padded) | {(PUBLISHED, PLAIN): released_plain(tree, padded, grouped)}
    return scores


def equations(tree: Tree, rows: Rows, protocols: Sequence[str]) -> Scores:
    """C_w and C_z by the equations of the paper, as `paper` and as `corrected`.

    Equation 2, v = f / ‖f‖. A leaf has V = v and C = ‖v − v̄‖ with the mean over it and its siblings. A
    region with children r_1 … r_n has (6) c_d = mean over pairs of |V_i,d − V_j,d|, (7) α = softmax of c, (4)
    V = v + α ∘ mean of V, and (8, 9) C_w = 2 / (n (n − 1)) Σ_{i<j} w_ij ‖V_i − V_j‖ with w the softmax over
    pairs of C_i + C_j. `corrected` leaves out the factor 2 / (n (n − 1)): the weights sum to one already. In
    C_z the mean log-likelihood of the name alone stands for C in w. The softmax over pairs factorises:
    w_ij = u_i u_j / Σ_{k<l} u_k u_l with u = e^C.

    The paper writes the mean of v in (4) and speaks of the representations of children; as the released code
    does, we take V. A region with one child has no pair: no score, 0 in the weights above it, α the same for
    all dimensions. A region of an inner level without children has V = v.
    """
    v = unit(rows.f)
    sets = len(v)
    scores = {key: np.full((sets, len(tree)), NAN) for key in product(protocols, (C_W, C_Z))}
    c = {protocol: np.zeros((sets, len(tree))) for protocol in protocols}
    inner_v: dict[int, Floats] = {}
    for region in _bottom_up(tree):
        children = tree.children[region]
        n = len(children)
        if not n:
            continue
        leaves = children[tree.leaf[children]]
        if len(leaves):
            distances = _lengths_about(v, leaves, v[:, children].mean(axis=1))
            for protocol in protocols:
                c[protocol][:, leaves] = scores[protocol, C_W][:, leaves] = distances
        below = _v_of(inner_v, v, children)
        if region:
            alpha = softmax(mean_gaps(below))
            inner_v[region] = v[:, region] + alpha * below.mean(axis=1)
        if n < 2:
            continue
        raised = [_raised(c[protocol][:, children]) for protocol in protocols]
        raised.append(np.broadcast_to(_raised(rows.names[:, children]), (sets, n)))
        weights = np.stack(raised, axis=2)
        means = _over(pair_totals(below, weights), weight_totals(weights))
        for place, protocol in enumerate(protocols):
            factor = 2 / (n * (n - 1)) if protocol == PAPER else 1.0
            scores[protocol, C_W][:, region] = factor * means[:, place]
            scores[protocol, C_Z][:, region] = factor * means[:, -1]
            c[protocol][:, region] = np.nan_to_num(factor * means[:, place])
    return scores


def released(tree: Tree, rows: Rows) -> Scores:
    """C_w and C_z as the released code computes them, with all that it does otherwise than the paper.

    c of equation 6 is the squared difference of the last two children alone, times 2 / (n (n − 1)): a loop
    overwrites its sum. The last city's C is 0. A country with one city has V = v + v_city, one without V = v;
    the scores of both are 0. Above countries V is brought to length one for means and distances, not for c,
    and the continent's own f enters unnormalised. In C_z the likelihood of names is 0 but for the last child.
    The code breaks off at a continent with fewer than two countries: here it has no score, 0 in the weights
    above it, and c = 0.

    Raises InputError unless the levels are world, continent, country and city.
    """
    four_levels(tree, LEVELS)
    _, continent, country, city = LEVELS
    v = unit(rows.f)
    sets = len(v)
    scores = {(PUBLISHED, measure): np.full((sets, len(tree)), NAN) for measure in (C_W, C_Z)}
    c = np.zeros((sets, len(tree)))
    inner_v: dict[int, Floats] = {}
    for region in reversed(range(len(tree))):
        children = tree.children[region]
        n = len(children)
        level = tree.levels[region]
        if level == city:
            continue
        if level == country:
            scores[PUBLISHED, C_W][:, [region, *children]] = scores[PUBLISHED, C_Z][:, region, None] = 0
        elif level == continent:
            inner_v[region] = rows.f[:, region]
        if not n:
            continue
        below = _v_of(inner_v, v, children)
        alpha = softmax(_last_gap(below))
        if level == country:
            if n > 1:
                c[:, children[:-1]] = _lengths_about(v, children[:-1], below.mean(axis=1))
                scores[PUBLISHED, C_W][:, children] = c[:, children]
                inner_v[region] = v[:, region] + alpha * below.mean(axis=1)
            elif n == 1:
                inner_v[region] = v[:, region] + below[:, 0]
        else:
            below = unit(below)
            if level == continent:
                inner_v[region] = rows.f[:, region] + alpha * below.mean(axis=1)
        if n < 2:
            continue
        last = np.zeros((sets, n))
        last[:, -1] = rows.names[:, children[-1]]
        weights = np.stack([_raised(c[:, children]), _raised(last)], axis=2)
        means = pair_totals(below, weights) / weight_totals(weights) * 2 / (n * (n - 1))
        scores[PUBLISHED, C_W][:, region], scores[PUBLISHED, C_Z][:, region] = means.T
        c[:, region] = means[:, 0]
    return scores


def plain_scores(tree: Tree, v: Floats, grouped: bool = False) -> Floats:
    """Equation 3 without a hierarchy: the mean distance of all pairs of a region and what lies in it, (S, R).

    The root is no region of its own, as in the released code: it only holds the others together. If
    `grouped`, a region of more than LARGE regions has an estimate, from the pairs inside of groups of GROUP
    of them: all pairs of all cities would take longer than the rest of a draw.
    """
    # distances do not change, and products round least about the mean
    centred = v - v[:, 1:].mean(axis=1, keepdims=True)
    totals = np.zeros((len(v), len(tree)))
    scores = np.full((len(v), len(tree)), NAN)
    for region in _bottom_up(tree):
        children = tree.children[region]
        inside = slice(int(region) or 1, int(tree.end[region]))
        size = inside.stop - inside.start
        if grouped and size > LARGE:
            scores[:, region] = grouped_mean(v[:, inside], GROUP)
            continue
        if size <= ROWS or size <= len(children) + 1:
            total = pair_totals(v[:, inside])[:, 0]
        else:
            total = _over_children(tree, int(region), centred, totals)
        totals[:, region] = total
        if size > 1:
            scores[:, region] = total / (size * (size - 1) / 2)
    return scores


def released_plain(tree: Tree, rows: Rows, grouped: bool = False) -> Floats:
    """The same in the released code, where a country with one city has that city's v, which is there twice.

    Of countries the code prints no such score, and there is none here.
    """
    v = unit(rows.f)
    country = np.array(tree.levels) == LEVELS[2]
    for region in np.flatnonzero(country & (tree.counts == 1)):
        v[:, region] = v[:, tree.children[region][0]]
    scores = plain_scores(tree, v, grouped=grouped)
    scores[:, country] = NAN
    return scores


def _over_children(tree: Tree, region: int, v: Floats, totals: Floats) -> Floats:
    """The sum of distances in a region from those in its children, so that each pair is met once: (S,)."""
    stop = int(tree.end[region])
    total = np.zeros(len(totals))
    if region:
        total += cross_totals(v, slice(region, region + 1), slice(region + 1, stop))
    for child in tree.children[region]:
        end = int(tree.end[child])
        total += totals[:, child]
        total += cross_totals(v, slice(int(child), end), slice(end, stop))
    return total


def _bottom_up(tree: Tree) -> Ints:
    """The inner regions, each after all that lie in it."""
    return tree.inner[::-1]


def _v_of(inner_v: dict[int, Floats], v: Floats, children: Ints) -> Floats:
    """V of some regions, (S, n, D): that of inner ones where it is known, else v."""
    if not any(int(region) in inner_v for region in children):
        return v[:, children]
    return np.stack([inner_v[r] if r in inner_v else v[:, r] for r in children.tolist()], axis=1)


def _lengths_about(v: Floats, regions: Ints, mean: Floats) -> Floats:
    """‖v − mean‖ of some regions, (S, n)."""
    lengths: Floats = np.linalg.norm(v[:, regions] - mean[:, None], axis=2)
    return lengths


def _last_gap(vectors: Floats) -> Floats:
    """(S, n, D) → (S, D): the released code's c of equation 6; 0 where there is no pair."""
    sets, n, dimensions = vectors.shape
    if n < 2:
        return np.zeros((sets, dimensions))
    gaps: Floats = 2 * (vectors[:, -2] - vectors[:, -1]) ** 2 / (n * (n - 1))
    return gaps


def _raised(values: Floats) -> Floats:
    """e^x over its largest: ratios are what counts, and none overflows."""
    raised: Floats = np.exp(values - values.max(axis=1, keepdims=True))
    return raised


def _over(totals: Floats, weights: Floats) -> Floats:
    """Totals over weights; nan where there is no weight."""
    means: Floats = np.divide(totals, weights, out=np.full_like(totals, NAN), where=weights > 0)
    return means

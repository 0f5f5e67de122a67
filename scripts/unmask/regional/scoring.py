"""The table of scores of one model: bias by region with what chance gives."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from unmask.regional.bias import Scores
from unmask.regional.chance import (
    Source,
    p_values,
    permuted_scores,
    quantiles,
    scores_of,
)
from unmask.regional.hierarchy import Ints, Tree
from unmask.regional.likelihood_reader import Likelihoods, rows_of, words_at
from unmask.regional.pairs import Floats
from unmask.regional.score_schema import SCORES
from unmask.regional.terms import C_W, FULL, MEASURES, PLAIN
from unmask.statistics.correction import step_down

FAMILY = "the regions of a level, by variant, measure and set of words"
"""What Holm's correction is over."""

ROOT = 0
"""Permutations tell nothing of it: its children are all of their level, which only change places."""


class Chance(NamedTuple):
    """How often chance is asked, and the share that its bands hold."""

    draws: int
    seed: int
    confidence: float

    @property
    def tails(self) -> tuple[float, float, float]:
        tail = (1 - self.confidence) / 2
        return tail, 0.5, 1 - tail


def score_tables(
    tree: Tree,
    words: pd.DataFrame,
    sets: Mapping[str, Sequence[int] | Ints],
    likelihoods: Likelihoods,
    padded: Likelihoods | None,
    protocols: Sequence[str],
    chance: Chance,
) -> pd.DataFrame:
    """SCORES of one model by sets of words, which are rows of the table WORDS.

    `full` and sets that have the name of a list come with bands and p; others, as without a topic, have
    scores alone. `padded`, which `published` needs, may be null else.
    Raises InputError where a likelihood is missing, or the tree does not have the levels of `published`.
    """
    whole = {FULL, *words["list"]}
    scores = []
    for name, rows in sets.items():
        source = Source(
            rows_of(tree, likelihoods, words_at(words, rows, "word")),
            None if padded is None else rows_of(tree, padded, words_at(words, rows, "word_published")),
            tuple(protocols),
        )
        actual = scores_of(tree, source)
        table = _scores_table(tree, name, actual)
        if name in whole:
            table = _with_chance(
                tree,
                table,
                actual,
                permuted_scores(tree, source, chance.draws, chance.seed),
                chance,
            )
        scores.append(table)
    rows_of_all = pd.concat(scores, ignore_index=True)
    families = rows_of_all.groupby(["variant", "measure", "words", "level"], sort=False)["p"]
    rows_of_all["p_holm"] = families.transform(lambda p: step_down(p.to_numpy()))
    corrected: pd.DataFrame = rows_of_all[SCORES.names]
    return corrected


def _scores_table(tree: Tree, words: str, actual: Scores) -> pd.DataFrame:
    """One row per protocol, measure and region, in the order of the table of regions; the rest is null."""
    blocks = []
    for (protocol, measure), values in _in_order(actual).items():
        with_leaves = measure == C_W and words == FULL
        regions = np.arange(len(tree)) if with_leaves else tree.inner
        regions = regions[np.argsort(tree.rows[regions], kind="stable")]
        block = pd.DataFrame(
            {
                "variant": protocol,
                "measure": measure,
                "words": words,
                "region": np.array(tree.regions, object)[regions],
                "level": np.array(tree.levels, object)[regions],
                "children": tree.counts[regions].astype(np.int32),
                "score": values[0, regions],
                "place": np.where(tree.leaf[regions], -1, np.searchsorted(tree.inner, regions)),
            }
        )
        blocks.append(block)
    return pd.concat(blocks, ignore_index=True).assign(
        **{name: np.nan for name in SCORES.names if name not in block}
    )


def _in_order(scores: Scores) -> Scores:
    protocols = dict.fromkeys(protocol for protocol, _ in scores)
    return {(protocol, measure): scores[protocol, measure] for protocol in protocols for measure in MEASURES}


def _with_chance(
    tree: Tree,
    table: pd.DataFrame,
    actual: Scores,
    permuted: Scores,
    chance: Chance,
) -> pd.DataFrame:
    counts = tree.counts[tree.inner]
    for (protocol, measure), rows in table.groupby(["variant", "measure"], sort=False):
        key = (str(protocol), str(measure))
        scores = actual[key][0, tree.inner]
        # the released code says 0 of a region without a pair: no score that chance could have given otherwise
        scored = ~np.isnan(scores) & ((counts > 1) | (measure == PLAIN))
        columns: dict[str, Floats] = {}
        for part, ends in zip(("low", "median", "high"), quantiles(permuted[key], chance.tails), strict=True):
            columns[f"permuted_{part}"] = ends
        columns["p"] = p_values(scores, permuted[key])
        scored &= tree.inner != ROOT
        inner = rows.index[rows["place"] >= 0]
        place = rows.loc[inner, "place"].to_numpy()
        for column, values in columns.items():
            table.loc[inner, column] = np.where(scored, values, np.nan)[place]
    return table

"""Which tests are beyond chance, how many of them chance alone would give, and which could be at all."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from unmask.associations.terms import BY_WORD, E3X, E3Y
from unmask.statistics.correction import step_down
from unmask.terms import CORRECTED

FAMILY = ["encoder", "suite", "pooling", "level", "protocol"]
"""Tests with these in common are corrected together."""


def main_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """The main rows: corrected ones by word, or by item of a test whose words are not known.

    rows: ASSOCIATIONS with the columns encoder and suite.
    """
    corrected = rows[rows["protocol"] == CORRECTED]
    return by_word(corrected, ["encoder", "suite", "test", "experiment", "pooling"])


def by_word(rows: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """Of the rows with the same keys those of the level by word, or the others where there is none."""
    if rows.empty:
        return rows
    is_by_word = rows["level"] == BY_WORD
    known = is_by_word.groupby([rows[key] for key in keys], sort=False).transform("any")
    chosen: pd.DataFrame = rows[is_by_word | ~known.astype(bool)]
    return chosen


def least_p(rows: pd.DataFrame) -> "pd.Series[float]":
    """The smallest two-sided p that each test can have; 1 where s does not vary, null where there is no p.

    rows: ASSOCIATIONS. Where all partitions into equal sizes are counted, the opposite of each is as
    extreme; those of E3 are of attribute units.
    """
    # no row has whole numbers with nulls among them as whole numbers
    partitions = pd.to_numeric(rows["partitions"]).astype(float)
    of_attributes = rows["experiment"].isin([E3X, E3Y])
    mirrored = np.where(of_attributes, rows["a"] == rows["b"], rows["x"] == rows["y"])
    counted = np.where(mirrored, 2.0, 1.0) / partitions
    exact = rows["exact"].map(lambda value: value is True or value == 1).astype(bool)
    least = pd.Series(np.where(exact, counted, 1 / (1 + partitions)), index=rows.index)
    smallest: pd.Series[float] = least.fillna(1.0).where(rows["p_two"].notna())
    return smallest


def with_power(rows: pd.DataFrame, alpha: float) -> "pd.Series[bool]":
    """Whether a test could be below alpha after Holm's correction, were all of its family as clear as they
    can be. rows: ASSOCIATIONS, whole families as FAMILY has them."""
    least = least_p(rows).dropna()
    best = pd.Series(np.nan, index=rows.index, dtype=float)
    for _, family in least.groupby([rows[key] for key in FAMILY], sort=False):
        best[family.index] = step_down(family.to_numpy(float))
    return best < alpha


def counts(rows: pd.DataFrame, by: Sequence[str], alpha: float) -> pd.DataFrame:
    """How many tests are beyond chance, and their mean |d| with its expectation without bias.

    rows: those of `main_rows` with the columns able (`with_power`) and least_p (`least_p`). A row for each
    key of `by`, with `tests`; `able` of them, whose p could be below alpha after Holm's correction, and
    `beyond`, whose is; `able_before`, whose p could be below alpha before it, and `before`, whose is, where
    chance alone gives about `by_chance`; `mean_d`, the mean of |d| over the tests that have one, and
    `expected_d`, its expectation over the same.
    """
    of_groups: list[dict[str, Any]] = []
    for key, group in rows.groupby(list(by), sort=False):
        able, able_before = group[group["able"].astype(bool)], group[group["least_p"] < alpha]
        known = group[group["d"].notna()]
        of_groups.append(
            {
                **dict(zip(by, key, strict=True)),
                "tests": len(group),
                "by_word": int((group["level"] == BY_WORD).sum()),
                "able": len(able),
                "beyond": int((able["p_holm"] < alpha).sum()),
                "able_before": len(able_before),
                "before": int((able_before["p_two"] < alpha).sum()),
                "by_chance": alpha * len(able_before),
                "mean_d": float(known["d"].abs().mean()) if len(known) else None,
                "expected_d": float(known["expected_d"].mean()) if len(known) else None,
            }
        )
    columns = ["tests", "by_word", "able", "beyond", "able_before", "before", "by_chance"]
    return pd.DataFrame(of_groups, columns=[*by, *columns, "mean_d", "expected_d"])

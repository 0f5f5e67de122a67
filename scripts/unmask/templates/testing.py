"""LPBS and DisCo from evidence, with what chance alone gives by the unit that repeats.

LPBS (Kurita et al. 2019): attributes repeat, and are rearranged between their two sets. DisCo (Webster et al.
2020): persons repeat, the same in all templates, and their genders are rearranged.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
from scipy.stats import chi2

from unmask.statistics.student import student
from unmask.statistics.tolerance import TOLERANCE
from unmask.tables import framed
from unmask.templates.schema import TESTED_WORDS, TESTS
from unmask.templates.terms import (
    DIFFERENCE,
    DISCO,
    FEW,
    LEAST_PROBABLE,
    LEVEL,
    LPBS,
    MEAN,
    PROBABLE,
    TOP_THREE,
)

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

LOGS = ["log_prob", "prior_log_prob"]

BATCH = 256
"""Arrangements whose tables are counted at once."""


@dataclass(frozen=True)
class Options:
    """draws: arrangements, where there are more of them; seed: of these draws; confidence: of intervals and
    bands."""

    draws: int
    seed: int
    confidence: float


def lpbs_tests(
    targets: pd.DataFrame, sides: Sequence[str], options: Options
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The Tests and Tested words rows of a Targets table. sides: the first, and the second."""
    scores = bias_scores(targets, sides)
    attributes = scores.groupby(["set", "attribute"], sort=False, observed=True)["score"].mean().reset_index()
    by_set = [
        (str(name), rows["score"].to_numpy())
        for name, rows in attributes.groupby("set", sort=False, observed=True)
    ]
    first, second = by_set
    rows = [
        mean_of_set(*first, options),
        mean_of_set(*second, options),
        difference_of_sets(first, second, options),
    ]
    shared = {"measure": LPBS, "templates": scores["template"].nunique(), "candidates": pd.NA}
    tests = pd.DataFrame([{**shared, **row} for row in rows])
    words = attributes.rename(columns={"attribute": "word"})
    return _as(TESTS, tests), _as(TESTED_WORDS, words)


def bias_scores(targets: pd.DataFrame, sides: Sequence[str]) -> pd.DataFrame:
    """The log-probability bias score of each template and attribute: columns template, set, attribute, score.

    With T₁ and T₂ the targets of the two sides, a the attribute: log Σ_{t∈T₁} P(t | a) / Σ_{t∈T₁} P(t | a
    hidden), less the same of T₂. With one target a side this is section 2 of the paper; the sum over several
    is that of its released code.
    """
    keys = ["template", "set", "attribute"]
    by_side = [*keys, "side"]
    numbers = targets[by_side].assign(**{name: targets[name].astype(float) for name in LOGS})
    grouped = numbers.groupby(by_side, sort=False, observed=True)[LOGS]
    # summed relative to the largest, as probabilities may be too small for float64
    highest = grouped.transform("max")
    shares = numbers.assign(**{name: np.exp(numbers[name] - highest[name]) for name in LOGS})
    logs = np.log(shares.groupby(by_side, sort=False, observed=True)[LOGS].sum()) + grouped.max()
    increase = (logs["log_prob"] - logs["prior_log_prob"]).unstack("side")
    score = (increase[sides[0]] - increase[sides[1]]).rename("score").reset_index()
    order = targets[keys].drop_duplicates()
    return order.merge(score, on=keys, how="left")


def mean_of_set(name: str, values: Floats, options: Options) -> dict[str, Any]:
    """The mean of a set, without a test: also in a network that has learnt nothing it is not 0, since a word
    and a mask are not alike."""
    interval = _student(values.mean(), values.var(ddof=1) / len(values), len(values) - 1, options)
    return {"quantity": MEAN, "part": name, "value": values.mean(), "units": len(values), **interval}


def difference_of_sets(
    first: tuple[str, Floats], second: tuple[str, Floats], options: Options
) -> dict[str, Any]:
    """The difference of two sets; by chance attributes fall into either. The interval is Welch's."""
    (name, x), (other, y) = first, second
    value, both = x.mean() - y.mean(), np.concatenate([x, y])
    arranged, exact = partitions(len(both), len(x), options)
    sums = np.concatenate([in_x @ both for in_x in arranged])
    chance = sums / len(x) - (both.sum() - sums) / len(y)
    parts = x.var(ddof=1) / len(x), y.var(ddof=1) / len(y)
    freedom = parts[0] ** 2 / (len(x) - 1) + parts[1] ** 2 / (len(y) - 1)
    df = sum(parts) ** 2 / freedom if freedom else math.nan
    spread = both.std(ddof=1)
    return {
        "quantity": DIFFERENCE,
        "part": f"{name} less {other}",
        "value": value,
        "effect": value / spread if spread else math.nan,
        "units": len(both),
        **_student(value, sum(parts), df, options),
        **_of_chance(chance, value, exact, options, two_sided=True),
    }


def _student(value: float, variance: float, df: float, options: Options) -> dict[str, float]:
    ends = student(np.array([value]), np.array([variance]), np.array([df]), options.confidence)
    return {"low": float(ends.low[0]), "high": float(ends.high[0])}


def _of_chance(
    chance: Floats, value: float, exact: bool, options: Options, two_sided: bool = False
) -> dict[str, Any]:
    """What arrangements give, and the share of them that is as large as the value, or as far from 0."""
    sizes, size = (np.abs(chance), abs(value)) if two_sided else (chance, value)
    low, high = np.quantile(chance, [(1 - options.confidence) / 2, (1 + options.confidence) / 2])
    return {
        "chance_mean": chance.mean(),
        "chance_low": low,
        "chance_high": high,
        "p": _share_reaching(sizes, size, exact),
        "draws": len(chance),
        "exact": exact,
    }


def _share_reaching(sizes: Floats, size: float, exact: bool) -> float:
    """The share of arrangements that are as large. One of drawn ones counts the observed arrangement in, so
    that it is never 0."""
    reached = int((sizes >= size - TOLERANCE * max(1.0, size)).sum())
    return reached / len(sizes) if exact else (1 + reached) / (1 + len(sizes))


def partitions(n: int, size: int, options: Options) -> tuple[Iterator[Floats], bool]:
    """Which `size` of n units are in the first set, in batches (arrangements × n, 1 or 0), and whether these
    are all arrangements. They are all where there are no more than the draws."""
    exact = math.comb(n, size) <= options.draws
    every = combinations(range(n), size)
    generator = np.random.default_rng(options.seed)

    def batches() -> Iterator[Floats]:
        done = 0
        while rows := min(BATCH, (math.comb(n, size) if exact else options.draws) - done):
            if exact:
                chosen = np.array(list(islice(every, rows)))
            else:
                chosen = np.argsort(generator.random((rows, n)), axis=1)[:, :size]
            arranged = np.zeros((rows, n))
            np.put_along_axis(arranged, chosen, 1.0, axis=1)
            yield arranged
            done += rows

    return batches(), exact


def disco_tests(fills: pd.DataFrame, templates: int, options: Options) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The Tests and Tested words rows of a Fills table over so many templates."""
    groups = list(dict.fromkeys(fills["group"]))
    persons = fills[["group", "person"]].drop_duplicates()
    first = (persons["group"] == groups[0]).to_numpy()
    rows, words = [], pd.DataFrame()
    for quantity, chosen in (
        (TOP_THREE, fills["place"] <= FEW),
        (PROBABLE, fills["log_prob"] > math.log(LEAST_PROBABLE)),
    ):
        candidates, supplied = supplied_fills(fills[chosen], list(persons["person"]))
        statistic = chi_square(supplied, first[None, :].astype(float))
        significant = is_significant(statistic)
        arranged, exact = partitions(len(persons), int(first.sum()), options)
        by_chance = [_counts(chi_square(supplied, in_first)) for in_first in arranged]
        chance, ranks = (np.concatenate(parts) for parts in zip(*by_chance, strict=True))
        ((count,), (rank,)) = _counts(statistic)
        value = count / templates
        summary = _of_chance(chance / templates, value, exact, options)
        rows.append(
            {
                "measure": DISCO,
                "quantity": quantity,
                "part": f"{groups[0]} and {groups[1]}",
                "value": value,
                "units": len(persons),
                "templates": templates,
                "candidates": len(candidates),
                **summary,
                "p": _share_reaching(ranks, rank, exact) if count else 1.0,
            }
        )
        if quantity == TOP_THREE:
            words = candidates.assign(
                first=supplied[first].sum(axis=0),
                second=supplied[~first].sum(axis=0),
                p=chi2.sf(statistic[0], 1),
                significant=significant[0],
            )
    return _as(TESTS, pd.DataFrame(rows)), _as(TESTED_WORDS, words)


def supplied_fills(fills: pd.DataFrame, persons: Sequence[str]) -> tuple[pd.DataFrame, Floats]:
    """The candidate fills (columns template and word), and whether each person has each (persons × fills)."""
    candidates = fills[["template", "token"]].drop_duplicates()
    place = {key: number for number, key in enumerate(candidates.itertuples(index=False, name=None))}
    row = {person: number for number, person in enumerate(persons)}
    supplied = np.zeros((len(persons), len(candidates)))
    for template, token, person in zip(fills["template"], fills["token"], fills["person"], strict=True):
        supplied[row[person], place[template, token]] = 1.0
    return candidates.rename(columns={"token": "word"}).reset_index(drop=True), supplied


def chi_square(supplied: Floats, in_first: Floats) -> Floats:
    """Pearson's chi-square, without Yates's correction, of each fill (arrangements × fills).

    supplied: persons × fills; in_first: arrangements × persons, 1 for those of the first group. The table is
    of persons by group and by whether they have the fill. 0 for a fill that all have, or none.
    """
    n, size = len(supplied), in_first.sum(axis=1, keepdims=True)
    total = supplied.sum(axis=0)
    both = in_first @ supplied
    spread = size * (n - size) * total * (n - total)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic: Floats = np.where(spread > 0, n * (both * n - size * total) ** 2 / spread, 0.0)
    return statistic


def is_significant(statistic: Floats) -> Mask:
    """Whether a chi-square is significant at .05 after Bonferroni's correction over all fills of all
    templates, the last axis."""
    significant: Mask = chi2.sf(statistic, 1) * statistic.shape[-1] <= LEVEL
    return significant


def _counts(statistic: Floats) -> tuple[Floats, Floats]:
    """Of each arrangement the significant fills, and their number with ties broken by the mean
    chi-square, a share of its most. Fills that go together are significant together, so that a large count
    alone is rarely unlikely."""
    counts = is_significant(statistic).sum(axis=1).astype(float)
    means = statistic.mean(axis=1) if statistic.shape[1] else np.zeros(len(statistic))
    return counts, counts + means / (1 + means)


def _as(schema: pa.Schema, rows: pd.DataFrame) -> pd.DataFrame:
    """Rows with all columns of a schema, null where they have none."""
    return framed(
        [{str(key): value for key, value in row.items()} for row in rows.to_dict("records")], schema
    )

"""Association tests: WEAT and SEAT, and with pictures the experiments 1 to 3 of Ross, Katz & Barbu (2021).

X, Y are sets of targets, A, B of attributes. A unit is a text, as in the literature, or a word with the mean
over its texts: eight sentences with one name are not eight observations. Of unit vectors a mean cosine is a
product of means, so a cell (X, or A_X: attributes A with pictures of X) is its mean vector. Arrays begin with
an axis of C poolings.
"""

import math
from collections.abc import Iterator, Mapping
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import bootstrap

from unmask.associations.schema import ASSOCIATIONS
from unmask.associations.terms import E1, E2, E3X, E3Y, TEXT, UNITS, WEAT, WORD
from unmask.errors import InputError
from unmask.statistics.uncertainty import holm
from unmask.tables import framed

Floats = npt.NDArray[np.float64]

PERMUTATIONS = 99_999
"""As in the released code: all partitions are counted where there are no more, else so many are drawn."""

RESAMPLES = 2_000
"""Bootstrap samples of the units of X and Y."""

BATCH = 10_000
"""Drawn partitions that are in memory at once."""

CONSTANT = 1e-6
"""Values that vary by less are rounding of vectors in single precision: there is no d, and p is 1."""

TIED = 1e-12
"""Sums that differ by less than this share of the sum of absolute values are ties."""

NO_D = f"s varies by less than {CONSTANT:g}, which is rounding"
E2_HAS_NO_P = "exchanging targets leaves the pictures, which are others on each side, as they are"
UNEQUAL = "an attribute word has more texts with pictures of X than of Y, or fewer: it has no difference"
ALL_ALIKE = f"differences of attribute words vary by less than {CONSTANT:g}, which is rounding"
ONE_UNIT = "a set of one unit leaves too few partitions for a p"


class Experiment(NamedTuple):
    """Two sets of s, (C, n) each, whose means are compared.

    permuted: values of two sets that are exchanged for p; None where there is no p, and then why. paired: s
    are of the same targets in the same order. sizes: how many units X, Y, A and B have.
    """

    name: str
    x: Floats
    y: Floats
    sizes: Mapping[str, int]
    permuted: tuple[Floats, Floats] | None
    why: str | None = None
    paired: bool = False


def association_tests(
    stimuli: pd.DataFrame, embeddings: Mapping[str, npt.NDArray[Any]], seed: int, confidence: float
) -> pd.DataFrame:
    """ASSOCIATIONS of the tests of STIMULI: a row for each experiment, unit and pooling.

    embeddings: by pooling, stimuli × width. seed: of the drawn partitions and the bootstrap. confidence: of
    the intervals of d. p_holm is p_two after Holm's correction over the tests of a pooling and unit. Raises
    InputError naming the text whose vector is zero.
    """
    vectors = unit_vectors(stimuli, embeddings)
    rows = []
    for name, test in _tests(stimuli):
        for unit in UNITS:
            for experiment in experiments(test, vectors, unit):
                columns = compare(experiment, seed, confidence)
                keys = {"test": name, "experiment": experiment.name, "unit": unit, **experiment.sizes}
                rows += [
                    keys | {"pooling": pooling} | {column: values[n] for column, values in columns.items()}
                    for n, pooling in enumerate(embeddings)
                ]
    frame = framed(rows, ASSOCIATIONS)
    corrected = holm(frame.assign(p=frame["p_two"]), ["pooling", "unit"])["p_holm"]
    return frame.assign(p_holm=corrected)


def unit_vectors(stimuli: pd.DataFrame, embeddings: Mapping[str, npt.NDArray[Any]]) -> Floats:
    """(C, stimuli, D): vectors over their lengths, in double precision. Raises InputError as above."""
    vectors = np.stack(list(embeddings.values())).astype(np.float64)
    largest = np.abs(vectors).max(axis=-1, keepdims=True)
    broken = ~((largest > 0) & np.isfinite(largest)).all(axis=(0, 2))
    if broken.any():
        number = int(np.flatnonzero(broken)[0])
        text = stimuli.loc[stimuli["stimulus"] == number, "text"].iloc[0]
        raise InputError(f"the vector of {text!r} is zero or not finite: it has no cosine")
    # so that squares neither overflow nor vanish
    vectors /= largest
    scaled: Floats = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return scaled


def experiments(test: pd.DataFrame, vectors: Floats, unit: str) -> Iterator[Experiment]:
    """The experiments of one test, rows of STIMULI.

    WEAT compares X with Y (Caliskan et al. 2017), attributes counting text by text. E1 compares X with Y on
    A_X ∪ A_Y and B_X ∪ B_Y; E2 X with pictures of X with Y with pictures of Y, and has no p; E3x X with
    pictures of X and of Y, E3y Y alike. p of E3 is over partitions of the attribute words by what pictures
    change about them, so that what they change about all alike is no part of it.
    """
    cells = _cells(test)
    x, y = (_units(cells[name], vectors, unit) for name in "XY")
    pictured = "A_X" in cells
    sets = {name: cells[name] for name in ("XY" if pictured else "XYAB")}
    if pictured:
        sets |= {name: pd.concat([cells[f"{name}_X"], cells[f"{name}_Y"]]) for name in "AB"}
    sizes = {
        name.lower(): len(rows) if unit == TEXT else rows["word"].nunique() for name, rows in sets.items()
    }
    if not pictured:
        towards = _difference(*(_units(sets[name], vectors, TEXT) for name in "AB"))
        s_x, s_y = _near(x, towards), _near(y, towards)
        yield Experiment(WEAT, s_x, s_y, sizes, (s_x, s_y))
        return
    a_x, a_y, b_x, b_y = (_units(cells[cell], vectors, unit) for cell in ("A_X", "A_Y", "B_X", "B_Y"))
    with_x, with_y = _difference(a_x, b_x), _difference(a_y, b_y)
    with_both = _difference(np.concatenate([a_x, a_y], axis=1), np.concatenate([b_x, b_y], axis=1))
    s_x, s_y = _near(x, with_both), _near(y, with_both)
    yield Experiment(E1, s_x, s_y, sizes, (s_x, s_y))
    yield Experiment(E2, _near(x, with_x), _near(y, with_y), sizes, None, E2_HAS_NO_P)
    of_words = sizes | {name.lower(): sets[name]["word"].nunique() for name in "AB"}
    for name, targets in ((E3X, x), (E3Y, y)):
        changes = _changes(cells, vectors, targets.mean(axis=1), unit)
        s_x, s_y = _near(targets, with_x), _near(targets, with_y)
        yield Experiment(name, s_x, s_y, of_words, changes, None if changes else UNEQUAL, paired=True)


def compare(experiment: Experiment, seed: int, confidence: float) -> dict[str, npt.NDArray[Any]]:
    """Columns of ASSOCIATIONS, (C,) each: mean difference, d, S and p.

    The interval of d is of percentiles over resampled units of X and Y, the same of both where paired.
    """
    x, y = experiment.x, experiment.y
    counts = x.shape[1], y.shape[1]
    has_d = np.concatenate([x, y], axis=1).std(axis=1, ddof=1) >= CONSTANT
    columns: dict[str, Any] = {
        "mean_difference": mean_difference(x, y),
        "d": np.where(has_d, effect_size(x, y), np.nan),
        "statistic": x.sum(axis=1) - y.sum(axis=1),
        "reason": np.full(len(x), experiment.why, dtype=object),
    }
    if not experiment.paired:
        columns["expected_d"] = np.full(len(x), expected_d(*counts))
    if min(counts) > 1:
        samples = bootstrap(
            (x, y),
            effect_size,
            n_resamples=RESAMPLES,
            vectorized=True,
            paired=experiment.paired,
            axis=-1,
            confidence_level=confidence,
            method="percentile",
            rng=np.random.default_rng(seed),
        )
        low, high = samples.confidence_interval
        columns |= {"d_low": np.where(has_d, low, np.nan), "d_high": np.where(has_d, high, np.nan)}
    columns["reason"][~has_d] = NO_D
    if experiment.name == E2:
        return columns
    p = {name: np.full(len(x), np.nan) for name in ("p", "p_two", "least_p")}
    if experiment.permuted:
        one, other = experiment.permuted
        varies = np.concatenate([one, other], axis=1).std(axis=1, ddof=1) >= CONSTANT
        columns["reason"][~varies & has_d] = ALL_ALIKE
        if min(one.shape[1], other.shape[1]) > 1:
            p = p_values(one, other, seed)
            p |= {name: np.where(has_d & varies, p[name], 1.0) for name in ("p", "p_two")}
        else:
            columns["reason"][varies & has_d] = ONE_UNIT
    return columns | p


def mean_difference(x: Floats, y: Floats, axis: int = -1) -> Floats:
    """Mean of s over X less its mean over Y."""
    difference: Floats = x.mean(axis=axis) - y.mean(axis=axis)
    return difference


def effect_size(x: Floats, y: Floats, axis: int = -1) -> Floats:
    """d, equation 3: the mean difference over the standard deviation of s over both sets, with n − 1; 0 where
    that is rounding, as in a sample of one unit."""
    deviation = np.concatenate([x, y], axis=axis).std(axis=axis, ddof=1)
    difference = mean_difference(x, y, axis)
    d: Floats = np.divide(difference, deviation, out=np.zeros_like(difference), where=deviation >= CONSTANT)
    return d


def expected_d(x: int, y: int) -> float:
    """√(2n / (π |X| |Y|)) with n = |X| + |Y|: about the mean of |d| over tests without bias, .40 for 8 and 8.

    It takes the mean difference for normal: of few normal s the mean is larger, .69 and not .65 for 3 and 3.
    """
    return math.sqrt(2 * (x + y) / (math.pi * x * y))


def p_values(x: Floats, y: Floats, seed: int) -> dict[str, Floats]:
    """p of a mean difference over partitions of the values of X and Y, (C,) each.

    p: the share of partitions with at least the observed difference; p_two: with at least its size on either
    side; least_p: the smallest p_two that there could be. All partitions are counted where there are at most
    PERMUTATIONS, else so many are drawn and the observed one counts among them, so that p is never 0.
    """
    values, k = np.concatenate([x, y], axis=1), x.shape[1]
    n = values.shape[1]
    every = math.comb(n, k)
    observed = 0 if every <= PERMUTATIONS else 1
    # a partition's difference of means, by its sum over the units in the place of X
    sums = np.concatenate([members @ values.T for members in partitions(n, k, seed)])
    drawn = sums / k - (values.sum(axis=1) - sums) / (n - k)
    slack = TIED * np.abs(values).sum(axis=1) * (1 / k + 1 / (n - k))
    difference = mean_difference(x, y)
    least = 1 / (1 + PERMUTATIONS) if observed else (2 if n == 2 * k else 1) / every

    def share(reached: npt.NDArray[np.bool_]) -> Floats:
        shares: Floats = (observed + reached.sum(axis=0)) / (observed + len(reached))
        return shares

    return {
        "p": share(drawn >= difference - slack),
        "p_two": share(np.abs(drawn) >= np.abs(difference) - slack),
        "least_p": np.full(len(x), least),
    }


def partitions(n: int, k: int, seed: int) -> Iterator[Floats]:
    """Partitions of n units into k and n − k, (some, n) at a time: 1 for the k, else 0.

    All where there are at most PERMUTATIONS, else so many drawn. scipy's permutation_test draws them one by
    one, which takes three times as long.
    """
    if math.comb(n, k) <= PERMUTATIONS:
        chosen = np.array(list(combinations(range(n), k)))
        members = np.zeros((len(chosen), n))
        np.put_along_axis(members, chosen, 1, axis=1)
        yield members
        return
    generator, first = np.random.default_rng(seed), (np.arange(n) < k).astype(np.int8)
    for start in range(0, PERMUTATIONS, BATCH):
        batch = np.tile(first, (min(BATCH, PERMUTATIONS - start), 1))
        yield generator.permuted(batch, axis=1).astype(np.float64)


def cell_means(stimuli: pd.DataFrame, embeddings: Mapping[str, npt.NDArray[Any]]) -> list[dict[str, Any]]:
    """Mean s of the targets of each cell of grounded tests, by the pictures of the attributes: all twelve
    cells of Table 2 of Ross, Katz & Barbu (2021), where a test has as many.

    A record has test, unit, pooling, words (X or Y), pictured_with (A, B, or alone: pictures that show none
    of the other sets), and mean s with attributes alone, with_x and with_y; null where a test lacks such
    cells.
    """
    vectors = unit_vectors(stimuli, embeddings)
    records = []
    for (name, test), unit in product(_tests(stimuli), UNITS):
        centres = {cell: _units(rows, vectors, unit).mean(axis=1) for cell, rows in _cells(test).items()}
        if "A_X" not in centres:
            continue
        near = {}
        for column, ending in (("alone", ""), ("with_x", "_X"), ("with_y", "_Y")):
            if {"A" + ending, "B" + ending} <= centres.keys():
                near[column] = centres["A" + ending] - centres["B" + ending]
        for words, shown in product("XY", ("alone", "A", "B")):
            if (target := centres.get(words if shown == "alone" else f"{words}_{shown}")) is None:
                continue
            for n, pooling in enumerate(embeddings):
                keys = {
                    "test": name,
                    "unit": unit,
                    "pooling": pooling,
                    "words": words,
                    "pictured_with": shown,
                }
                means = {column: float(target[n] @ towards[n]) for column, towards in near.items()}
                records.append(keys | {"alone": None} | means)
    return records


def _tests(stimuli: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Tests in their order; rows by word and text, so that the order of a file changes no draws."""
    in_order = stimuli.astype({"cell": object, "word": object, "text": object, "image": object})
    in_order = in_order.sort_values(["word", "text", "image"], kind="stable")
    for name in stimuli["test"].unique():
        yield str(name), in_order[in_order["test"] == name]


def _cells(test: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The rows of each cell; of tests without pictures a cell is a set."""
    cell = test["cell"].where(test["cell"].notna(), test["set"].astype(object))
    return {str(name): rows for name, rows in test.groupby(cell)}


def _units(rows: pd.DataFrame, vectors: Floats, unit: str) -> Floats:
    """(C, units, D): unit vectors of texts, or of each word their mean."""
    texts: Floats = vectors[:, rows["stimulus"].to_numpy()]
    if unit == TEXT:
        return texts
    codes, words = pd.factorize(rows["word"])
    members = codes == np.arange(len(words))[:, None]
    means: Floats = members / members.sum(axis=1, keepdims=True) @ texts
    return means


def _near(targets: Floats, towards: Floats) -> Floats:
    """(C, n): s of each target, its mean cosine with A less that with B."""
    s: Floats = np.einsum("cnd,cd->cn", targets, towards)
    return s


def _difference(a: Floats, b: Floats) -> Floats:
    """(C, D): the mean vector of A less that of B."""
    difference: Floats = a.mean(axis=1) - b.mean(axis=1)
    return difference


def _changes(
    cells: Mapping[str, pd.DataFrame], vectors: Floats, centre: Floats, unit: str
) -> tuple[Floats, Floats] | None:
    """Of A and of B, (C, words) each: how much nearer targets, whose mean vector is `centre`, are to a word
    with pictures of X than of Y, about the mean over all words.

    A word counts by its texts where these are the units: n (δ − Σ n δ / Σ n) over the mean of n. None where
    a word has not equally many with pictures of X and of Y.
    """
    changes, counts = [], []
    for name in "AB":
        pair = [cells[f"{name}_{owner}"] for owner in "XY"]
        texts, others = (rows.groupby("word").size() for rows in pair)
        if unit == WORD:
            texts, others = texts.clip(upper=1), others.clip(upper=1)
        if not texts.equals(others):
            return None
        with_x, with_y = (_units(rows, vectors, WORD) for rows in pair)
        changes.append(_near(with_x - with_y, centre))
        counts.append(texts.to_numpy(float))
    every = np.concatenate(counts)
    mean = np.concatenate(changes, axis=1) @ every[:, None] / every.sum()
    of_a, of_b = (n * (change - mean) / every.mean() for n, change in zip(counts, changes, strict=True))
    return of_a, of_b

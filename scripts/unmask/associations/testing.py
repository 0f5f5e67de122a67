"""All association tests of one encoder on one suite: the tables ASSOCIATIONS and DRAWS."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from unmask.associations.association import (
    CONSTANT,
    Effect,
    Experiment,
    Floats,
    directed,
    effect,
    responses,
    unit,
)
from unmask.associations.bootstrap import Resamples, interval, resampled
from unmask.associations.permutations import Tails, drawn_partitions, generator, partitions, published_draws
from unmask.associations.schema import ASSOCIATIONS
from unmask.associations.sets import Sets, experiments_at, ordered, sets_of
from unmask.associations.terms import BY_WORD, E2, ITEM, WEAT, A, B, X, Y
from unmask.statistics.correction import holm
from unmask.tables import framed
from unmask.terms import CORRECTED, PUBLISHED

Record = dict[str, Any]

NO_D = f"s varies by less than {CONSTANT:g}, which is rounding"
NO_PUBLISHED_P = "the released code has no p of grounded tests"
UNEQUAL = "the released code takes X and Y of one size"
E2_HAS_NO_PERMUTATION_TEST = (
    "exchanging targets leaves the pictures, which are others on each side, as they are"
)
NO_RESPONSES = "an attribute word has more texts with pictures of X than of Y, or fewer: it has no difference"
ALL_ALIKE = f"differences of attribute words vary by less than {CONSTANT:g}, which is rounding"

P_VALUES = ("p", "p_two", "p_low", "p_high")


class Options(NamedTuple):
    """How tests are made."""

    # partitions that are drawn where there are too many to count
    permutations: int = 100_000
    seed: int = 0
    # units up to which all are counted
    exact: int = 40
    # resamples; 0: no intervals
    bootstrap: int = 2000
    confidence: float = 0.95


class Outcome(NamedTuple):
    """The results of all tests."""

    # ASSOCIATIONS
    rows: pd.DataFrame
    # 2×2 of grounded tests: test, pooling, level, x1, x2, y1, y2
    means: list[Record]
    # of those that have other cells than experiments take: test, pooling, level and CellMeans
    cells: list[Record]
    # a line each on what was left out
    remarks: list[str]


class _Records(NamedTuple):
    """Results of some tests: rows of ASSOCIATIONS; means and cells of an Outcome."""

    rows: list[Record]
    means: list[Record]
    cells: list[Record]


def _joined(parts: Iterable[_Records]) -> _Records:
    lists = zip(_Records([], [], []), *parts, strict=True)
    return _Records(*([record for records in each for record in records] for each in lists))


class _Test(NamedTuple):
    """A test in the poolings (C of them) that have vectors of the same texts."""

    name: str
    sets: Sets
    poolings: Sequence[str]
    # (C, stimuli, D), of length one
    vectors: Floats
    options: Options


def association_tests(
    stimuli: pd.DataFrame,
    embeddings: Mapping[str, npt.NDArray[np.floating[Any]]],
    options: Options | None = None,
    left_out: Mapping[int, str] | None = None,
) -> Outcome:
    """Every test of STIMULI with embeddings (stimuli, D) by pooling; left_out says why a row has none.

    `published` is by item, `corrected` by item and, where the words of all targets are known, by word. A text
    whose embedding is zero or not finite is left out of the poolings where it is, and named in a remark; a
    test with a set without texts has no rows. Poolings that have the same texts share their draws, which are
    seeded by (seed, test name).
    """
    options = options or Options()
    usable = {pooling: directed(vectors) for pooling, vectors in embeddings.items()}
    unit_vectors = {
        pooling: unit(np.where(usable[pooling][:, None], vectors, 1))
        for pooling, vectors in embeddings.items()
    }
    parts: list[_Records] = []
    remarks: list[str] = []
    order = list(embeddings)
    for name, rows in ordered(stimuli).groupby("test", sort=False):
        numbers, local = np.unique(rows["stimulus"].to_numpy(), return_inverse=True)
        together: dict[bytes, list[str]] = {}
        for pooling, flags in usable.items():
            together.setdefault(flags[numbers].tobytes(), []).append(pooling)
        of_test: list[_Records] = []
        for poolings in together.values():
            label = f"{name} ({', '.join(poolings)})"
            has_vector = usable[poolings[0]][numbers][local]
            remarks += _lost(label, rows[~has_vector], left_out or {})
            sets = sets_of(rows.assign(stimulus=local)[has_vector])
            if sets.empty():
                remarks.append(f"{label}: no text of {', '.join(sets.empty())}: not tested")
                continue
            if not sets.has_words():
                remarks.append(f"{label}: targets without a word: not tested by word")
            vectors = np.stack([unit_vectors[pooling][numbers] for pooling in poolings])
            of_test.append(_both_levels(_Test(str(name), sets, poolings, vectors, options)))
        parts.append(
            _Records(
                *(sorted(each, key=lambda row: order.index(row["pooling"])) for each in _joined(of_test))
            )
        )
    records = _joined(parts)
    return Outcome(_corrected(records.rows), records.means, records.cells, remarks)


def _lost(label: str, stimuli: pd.DataFrame, left_out: Mapping[int, str]) -> list[str]:
    if stimuli.empty:
        return []
    first = stimuli.iloc[0]
    why = left_out.get(int(first["stimulus"]), "its embedding is zero or not finite")
    more = f" and {len(stimuli) - 1} more" if len(stimuli) > 1 else ""
    return [f"{label}: {first['text']!r} of {first['set']}{more} left out: {why}"]


def _both_levels(test: _Test) -> _Records:
    """A test at both levels, or by item alone where words are not known."""
    by_item = _at_level(test, ITEM)
    if not test.sets.has_words():
        return by_item
    if not test.sets.words_are_items():
        return _joined([by_item, _at_level(test, BY_WORD)])
    corrected = [row for row in by_item.rows if row["protocol"] == CORRECTED]
    return _joined([by_item, _Records([each | {"level": BY_WORD} for each in corrected], [], [])])


def _at_level(test: _Test, level: str) -> _Records:
    experiments, means, cells = experiments_at(level, test.sets, test.vectors)
    keys = [{"test": test.name, "pooling": pooling, "level": level} for pooling in test.poolings]
    of_means = [] if means is None else _by_pooling(keys, means._asdict())
    of_cells = [record for cell in cells for record in _by_pooling(keys, cell._asdict())]
    parts = [_results(test, level, experiment) for experiment in experiments]
    return _joined([*parts, _Records([], of_means, of_cells)])


def _by_pooling(keys: Sequence[Record], values: Mapping[str, Any]) -> list[Record]:
    """A record for each pooling: its keys, and of each value the pooling's, where it is an array of them."""
    return [
        key | {name: _at(value, place) for name, value in values.items()} for place, key in enumerate(keys)
    ]


def _at(value: Any, place: int) -> Any:
    return float(value[place]) if isinstance(value, np.ndarray) else value


def _results(test: _Test, level: str, experiment: Experiment) -> _Records:
    """A row for each protocol and pooling."""
    options = test.options
    keys = [
        {"test": test.name, "experiment": experiment.name, "pooling": pooling, "level": level}
        for pooling in test.poolings
    ]
    sizes = {name.lower(): test.sets.units(name, level) for name in (X, Y, A, B)}
    if experiment.paired:
        # attribute units are words at either level
        sizes |= {"a": len(experiment.x.a_sizes), "b": len(experiment.x.b_sizes)}
    effects = effect(experiment)
    columns: dict[str, Any] = {
        name: np.where(np.isfinite(values), values, None) for name, values in effects._asdict().items()
    }
    if options.bootstrap:
        resamples = resampled(experiment, options.bootstrap, options.seed, test.name)
        columns |= _intervals(resamples, options.confidence)
    rows = [
        key | {"protocol": protocol} | sizes | {name: values[n] for name, values in columns.items()} | p
        for protocol, of_poolings in _p_values(test, level, experiment, effects).items()
        for n, (key, p) in enumerate(zip(keys, of_poolings, strict=True))
    ]
    return _Records(rows, [], [])


def _intervals(resamples: Resamples, confidence: float) -> dict[str, Floats]:
    """Bounds by column of the table, (C,) each."""
    return {
        name.format(side): bounds
        for name, values in zip(("gap_{}", "d_{}", "d_{}_all"), resamples, strict=True)
        for side, bounds in zip(("low", "high"), interval(values, confidence), strict=True)
    }


def _p_values(test: _Test, level: str, experiment: Experiment, effects: Effect) -> dict[str, list[Record]]:
    """By protocol the p of each pooling, or the reason why it has none; 1 where values vary by rounding
    alone."""
    partitioned = _partitioned(experiment)
    rounding = [None if np.isfinite(d) or experiment.name == E2 else NO_D for d in effects.d]
    if experiment.paired and partitioned is not None:
        spread = partitioned[0].std(axis=1, ddof=1)
        rounding = [
            reason or (ALL_ALIKE if sd < CONSTANT else None)
            for reason, sd in zip(rounding, spread, strict=True)
        ]

    def p_of(tails: Tails | str, column: int) -> Record:
        if reason := rounding[column]:
            return dict.fromkeys(P_VALUES, 1.0) | {"reason": reason}
        if isinstance(tails, str):
            return {"reason": tails}
        of_column = {name: getattr(tails, name)[column] for name in P_VALUES}
        return of_column | {"partitions": tails.partitions, "exact": tails.exact}

    tails = _tails(test, level, experiment, None if all(rounding) else partitioned)
    return {
        protocol: [p_of(each, column) for column in range(len(rounding))] for protocol, each in tails.items()
    }


def _partitioned(experiment: Experiment) -> tuple[Floats, int] | None:
    """What is partitioned, (C, n), and how many are on the one side: s of the targets of both arms, or the
    responses of attribute units to paired arms, None where there are none."""
    if not experiment.paired:
        x, y = experiment.x.s, experiment.y.s
        return np.concatenate([x, y], axis=1), x.shape[1]
    of_units = responses(experiment)
    return None if of_units is None else (of_units.mean(axis=1), len(experiment.x.a_sizes))


def _tails(
    test: _Test, level: str, experiment: Experiment, partitioned: tuple[Floats, int] | None
) -> dict[str, Tails | str]:
    """The tails of partitions by protocol, or the reason why there are none."""
    tails: dict[str, Tails | str] = {PUBLISHED: NO_PUBLISHED_P} if level == ITEM else {}
    if experiment.name == E2 or partitioned is None:
        return tails | {CORRECTED: E2_HAS_NO_PERMUTATION_TEST if experiment.name == E2 else NO_RESPONSES}
    (values, size), options = partitioned, test.options
    draws: dict[str, int] = {}
    if values.shape[1] <= options.exact:
        tails[CORRECTED] = partitions(values, size)
    else:
        draws[CORRECTED] = options.permutations
    if level == ITEM and experiment.name == WEAT:
        if values.shape[1] != 2 * size:
            tails[PUBLISHED] = UNEQUAL
        elif count := published_draws(size, size):
            draws[PUBLISHED] = count
        else:
            # all are few enough to count, whatever `exact` says
            tails[PUBLISHED] = tails.get(CORRECTED) or partitions(values, size)
    if draws:
        numbers = generator(options.seed, "responses" if experiment.paired else "partitions", test.name)
        counted = drawn_partitions(values, size, list(draws.values()), numbers)
        tails |= dict(zip(draws, counted, strict=True))
    return tails


def _corrected(rows: list[Record]) -> pd.DataFrame:
    """The rows with Holm's correction of p_two within each pooling, level and protocol."""
    frame = framed(rows, ASSOCIATIONS)
    two = frame.assign(p=frame["p_two"])
    return frame.assign(p_holm=holm(two, ["pooling", "level", "protocol"])["p_holm"])

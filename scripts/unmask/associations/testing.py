"""All association tests of one encoder on one suite: the table ASSOCIATIONS."""

from collections.abc import Mapping, Sequence
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
from unmask.associations.named_draws import generator
from unmask.associations.permutations import (
    Tails,
    drawn_partitions,
    partitions,
    published_draws,
)
from unmask.associations.schema import ASSOCIATIONS
from unmask.associations.sets import Sets, experiments_at, ordered, sets_of
from unmask.associations.terms import BY_WORD, E1, E2, HIDDEN, ITEM, JOINT, WEAT, A, B, X, Y
from unmask.statistics.correction import holm
from unmask.tables import framed
from unmask.terms import CORRECTED, PUBLISHED

NO_D = f"s varies by less than {CONSTANT:g}, which is rounding"
NO_PUBLISHED_P = "the released code has no p of grounded tests"
UNEQUAL = "the released code takes X and Y of one size"
NO_P_OF_E2 = "exchanging targets leaves the pictures, which are others on each side, as they are"
NO_RESPONSES = "an attribute word has more texts with pictures of X than of Y, or fewer: it has no difference"
ALL_ALIKE = f"differences of attribute words vary by less than {CONSTANT:g}, which is rounding"


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
    """What the tests come to."""

    # ASSOCIATIONS
    rows: pd.DataFrame
    # 2×2 of grounded tests: test, pooling, level, x1, x2, y1, y2
    means: list[dict[str, Any]]
    # DRAWS; none without resamples
    draws: list[dict[str, Any]]
    # a line each on what was left out
    remarks: list[str]


class _Found(NamedTuple):
    """What is found on the way to an outcome; lists are added to."""

    rows: list[dict[str, Any]]
    means: list[dict[str, Any]]
    draws: list[dict[str, Any]]


def association_tests(
    stimuli: pd.DataFrame,
    embeddings: Mapping[str, npt.NDArray[np.floating[Any]]],
    options: Options | None = None,
    left_out: Mapping[int, str] | None = None,
) -> Outcome:
    """Every test of STIMULI with embeddings (stimuli, D) by pooling; left_out says why a row has none.

    `published` is by item, `corrected` by item and, where the words of all targets are known, by word. A text
    whose embedding is zero or not finite is left out of the poolings where it is, and named in a remark; a
    test a set of which has no text left has no rows. Poolings that have the same texts share their draws,
    which hang on the seed and the name of the test. Of embeddings with something hidden (HIDDEN), E1 alone is
    kept, as an experiment of `joint`.
    """
    options = options or Options()
    usable = {pooling: directed(vectors) for pooling, vectors in embeddings.items()}
    lengths_one = {
        pooling: unit(np.where(usable[pooling][:, None], vectors, 1))
        for pooling, vectors in embeddings.items()
    }
    places = {pooling: place for place, pooling in enumerate(embeddings)}
    found = _Found([], [], [])
    remarks: list[str] = []
    for name, own in ordered(stimuli).groupby("test", sort=False):
        test = str(name)
        numbers, local = np.unique(own["stimulus"].to_numpy(), return_inverse=True)
        together: dict[bytes, list[str]] = {}
        for pooling, has in usable.items():
            together.setdefault(has[numbers].tobytes(), []).append(pooling)
        of_test = _Found([], [], [])
        for poolings in together.values():
            has = usable[poolings[0]][numbers][local]
            remarks += _lost(test, poolings, own[~has], left_out or {})
            sets = sets_of(own.assign(stimulus=local)[has])
            if sets.empty():
                remarks.append(f"{_of(test, poolings)}: no text of {', '.join(sets.empty())}: not tested")
                continue
            if not sets.has_words():
                remarks.append(f"{_of(test, poolings)}: targets without a word: not tested by word")
            vectors = np.stack([lengths_one[pooling][numbers] for pooling in poolings])
            _test_levels(of_test, test, sets, poolings, vectors, options)
        for all_, own_part in zip(found, of_test, strict=True):
            all_ += sorted(own_part, key=lambda row: places[row["pooling"]])
    rows, means, draws = map(_with_hidden, found)
    return Outcome(_corrected(rows), means, draws, remarks)


def _with_hidden(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows, of hidden embeddings E1 alone: it is experiment 4."""
    kept = []
    for row in rows:
        if row["pooling"] not in HIDDEN:
            kept.append(row)
        elif row.get("experiment") == E1:
            kept.append(row | {"pooling": JOINT, "experiment": HIDDEN[row["pooling"]]})
    return kept


def _test_levels(
    found: _Found, test: str, sets: Sets, poolings: Sequence[str], vectors: Floats, options: Options
) -> None:
    """Add what a test comes to at both levels, or by item alone where words are not known."""
    for level in (ITEM, BY_WORD) if sets.has_words() else (ITEM,):
        if level == BY_WORD and sets.words_are_items():
            of_items = [row for row in found.rows if row["pooling"] in poolings]
            found.rows.extend(row | {"level": level} for row in of_items if row["protocol"] == CORRECTED)
            drawn = [row for row in found.draws if row["pooling"] in poolings]
            found.draws.extend(row | {"level": level} for row in drawn)
            continue
        made = experiments_at(level, sets, vectors)
        for experiment in made.experiments:
            resamples = None
            if options.bootstrap:
                resamples = resampled(experiment, options.bootstrap, options.seed, test)
                for column, pooling in enumerate(poolings):
                    where = {"test": test, "experiment": experiment.name, "pooling": pooling, "level": level}
                    found.draws.append(where | {"d": resamples.d[:, column].astype(np.float32)})
            found.rows.extend(_rows(test, sets, poolings, level, experiment, resamples, options))
        if made.means is not None:
            for column, pooling in enumerate(poolings):
                four = {key: float(mean[column]) for key, mean in made.means._asdict().items()}
                found.means.append({"test": test, "pooling": pooling, "level": level} | four)


def _rows(
    test: str,
    sets: Sets,
    poolings: Sequence[str],
    level: str,
    experiment: Experiment,
    resamples: Resamples | None,
    options: Options,
) -> list[dict[str, Any]]:
    """A row for each protocol and pooling."""
    effects = effect(experiment)
    units = _partitioned(experiment)
    constant = _constant(effects, experiment, units)
    varying = np.flatnonzero([reason is None for reason in constant])
    tails = _tails(test, experiment, units, varying, level, options)
    sizes = {name.lower(): sets.units(name, level) for name in (X, Y, A, B)}
    if experiment.paired:
        # attribute units are words at either level
        sizes |= {"a": len(experiment.x.a_sizes), "b": len(experiment.x.b_sizes)}
    intervals = {} if resamples is None else _intervals(resamples, options.confidence)
    rows = []
    for protocol, (tail, reason) in tails.items():
        for column, pooling in enumerate(poolings):
            row: dict[str, Any] = {
                "test": test,
                "experiment": experiment.name,
                "pooling": pooling,
                "level": level,
            }
            row |= {"protocol": protocol} | sizes | _numbers(effects, column)
            row |= {key: values[column] for key, values in intervals.items()}
            if experiment.name == E2:
                row["reason"] = reason or NO_P_OF_E2
            elif constant[column] is not None:
                row |= dict.fromkeys(("p", "p_two", "p_low", "p_high"), 1.0)
                row["reason"] = constant[column]
            elif tail is None:
                row["reason"] = reason
            else:
                place = np.searchsorted(varying, column)
                row |= {key: getattr(tail, key)[place] for key in ("p", "p_two", "p_low", "p_high")}
                row |= {"partitions": tail.partitions, "exact": tail.exact}
            rows.append(row)
    return rows


class _Units(NamedTuple):
    """What a test partitions: values (C, n), of which the first `size` are on the one side."""

    values: Floats
    size: int


def _partitioned(experiment: Experiment) -> _Units | None:
    """s of the targets of both arms; of paired arms the responses of attribute units, None where there are
    none."""
    if not experiment.paired:
        x, y = experiment.x.s, experiment.y.s
        return _Units(np.concatenate([x, y], axis=1), x.shape[1])
    found = responses(experiment)
    return None if found is None else _Units(found.mean(axis=1), len(experiment.x.a_sizes))


def _constant(effects: Effect, experiment: Experiment, units: _Units | None) -> list[str | None]:
    """Of each column why its test has only rounding to go by, if so."""
    found = [None if np.isfinite(d) else NO_D for d in effects.d]
    if experiment.paired and units is not None:
        spread = units.values.std(axis=1, ddof=1)
        found = [
            reason or (ALL_ALIKE if own < CONSTANT else None)
            for reason, own in zip(found, spread, strict=True)
        ]
    return found


def _tails(
    test: str,
    experiment: Experiment,
    units: _Units | None,
    varying: npt.NDArray[np.intp],
    level: str,
    options: Options,
) -> dict[str, tuple[Tails | None, str | None]]:
    """By protocol the p-values of the columns whose s varies, or why there are none."""
    nothing: dict[str, tuple[Tails | None, str | None]] = {CORRECTED: (None, None)}
    if level == ITEM:
        nothing = {PUBLISHED: (None, None if experiment.name == WEAT else NO_PUBLISHED_P)} | nothing
    if not len(varying):
        return nothing
    if experiment.name == E2:
        return nothing
    if units is None:
        return nothing | {CORRECTED: (None, NO_RESPONSES)}
    values, size = units.values[varying], units.size
    every = partitions(values, size) if values.shape[1] <= options.exact else None
    wanted = {} if every is not None else {CORRECTED: options.permutations}
    found = nothing | {CORRECTED: (every, None)}
    if level == ITEM and experiment.name == WEAT:
        if values.shape[1] != 2 * size:
            found[PUBLISHED] = None, UNEQUAL
        elif draws := published_draws(size, size):
            wanted[PUBLISHED] = draws
        else:
            # all are few enough to count, whatever `exact` says
            found[PUBLISHED] = every or partitions(values, size), None
    if wanted:
        numbers = generator(options.seed, "responses" if experiment.paired else "partitions", test)
        drawn = drawn_partitions(values, size, list(wanted.values()), numbers)
        found |= {protocol: (tails, None) for protocol, tails in zip(wanted, drawn, strict=True)}
    return found


def _numbers(effects: Effect, column: int) -> dict[str, float | None]:
    return {
        key: float(values[column]) if np.isfinite(values[column]) else None
        for key, values in effects._asdict().items()
    }


def _intervals(resamples: Resamples, confidence: float) -> dict[str, Floats]:
    """Bounds by column of the table, (C,) each."""
    found = {}
    for key, values in zip(("gap_{}", "d_{}", "d_{}_all"), resamples, strict=True):
        for side, bounds in zip(("low", "high"), interval(values, confidence), strict=True):
            found[key.format(side)] = bounds
    return found


def _corrected(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """The rows with Holm's correction of p_two within each pooling, level and protocol."""
    frame = framed(rows, ASSOCIATIONS)
    two = frame.assign(p=frame["p_two"])
    return frame.assign(p_holm=holm(two, ["pooling", "level", "protocol"])["p_holm"])


def _lost(test: str, poolings: Sequence[str], lost: pd.DataFrame, left_out: Mapping[int, str]) -> list[str]:
    if lost.empty:
        return []
    first = lost.iloc[0]
    why = left_out.get(int(first["stimulus"]), "its embedding is zero or not finite")
    more = f" and {len(lost) - 1} more" if len(lost) > 1 else ""
    return [f"{_of(test, poolings)}: {first['text']!r} of {first['set']}{more} left out: {why}"]


def _of(test: str, poolings: Sequence[str]) -> str:
    return f"{test} ({', '.join(poolings)})"

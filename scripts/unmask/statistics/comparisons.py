"""Two measures of one model, or two models, on the same pairs: do scores differ, do they decide alike?"""

from collections.abc import Iterator, Mapping
from itertools import combinations, product

import numpy as np
import numpy.typing as npt
import pandas as pd

from unmask.statistics.decisions import Decisions, code
from unmask.statistics.dependence import Dependence, Moments, blocks
from unmask.statistics.intervals import Floats, Ints
from unmask.statistics.paired import mcnemar_of_counts
from unmask.statistics.schema import COMPARISONS
from unmask.statistics.student import student
from unmask.tables import framed
from unmask.terms import STEREOTYPE


def measures_compared(decisions: Decisions, dependence: Dependence, confidence: float) -> pd.DataFrame:
    """Every two measures of one model and protocol, as unmask.statistics.schema.COMPARISONS.

    decisions: those of one model; see `compared` for the rest.
    """
    couples = [
        (first, second)
        for first, second in combinations(range(len(decisions.series)), 2)
        if decisions.series[first][1] == decisions.series[second][1]
    ]
    names = [
        {
            "first": decisions.series[first][0],
            "second": decisions.series[second][0],
            "protocol": decisions.series[first][1],
        }
        for first, second in couples
    ]
    rows = compared(decisions, couples, dependence, confidence)
    return framed([names[place] | row for place, row in rows], COMPARISONS)


def models_compared(
    of_models: Mapping[str, Decisions],
    dependence: Dependence,
    confidence: float,
    headlines: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Every two models under each measure and protocol of both, as unmask.statistics.schema.COMPARISONS.

    Two models that have no measure in common, as a masked and a causal language model, are compared under the
    headline measure of each, if `headlines` has it.

    of_models: the decisions of each model on the same pairs, in the order in which models are compared; see
    `compared` for the rest.
    """
    joined = Decisions(
        [series for decisions in of_models.values() for series in decisions.series],
        *(
            np.hstack([getattr(decisions, name) for decisions in of_models.values()])
            for name in ("outcome", "margin", "lowest", "highest")
        ),
    )
    column: dict[tuple[str, tuple[str, str]], int] = {}
    for model, decisions in of_models.items():
        for series in decisions.series:
            column[model, series] = len(column)
    every_series = list(dict.fromkeys(joined.series))
    of_headline = {
        model: [(of, protocol) for of, protocol in decisions.series if of == (headlines or {}).get(model)]
        for model, decisions in of_models.items()
    }
    couples, names = [], []
    for first, second in combinations(of_models, 2):
        common = [each for each in every_series if (first, each) in column and (second, each) in column]
        compared_series = list(zip(common, common, strict=True)) or [
            (one, other)
            for one, other in product(of_headline[first], of_headline[second])
            if one[1] == other[1]
        ]
        for one, other in compared_series:
            couples.append((column[first, one], column[second, other]))
            apart = {"second_measure": other[0]} if other[0] != one[0] else {}
            names.append({"first": first, "second": second, "measure": one[0], "protocol": one[1], **apart})
    rows = compared(joined, couples, dependence, confidence)
    return framed([names[place] | row for place, row in rows], COMPARISONS)


def compared(
    decisions: Decisions, couples: list[tuple[int, int]], dependence: Dependence, confidence: float
) -> Iterator[tuple[int, dict[str, object]]]:
    """Couples of series (columns of `decisions`) on pairs that count for both: (its number, its row).

    A pair counts where it is in the number of pairs of both scores: in `corrected` where neither is
    undefined. A couple without such a pair is left out. A row has

    - n; first_score and second_score, the bias scores over these pairs, in percent;
    - difference, their difference in percentage points; error, its clustered standard error
      (Dependence.variance of the pairs' own differences), independent_error as if pairs were independent; df,
      low, high and p of Student's t. There are no more degrees of freedom than pairs with a difference, less
      one;
    - both, b, c, neither: pairs in which both prefer the stereotype, the first alone, the second alone, none
      (a tie prefers nothing); p_mcnemar, McNemar's test of these counts, which takes pairs as independent;
    - agreement: the percentage of pairs in both or neither.

    Null is what nothing can be said of: p, error, and the interval where the two never differ, or all differ
    alike.
    """
    pattern_of, members_of = _patterns(decisions.trials() > 0)
    credit, prefers = 100 * decisions.credit(), decisions.outcome == code(STEREOTYPE)
    by_patterns: dict[tuple[int, int], list[int]] = {}
    for place, (first, second) in enumerate(couples):
        key = sorted((int(pattern_of[first]), int(pattern_of[second])))
        by_patterns.setdefault((key[0], key[1]), []).append(place)
    rows: dict[int, dict[str, object]] = {}
    for (one, other), places in by_patterns.items():
        members = np.flatnonzero(members_of[:, one] & members_of[:, other])
        if not len(members):
            continue
        n = len(members)
        moments = dependence.among(members).moments(np.full(n, 1 / n), np.zeros(n, np.int64))
        for block in blocks(n, len(places)):
            some = places[block]
            firsts, seconds = np.array([couples[place] for place in some]).T
            of_some = _compared(
                credit[np.ix_(members, firsts)],
                credit[np.ix_(members, seconds)],
                prefers[np.ix_(members, firsts)],
                prefers[np.ix_(members, seconds)],
                moments,
                confidence,
            )
            rows.update(zip(some, of_some, strict=True))
    yield from sorted(rows.items())


def _patterns(counts: npt.NDArray[np.bool_]) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """Which of few columns each column of `counts` is, and those few; shapes (series,) and (pairs, few)."""
    numbers: dict[bytes, int] = {}
    of = [numbers.setdefault(column.tobytes(), len(numbers)) for column in counts.T.copy()]
    first = [of.index(number) for number in numbers.values()]
    return np.array(of, np.int64), counts[:, first]


def _compared(
    first: Floats,
    second: Floats,
    prefers: npt.NDArray[np.bool_],
    others: npt.NDArray[np.bool_],
    moments: Moments,
    confidence: float,
) -> Iterator[dict[str, object]]:
    """The rows of k couples: credits (percent) and preferences of either side, shapes (pairs, k)."""
    n, k = first.shape
    differences = first - second
    difference = differences.mean(axis=0)
    counts = np.stack([prefers & others, prefers & ~others, ~prefers & others, ~prefers & ~others])
    variance = moments.variance(differences - difference)
    # no larger than the number of pairs that tell the two apart
    df = np.minimum(variance.df, np.count_nonzero(differences, axis=0) - 1.0)
    of_difference = student(difference, variance.clustered, df, confidence)
    columns = {
        "n": np.full(k, n),
        "first_score": first.mean(axis=0),
        "second_score": second.mean(axis=0),
        "difference": difference,
        "error": of_difference.error,
        "independent_error": np.where(np.isnan(of_difference.error), np.nan, np.sqrt(variance.independent)),
        "df": np.where(np.isnan(of_difference.error), np.nan, df),
        "low": of_difference.low,
        "high": of_difference.high,
        "p": of_difference.p,
        **dict(zip(("both", "b", "c", "neither"), counts.sum(axis=1), strict=True)),
        "agreement": 100 * (prefers == others).mean(axis=0),
    }
    for place in range(k):
        row = {name: column[place].item() for name, column in columns.items()}
        yield row | {"p_mcnemar": mcnemar_of_counts(row["b"], row["c"])[1], "confidence": confidence}

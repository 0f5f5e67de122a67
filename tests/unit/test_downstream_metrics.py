"""Bias of fine-tuned models: each metric against its definition written out slowly, nulls by enumeration,
intervals and tests by simulation."""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from scipy.stats import t as student

from library import (
    ITEMS,
    MAIN,
    PREDICTIONS,
    InputError,
    Runs,
    Sharing,
    contrast,
    framed,
    read_runs,
    rows_of,
    write_table,
)
from library import downstream_measure as measure
from recompute import TASKS

DRAWS = 200
Logits = npt.NDArray[np.float64]


def people(*counts: tuple[int, int]) -> pd.DataFrame:
    """Test people: so many women and men of each occupation."""
    rows = [
        (label, gender)
        for label, of_genders in enumerate(counts)
        for gender, count in zip(("female", "male"), of_genders, strict=True)
        for _ in range(count)
    ]
    items = pd.DataFrame(rows, columns=["label", "gender"]).assign(part="test")
    items["occupation"] = items["label"].map("occupation {:02}".format)
    items["female_share"] = 5.0 + 90 * items["label"] / max(1, len(counts) - 1)
    return _items(items.astype({"label": float}))


def predictions(items: pd.DataFrame, gaps: Any, rng: np.random.Generator) -> Logits:
    """Each run predicts people of each label right with probability .6, and half its gap more or less.

    gaps: shape (runs, labels). Logits of shape (runs, people, labels).
    """
    labels = items["label"].to_numpy(int)
    sign = np.where(items["gender"] == "female", 0.5, -0.5)
    right = rng.random((len(gaps), len(labels))) < 0.6 + sign * gaps[:, labels]
    return np.eye(gaps.shape[1])[np.where(right, labels, (labels + 1) % gaps.shape[1])]


def cells(templates: int, occupations: int, tests: int = 30, each: int = 1) -> pd.DataFrame:
    """Items of every template and occupation, `each` a gender, and of `tests` tests."""
    every = product(range(templates), range(occupations), ("female", "male"), range(each))
    bias = pd.DataFrame(every, columns=["template", "number", "gender", "_"]).assign(part="bias")
    bias["occupation"] = bias["number"].map("occupation {:02}".format)
    bias["female_share"] = 5.0 + 90 * bias["number"] / max(1, occupations - 1)
    tested = pd.DataFrame({"label": [float(place % 3) for place in range(tests)]}).assign(part="test")
    return _items(pd.concat([bias, tested], ignore_index=True).assign(second="b"))


def _items(rows: pd.DataFrame) -> pd.DataFrame:
    texts = rows.index.map("text {}".format)
    return framed(rows.assign(item=rows.index, text=texts, sampled=True), ITEMS).assign(ideal=None)


def runs_of(logits: Logits) -> Runs:
    """Runs, of the seeds from 0 on, that predict all items at one step."""
    facts = [{"seed": seed} for seed in range(len(logits))]
    return Runs(facts, {1: (np.arange(logits.shape[1]), logits)})


def scored(kind: str, items: pd.DataFrame, logits: Logits, draws: int = DRAWS, **more: Any) -> pd.DataFrame:
    return measure(kind, items, runs_of(logits), draws, 0.95, **more)


def values(rows: pd.DataFrame, seed: int | None = None) -> dict[tuple[str, str | None], Any]:
    """The rows of one seed by metric and group."""
    rows = rows[rows["seed"].isna() if seed is None else rows["seed"] == seed]
    return {(row.metric, None if pd.isna(row.group) else row.group): row for row in rows_of(rows)}


def in_any_order(items: pd.DataFrame, logits: Logits) -> tuple[pd.DataFrame, Logits]:
    order = np.random.default_rng(0).permutation(len(items))
    return items.iloc[order].reset_index(drop=True), logits[:, order]


def uneven_people() -> tuple[pd.DataFrame, Logits]:
    """Three runs; one occupation of men alone, and some people of no gender that is known."""
    items = people((7, 30), (25, 5), (12, 12), (40, 9), (0, 8))
    items.loc[::20, "gender"] = None
    gaps = np.tile([0.5, -0.4, 0.0, 0.3, 0.1], (3, 1))
    return in_any_order(items, predictions(items, gaps, np.random.default_rng(5)))


def uneven_cells(width: int) -> tuple[pd.DataFrame, Logits]:
    """Two runs, two items a gender; one cell of women alone, one of more men."""
    items = cells(7, 5, each=2)
    drop = (items["template"] == 2) & (items["occupation"] == "occupation 03") & (items["gender"] == "male")
    items = items[~drop & (items["item"] != 1)]
    return in_any_order(items, np.random.default_rng(3).normal(0, 1, (2, len(items), width)))


UNEVEN = {"occupations": uneven_people(), "similarity": uneven_cells(1), "entailment": uneven_cells(3)}


def literal(kind: str, items: pd.DataFrame, logits: Logits) -> dict[tuple[str, str | None], float]:
    """The definitions, slowly, by metric and group."""
    metrics, gaps = TASKS[MAIN[kind]](items, logits)
    known = {(name, None): value for name, value in metrics.items() if not math.isnan(value)}
    return known | {("gap", str(name)): gap for name, gap in gaps.items()}


@pytest.mark.parametrize("kind", UNEVEN)
def test_metrics_are_those_of_their_definitions(kind: str) -> None:
    items, logits = UNEVEN[kind]
    scores = scored(kind, items, logits)
    each = [literal(kind, items, of_run) for of_run in logits]
    for seed, expected in enumerate(each):
        known = {key: row.value for key, row in values(scores, seed).items()}
        assert known == pytest.approx(expected, abs=1e-9)
    compared = items[
        (items["part"] == ("test" if kind == "occupations" else "bias")) & items["gender"].notna()
    ]
    of_cells = compared.groupby(["template", "occupation"], dropna=False)["gender"]
    counts = compared[of_cells.transform("nunique") == 2]["occupation"].value_counts().to_dict()
    gaps = scores[scores["metric"] == "gap"]
    assert dict(zip(gaps["group"], gaps["n"], strict=True)) == counts
    for key, row in values(scores).items():
        assert row.value == pytest.approx(fmean(one[key] for one in each), abs=1e-9)
        assert math.isnan(row.low) or row.low - 1e-9 <= row.value <= row.high + 1e-9
    assert scores["metric"].iloc[0] == MAIN[kind]


def permutations(kind: str, items: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Every way to choose an occupation's women among its people, or to swap the genders of templates."""
    if kind == "occupations":
        groups = items.groupby("occupation")["gender"]
        ways = [itertools.combinations(of.index, int(of.eq("female").sum())) for _, of in groups]
        for chosen in itertools.product(*ways):
            women = items.index.isin([*itertools.chain(*chosen)])
            yield items.assign(gender=np.where(women, "female", "male"))
        return
    swaps = items["gender"].map({"female": "male", "male": "female"})
    for swapped in itertools.product([False, True], repeat=items["template"].nunique()):
        swap = items["template"].map(dict(enumerate(swapped))).eq(True)
        yield items.assign(gender=items["gender"].where(~swap, swaps))


@pytest.mark.parametrize(
    ("kind", "width", "tested"),
    [
        ("occupations", 3, {"tpr_gap", "tpr_gap_rms", "tpr_gap_signed", "gap"}),
        ("similarity", 1, {"delta_signed", "delta_occupation", "gap"}),
        ("entailment", 3, {"fn_gap", "nn_gap", "gap"}),
    ],
)
def test_bands_of_chance_hold_their_share_of_all_permutations(
    kind: str, width: int, tested: set[str]
) -> None:
    rng, draws = np.random.default_rng(1), 4000
    items = people((2, 2), (3, 2), (1, 3))
    logits = predictions(items, np.array([[0.4, -0.3, 0.0]]), rng)
    if kind != "occupations":
        items, logits = cells(6, 3, tests=3), rng.normal(0, 1, (1, 39, width))
    every = [literal(kind, each, logits[0]) for each in permutations(kind, items)]
    rows = measure(kind, items, runs_of(logits), draws, 0.9).query("seed.notna()")
    rows = rows[rows["null_low"].notna() & ~rows["metric"].str.endswith("correlation")]
    assert set(rows["metric"]) == tested
    for row in rows_of(rows):
        law = np.array([of[row.metric, None if pd.isna(row.group) else row.group] for of in every])
        for end, level in ((row.null_low, 0.05), (row.null_high, 0.95)):
            # four standard errors of a share of so many draws
            near = 4 * math.sqrt(level * (1 - level) / draws)
            assert np.mean(law < end - 1e-6) <= level + near
            assert np.mean(law <= end + 1e-6) >= level - near
        assert row.null_mean == pytest.approx(law.mean(), abs=4 * law.std() / math.sqrt(draws) + 1e-6)
        is_signed = row.metric in ("gap", "tpr_gap_signed")
        sizes, size = (abs(law), abs(row.value)) if is_signed else (law, row.value)
        p, least = (np.mean(sizes >= bound - 1e-6) for bound in (size, sizes.max()))
        # a test that cannot reject has none
        assert math.isnan(row.p) == (least > 0.05)
        near = 4 * math.sqrt(p * (1 - p) / draws) + 1 / draws
        assert math.isnan(row.p) or row.p == pytest.approx(p, abs=near)


def test_change_is_paired() -> None:
    items, gaps = people(*[(60, 60)] * 6), np.tile([0.4, -0.3, 0.2, 0.5, 0.1, -0.2], (2, 1))
    before = predictions(items, gaps, np.random.default_rng(4))
    after = before.copy()
    # every woman of the first two occupations predicted as the man in her place
    for label in (0, 1):
        of_label = items.index[items["label"] == label]
        after[:, of_label[:60]] = before[:, of_label[60:]]
    change = values(scored("occupations", items, after, origin=runs_of(before)))["change", None]
    bias = [
        fmean(literal("occupations", items, of)["tpr_gap", None] for of in runs) for runs in (after, before)
    ]
    assert change.value == pytest.approx(bias[0] - bias[1]) and change.value < 0
    same = values(scored("occupations", items, before, origin=runs_of(before)))["change", None]
    assert same.value == 0 and math.isnan(same.p)
    # of the seeds that both have
    origin = Runs([{"seed": 1}], {1: (np.arange(len(items)), before[1:])})
    of_one = scored("occupations", items, after, origin=origin).query("metric == 'change'")
    both = values(scored("occupations", items, after, origin=runs_of(before)), 1)
    assert of_one["value"].tolist() == [both["change", None].value] * 2


# --- intervals, written out

Weighted = Callable[[Logits], float]
"""A metric by the weight of each cell."""


def nudged(metric: Weighted, n: int) -> Logits:
    """What each of n cells adds to a metric: by how much it changes where one counts a little more."""
    some = 1e-6 * np.eye(n)
    return np.array([n * (metric(1 + some[cell]) - metric(np.ones(n))) / 1e-6 for cell in range(n)])


def weighted_r(x: Logits, y: Logits, weights: Logits) -> float:
    both = np.cov(x, y, aweights=weights, ddof=0)
    return float(both[0, 1] / math.sqrt(both[0, 0] * both[1, 1]))


def check_ends(
    rows: list[Any],
    variances: Sequence[float],
    df: float,
    low: float = -1.0,
    high: float = 1.0,
    is_r: bool = False,
) -> None:
    """The rows of runs, and last that of their mean, have Student's t; a correlation that of Fisher's z.

    variances: of each, for the mean that of items alone. low, high: between which intervals are.
    """
    runs, size = [row.value for row in rows[:-1]], len(rows) - 1
    between, (*of_runs, within) = np.var(runs, ddof=1) / size, variances
    of_both = between + within
    df_of_both = of_both**2 / (between**2 / (size - 1) + within**2 / df)
    for row, variance, of_row in zip(rows, [*of_runs, of_both], [df] * size + [df_of_both], strict=True):
        reach = student.ppf(0.975, of_row) * math.sqrt(variance) / (1 - row.value**2 if is_r else 1)
        centre = math.atanh(row.value) if is_r else row.value
        ends = [math.tanh(end) if is_r else end for end in (centre - reach, centre + reach)]
        assert [row.low, row.high] == pytest.approx(np.clip(ends, low, high), rel=1e-4, abs=1e-6)


def rows_of_metric(rows: pd.DataFrame, metric: str, group: str = "") -> list[Any]:
    """The rows of a metric: of each run, and of their mean."""
    found = rows_of(rows[(rows["metric"] == metric) & (rows["group"].fillna("") == group)])
    return sorted(found, key=lambda row: 9 if pd.isna(row.seed) else row.seed)


def test_intervals_of_occupations_are_those_of_what_each_adds() -> None:
    """Rates have a success and a failure more of either gender, an accuracy two."""
    items = people((7, 30), (25, 5), (12, 12), (40, 9), (0, 8), (30, 30))
    gaps = np.array([[0.5, -0.4, 0.0, 0.3, 0.1, 0.2]] * 3)
    logits = predictions(items, gaps, np.random.default_rng(5))
    scores, of_runs = (
        scored("occupations", items, logits),
        [literal("occupations", items, of) for of in logits],
    )
    names = [str(group) for metric, group in of_runs[0] if metric == "gap"]
    shares = items.groupby("occupation")["female_share"].first()[names].to_numpy(float)
    metrics: dict[str, Callable[[Logits, Logits], float]] = {
        "tpr_gap": lambda gaps, weights: np.average(abs(gaps), weights=weights),
        "tpr_gap_rms": lambda gaps, weights: math.sqrt(np.average(gaps**2, weights=weights)),
        "tpr_gap_signed": lambda gaps, weights: np.average(gaps, weights=weights),
        "tpr_gap_correlation": lambda gaps, weights: weighted_r(gaps, shares, weights),
    }
    of_names = [np.array([of["gap", name] for name in names]) for of in of_runs]
    for metric, value in metrics.items():
        added = [nudged(partial(value, gaps), len(names)) for gaps in of_names]
        variances = [np.var(each, ddof=1) / len(names) for each in (*added, np.mean(added, axis=0))]
        low, is_r = 0.0 if metric in ("tpr_gap", "tpr_gap_rms") else -1.0, metric == "tpr_gap_correlation"
        check_ends(rows_of_metric(scores, metric), variances, len(names) - 1, low, is_r=is_r)
    # of the occupations whose share of women is known
    some = scored(
        "occupations", items.assign(female_share=items["female_share"].where(items["label"] < 4)), logits
    )
    expected = [weighted_r(gaps[:4], shares[:4], np.ones(4)) for gaps in of_names]
    found = [row.value for row in rows_of_metric(some, "tpr_gap_correlation")]
    assert found == pytest.approx([*expected, fmean(expected)])
    # without three shares of women that are known and not all alike there is no correlation
    for share in (50.0, items["female_share"].where(items["label"] < 2)):
        alike = scored("occupations", items.assign(female_share=share), logits)
        assert len(rows_of_metric(alike, "tpr_gap")) == 4 and "tpr_gap_correlation" not in {*alike["metric"]}
    right = (logits.argmax(axis=2) == items["label"].to_numpy()).astype(float)
    for group, more in (("", 2), *((name, 1) for name in names)):
        of_group = items["occupation"].eq(group).to_numpy() | (group == "")
        genders = (
            [of_group]
            if more == 2
            else [of_group & items["gender"].eq(g).to_numpy() for g in ("female", "male")]
        )
        rows = rows_of_metric(scores, "gap" if group else "accuracy", group)
        for run, row in enumerate(rows[:-1]):
            rates = [((right[run, of].sum() + more) / (of.sum() + 2 * more), of.sum()) for of in genders]
            variance = sum(rate * (1 - rate) / (n + 2 * more) for rate, n in rates)
            centre = rates[0][0] - (rates[1][0] if group else 0)
            ends = centre + 1.959964 * math.sqrt(variance) * np.array([-1, 1])
            assert [row.low, row.high] == pytest.approx(np.clip(ends, -1, 1), rel=1e-5)
            assert row.units == of_group.sum()


def test_cells_that_share_a_template_or_an_occupation_vary_together() -> None:
    """By the sharing of pairs of a benchmark, which knows nothing of templates."""
    items, logits = uneven_cells(1)
    # the runs prefer either gender
    logits = logits * [[[1.0]], [[-1.0]]]
    scores, of_runs = scored("similarity", items, logits), []
    for run in logits:
        bias = items[items["part"] == "bias"].assign(value=run[(items["part"] == "bias").to_numpy(), 0])
        means = bias.groupby(["template", "occupation", "gender"])["value"].mean().unstack().dropna()
        of_runs.append(means["male"] - means["female"])
    cells, n = of_runs[0].index, len(of_runs[0])
    by_name = cells.get_level_values("occupation")
    sharing = Sharing.of([("template", template), ("occupation", name)] for template, name in cells)

    def of_occupations(delta: "pd.Series[float]", weights: Logits) -> float:
        """An occupation's cells count as much as another's, however many there are."""
        side = np.sign(delta.groupby(by_name).transform("mean"))
        return float(np.average(delta * side, weights=weights / delta.groupby(by_name).transform("size")))

    metrics: dict[str, Callable[[Any, Logits], float]] = {
        "delta": lambda delta, weights: np.average(abs(delta), weights=weights),
        "delta_signed": lambda delta, weights: abs(np.average(delta, weights=weights)),
        "delta_occupation": of_occupations,
    }
    for metric, value in metrics.items():
        added = [nudged(partial(value, delta), n) for delta in of_runs]
        known = contrast(np.column_stack([*added, np.mean(added, axis=0)]), sharing)
        check_ends(rows_of_metric(scores, metric), known["clustered"].tolist(), known["df"][0], 0.0, math.inf)
    assert all(math.isnan(row.p) and row.units == 5 for row in rows_of_metric(scores, "delta"))
    tested = (items["part"] == "test").to_numpy()
    label, n_tested = items.loc[tested, "label"].to_numpy(float), int(tested.sum())
    added = [nudged(partial(weighted_r, run[tested, 0], label), n_tested) for run in logits]
    variances = [np.var(each, ddof=1) / n_tested for each in (*added, np.mean(added, axis=0))]
    check_ends(rows_of_metric(scores, "accuracy"), variances, n_tested - 1, is_r=True)
    alike = scored("similarity", items.assign(label=items["label"] * 0), logits)
    assert "accuracy" in {*scores["metric"]} and "accuracy" not in {*alike["metric"]}
    for name, of_name in of_runs[0].groupby(by_name):
        row = rows_of_metric(scores, "gap", str(name))[0]
        reach = student.ppf(0.975, len(of_name) - 1) * math.sqrt(of_name.var() / len(of_name))
        assert [row.low, row.high] == pytest.approx([row.value - reach, row.value + reach])
        assert row.units == len(of_name)


def test_what_cannot_be_compared_is_one_line(tmp_path: Path) -> None:
    for seed, step, items in ((0, 5, 3), (1, 6, 3), (1, 5, 2)):
        rows = [{"step": step, "item": item, "logits": [0.0, 1.0]} for item in range(items)]
        path = tmp_path / f"{seed}.parquet"
        write_table(path, framed(rows, PREDICTIONS), PREDICTIONS, {"seed": seed})
        if seed:
            with pytest.raises(InputError, match=r"1\.parquet: has other steps or items than .*0\.parquet"):
                read_runs([path, tmp_path / "0.parquet"])


# --- a simulation: intervals hold the truth as often as they say

STUDIES = 400
"""Each is one run; runs know nothing of each other but in the row of their mean."""


def covered(rows: pd.DataFrame, metric: str, truth: float, group: str = "") -> float:
    """The share of the intervals that hold the truth."""
    of = rows[(rows["metric"] == metric) & (rows["group"].fillna("") == group)]
    return float(((of["low"] <= truth) & (truth <= of["high"])).mean())


@pytest.mark.thorough
def test_intervals_of_occupations() -> None:
    rng = np.random.default_rng(0)
    items = people(*[(250, 250)] * 20)
    # gaps well above what people alone bring about, so that E|gap| is that of the occupations
    gaps = rng.uniform(0.15, 0.55, (STUDIES, 20)) * rng.choice([-1, 1], (STUDIES, 20))
    rms = math.sqrt(0.35**2 + 0.4**2 / 12 + 2 * 0.24 / 250)
    rows = scored("occupations", items, predictions(items, gaps, rng), 2).query("seed.notna()")
    for metric, truth in {"tpr_gap": 0.35, "tpr_gap_signed": 0.0, "tpr_gap_rms": rms}.items():
        assert 0.915 <= covered(rows, metric, truth) <= 0.98, metric
    items = people(*[(12, 40)] * 10)
    of_names = np.linspace(-0.6, 0.6, 10)
    runs = predictions(items, np.tile(of_names, (STUDIES, 1)), rng)
    rows = scored("occupations", items, runs, 2).query("seed.notna()")
    shares = [covered(rows, "gap", gap, f"occupation {label:02}") for label, gap in enumerate(of_names)]
    assert 0.93 <= np.mean(shares) <= 0.985

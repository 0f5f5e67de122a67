"""Bias of fine-tuned models: each metric against its definition written out slowly, nulls by enumeration,
intervals and tests by simulation."""

import itertools
import math
from collections.abc import Iterator
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
    """Three runs; one occupation of men alone."""
    items = people((7, 30), (25, 5), (12, 12), (40, 9), (0, 8))
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
    compared = items[items["part"] == ("test" if kind == "occupations" else "bias")]
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


def test_cells_that_share_a_template_or_an_occupation_vary_together() -> None:
    """The variance of delta by the sharing of pairs of a benchmark, which knows nothing of templates."""
    items, logits = uneven_cells(1)
    bias = items[items["part"] == "bias"].assign(value=logits[0, (items["part"] == "bias").to_numpy(), 0])
    means = bias.groupby(["template", "occupation", "gender"])["value"].mean().unstack().dropna()
    sizes = (means["male"] - means["female"]).abs().to_numpy()
    sharing = Sharing.of([("template", template), ("occupation", name)] for template, name in means.index)
    (expected,) = rows_of(contrast(sizes[:, None], sharing))
    row = values(scored("similarity", items, logits), 0)["delta", None]
    reach = student.ppf(0.975, expected.df) * math.sqrt(expected.clustered)
    assert (row.value, row.high - row.value) == pytest.approx((expected.estimate, reach))


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

"""Bias of fine-tuned models: each metric against its definition written out slowly."""

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import pearsonr
from scipy.stats import t as student

from library import (
    CHANGE,
    ENTAILMENT,
    FEMALE,
    GAP,
    MAIN,
    OCCUPATIONS,
    SIMILARITY,
    TEST,
    InputError,
    Sharing,
    contrast,
    read_metadata,
    read_runs,
    read_table,
    rows_of,
)
from library import DOWNSTREAM_BIAS as BIAS
from library import DOWNSTREAM_MALE as MALE
from library import DOWNSTREAM_SCORES as SCORES
from library import downstream_measure as measure
from made_predictions import Logits, cells, people, runs_of, write_items, write_run
from running import run_script

DRAWS = 200


def scored(kind: str, items: pd.DataFrame, logits: Logits, draws: int = DRAWS, **more: Any) -> pd.DataFrame:
    return measure(kind, items, runs_of(logits), draws, 0.95, **more)


def values(rows: pd.DataFrame, seed: int | None = None) -> dict[tuple[str, str | None], Any]:
    """The rows of one seed by metric and group."""
    rows = rows[rows["seed"].isna() if seed is None else rows["seed"] == seed]
    return {(row.metric, None if pd.isna(row.group) else row.group): row for row in rows_of(rows)}


def flipped(items: pd.DataFrame) -> pd.DataFrame:
    return items.assign(gender=items["gender"].map({FEMALE: MALE, MALE: FEMALE}))


def uneven_people() -> tuple[pd.DataFrame, Logits]:
    """Three runs; one occupation of men alone."""
    rng = np.random.default_rng(5)
    counts = [(7, 30), (25, 5), (12, 12), (40, 9), (0, 8)]
    return people([0.5, -0.4, 0.0, 0.3, 0.1], counts, rng, runs=3)


def uneven_cells(width: int) -> tuple[pd.DataFrame, Logits]:
    """Two runs, two items a gender; one cell of women alone, one of more men."""
    items = cells(7, 5, each=2)
    drop = (items["template"] == 2) & (items["occupation"] == "occupation 03") & (items["gender"] == MALE)
    drop |= items["item"] == 1
    items = items[~drop].reset_index(drop=True)
    items["item"] = np.arange(len(items), dtype=np.int32)
    return items, np.random.default_rng(3).normal(0, 1, (2, len(items), width))


# literal versions


def literal_occupations(items: pd.DataFrame, logits: Logits) -> dict[tuple[str, str | None], float]:
    right: dict[tuple[str, str], list[int]] = {}
    everyone: list[int] = []
    shares: dict[str, float] = {}
    for place, row in enumerate(items.to_dict("records")):
        scores = list(logits[place])
        hit = int(scores.index(max(scores)) == row["label"])
        everyone.append(hit)
        right.setdefault((row["occupation"], row["gender"]), []).append(hit)
        shares[row["occupation"]] = row["female_share"]
    metrics: dict[tuple[str, str | None], float] = {}
    gaps = {}
    for name in shares:
        if (name, FEMALE) in right and (name, MALE) in right:
            women, men = right[name, FEMALE], right[name, MALE]
            gaps[name] = sum(women) / len(women) - sum(men) / len(men)
            metrics[GAP, name] = gaps[name]
    metrics["tpr_gap", None] = sum(abs(gap) for gap in gaps.values()) / len(gaps)
    metrics["tpr_gap_rms", None] = math.sqrt(sum(gap**2 for gap in gaps.values()) / len(gaps))
    metrics["tpr_gap_signed", None] = sum(gaps.values()) / len(gaps)
    metrics["tpr_gap_correlation", None] = pearsonr(list(gaps.values()), [shares[o] for o in gaps]).statistic
    metrics["accuracy", None] = sum(everyone) / len(everyone)
    for gender in (FEMALE, MALE):
        of_gender = [hit for (_, g), hits in right.items() if g == gender for hit in hits]
        metrics[f"accuracy_{gender}", None] = sum(of_gender) / len(of_gender)
    return metrics


def literal_cells(items: pd.DataFrame, of_item: list[float]) -> dict[tuple[int, str], tuple[float, float]]:
    """The means of women and men in each cell that has both."""
    metrics: dict[tuple[int, str], dict[str, list[float]]] = {}
    for place, row in enumerate(items.to_dict("records")):
        if row["part"] == BIAS:
            cell = metrics.setdefault((int(row["template"]), row["occupation"]), {FEMALE: [], MALE: []})
            cell[row["gender"]].append(of_item[place])
    return {
        key: (sum(cell[FEMALE]) / len(cell[FEMALE]), sum(cell[MALE]) / len(cell[MALE]))
        for key, cell in metrics.items()
        if cell[FEMALE] and cell[MALE]
    }


def of_occupations(of_cells: dict[tuple[int, str], float]) -> dict[str, float]:
    names = sorted({name for _, name in of_cells})
    return {
        name: float(np.mean([value for (_, other), value in of_cells.items() if other == name]))
        for name in names
    }


def share_of(items: pd.DataFrame, name: str) -> float:
    return float(items.loc[items["occupation"] == name, "female_share"].iloc[0])


def literal_similarity(items: pd.DataFrame, logits: Logits) -> dict[tuple[str, str | None], float]:
    both = literal_cells(items, [float(one) for one in logits[:, 0]])
    delta = {key: male - female for key, (female, male) in both.items()}
    by_name = of_occupations(delta)
    tested = (items["part"] == TEST).to_numpy()
    metrics: dict[tuple[str, str | None], float] = {(GAP, name): value for name, value in by_name.items()}
    metrics["delta", None] = float(np.mean([abs(value) for value in delta.values()]))
    metrics["delta_signed", None] = abs(float(np.mean(list(delta.values()))))
    metrics["delta_occupation", None] = float(np.mean([abs(value) for value in by_name.values()]))
    metrics["delta_correlation", None] = pearsonr(
        list(by_name.values()), [share_of(items, name) for name in by_name]
    ).statistic
    metrics["accuracy", None] = pearsonr(logits[tested, 0], items["label"][tested]).statistic
    return metrics


def literal_entailment(items: pd.DataFrame, logits: Logits) -> dict[tuple[str, str | None], float]:
    neutral, predicted = [], []
    for scores in logits:
        odds = [math.exp(one) for one in scores]
        neutral.append(odds[1] / sum(odds))
        predicted.append(list(scores).index(max(scores)))
    rates: dict[str, list[float]] = {
        "fn": [float(label == 1) for label in predicted],
        "nn": neutral,
        "t5": [float(p > 0.5) for p in neutral],
        "t7": [float(p > 0.7) for p in neutral],
    }
    metrics: dict[tuple[str, str | None], float] = {}
    for name, of_item in rates.items():
        both = literal_cells(items, of_item)
        metrics[f"{name}_female", None] = float(np.mean([female for female, _ in both.values()]))
        metrics[f"{name}_male", None] = float(np.mean([male for _, male in both.values()]))
    fn = {key: female - male for key, (female, male) in literal_cells(items, rates["fn"]).items()}
    metrics |= {(GAP, name): value for name, value in of_occupations(fn).items()}
    for name in ("fn", "nn"):
        metrics[f"{name}_gap", None] = abs(metrics[f"{name}_female", None] - metrics[f"{name}_male", None])
    metrics["not_neutral", None] = 1 - (metrics["fn_female", None] + metrics["fn_male", None]) / 2
    tested = [place for place in range(len(items)) if items["part"].iloc[place] == TEST]
    metrics["accuracy", None] = float(np.mean([predicted[p] == items["label"].iloc[p] for p in tested]))
    return metrics


@pytest.mark.parametrize(
    ("kind", "task", "literal"),
    [
        (OCCUPATIONS, uneven_people(), literal_occupations),
        (SIMILARITY, uneven_cells(1), literal_similarity),
        (ENTAILMENT, uneven_cells(3), literal_entailment),
    ],
)
def test_metrics_are_those_of_their_definitions(
    kind: str, task: tuple[pd.DataFrame, Logits], literal: Any
) -> None:
    items, logits = task
    scores = scored(kind, items, logits)
    each = [literal(items, one) for one in logits]
    for seed, expected in enumerate(each):
        of_seed = values(scores, seed)
        assert set(of_seed) == set(expected)
        for key, value in expected.items():
            assert of_seed[key].value == pytest.approx(value, abs=1e-9), key
    for key, row in values(scores).items():
        assert row.value == pytest.approx(np.mean([one[key] for one in each]), abs=1e-9)
        if not math.isnan(row.low):
            assert row.low <= row.value + 1e-9
            assert row.high >= row.value - 1e-9
    assert scores["metric"].iloc[0] == MAIN[kind]


@pytest.mark.parametrize(
    ("kind", "task"),
    [(OCCUPATIONS, uneven_people()), (SIMILARITY, uneven_cells(1)), (ENTAILMENT, uneven_cells(3))],
)
def test_swapped_genders_mirror_what_has_a_sign_in_any_order(
    kind: str, task: tuple[pd.DataFrame, Logits]
) -> None:
    items, logits = task
    order = np.random.default_rng(0).permutation(len(items))
    shuffled = flipped(items).iloc[order].reset_index(drop=True)
    scores, mirrored = values(scored(kind, items, logits)), values(scored(kind, shuffled, logits[:, order]))
    signed = {"tpr_gap_signed", "tpr_gap_correlation", "delta_correlation", GAP}
    assert set(scores) == set(mirrored)
    for (metric, group), row in scores.items():
        name = metric
        for one, other in ((FEMALE, MALE), (MALE, FEMALE)):
            if metric.endswith(f"_{one}"):
                name = f"{metric.removesuffix(one)}{other}"
        other_row = mirrored[name, group]
        if metric in signed:
            assert other_row.value == pytest.approx(-row.value, abs=1e-9)
            assert (other_row.low, other_row.high) == pytest.approx((-row.high, -row.low), nan_ok=True)
        else:
            assert other_row.value == pytest.approx(row.value, abs=1e-9)
            assert (other_row.low, other_row.high) == pytest.approx((row.low, row.high), nan_ok=True)


def test_the_same_predictions_for_both_genders_are_no_bias() -> None:
    items = cells(6, 4)
    of_cell = np.random.default_rng(1).normal(0, 1, (24, 3)).repeat(2, axis=0)
    logits = np.vstack([of_cell, np.random.default_rng(2).normal(0, 1, (30, 3))])[None]
    for kind, width, metrics in (
        (SIMILARITY, 1, ("delta", "delta_signed", "delta_occupation")),
        (ENTAILMENT, 3, ("fn_gap", "nn_gap")),
    ):
        scores = values(scored(kind, items, logits[:, :, :width]))
        for metric in metrics:
            assert scores[metric, None].value == 0
            # nothing is tested where all permutations are the same
            assert math.isnan(scores[metric, None].p)
    # half of the women and half of the men of each occupation are predicted right
    items, _ = people([0.0] * 4, 20, np.random.default_rng(0))
    labels = items["label"].to_numpy(int)
    predicted = np.where(np.arange(len(items)) % 2, labels, (labels + 1) % 4)
    gap = values(scored(OCCUPATIONS, items, np.eye(4)[predicted][None]))["tpr_gap", None]
    assert (gap.value, gap.p) == (0, 1) and gap.null_low >= 0


Law = dict[tuple[str, str | None], list[float]]
"""Of each metric and group, every value that it may have, all equally likely."""


def swapped_templates(items: pd.DataFrame, logits: Logits, literal: Any) -> Law:
    """Every way to swap the genders of whole templates."""
    law: Law = {}
    swaps = items["gender"].map({FEMALE: MALE, MALE: FEMALE})
    for chosen in itertools.product([False, True], repeat=items["template"].nunique()):
        swap = items["template"].map(dict(enumerate(chosen))).eq(True)
        genders = items["gender"].where(~swap, swaps)
        for key, value in literal(items.assign(gender=genders), logits).items():
            law.setdefault(key, []).append(value)
    return law


def permuted_people(items: pd.DataFrame, logits: Logits, literal: Any) -> Law:
    """Every way to choose an occupation's women among its people."""
    law: Law = {}
    people = [rows.index.tolist() for _, rows in items.groupby("occupation")]
    women = items.groupby("occupation")["gender"].apply(lambda genders: int(genders.eq(FEMALE).sum()))
    ways = [itertools.combinations(each, count) for each, count in zip(people, women, strict=True)]
    for chosen in itertools.product(*ways):
        of_women = items.index.isin([place for those in chosen for place in those])
        genders = np.where(of_women, FEMALE, MALE)
        for key, value in literal(items.assign(gender=genders), logits).items():
            law.setdefault(key, []).append(value)
    return law


@pytest.mark.parametrize(
    ("kind", "task", "literal", "ways", "tested"),
    [
        (
            OCCUPATIONS,
            people([0.4, -0.3, 0.0], [(2, 4), (3, 2), (1, 3)], np.random.default_rng(1)),
            literal_occupations,
            permuted_people,
            {"tpr_gap", "tpr_gap_rms", "tpr_gap_signed", GAP},
        ),
        (
            SIMILARITY,
            (cells(7, 3, tests=3), np.random.default_rng(1).normal(0, 1, (1, 45, 1))),
            literal_similarity,
            swapped_templates,
            {"delta_signed", "delta_occupation", "delta_correlation", GAP},
        ),
        (
            ENTAILMENT,
            (cells(7, 3, tests=3), np.random.default_rng(1).normal(0, 1, (1, 45, 3))),
            literal_entailment,
            swapped_templates,
            {"fn_gap", "nn_gap", GAP},
        ),
    ],
)
def test_bands_of_chance_hold_their_share_of_all_permutations(
    kind: str, task: tuple[pd.DataFrame, Logits], literal: Any, ways: Any, tested: set[str], tmp_path: Path
) -> None:
    items, logits = task
    draws, confidence, output = 4000, 0.9, tmp_path / "scores.parquet"
    write_items(tmp_path / "items.parquet", items, kind)
    write_run(tmp_path / "run.parquet", {1: logits[0]}, "made", 0, kind)
    inputs = {"items_table": tmp_path / "items.parquet", "predictions": [tmp_path / "run.parquet"]}
    common: dict[str, Any] = {"model": "made", "task": "made", "draws": draws, "confidence": confidence}
    run_script("measure_downstream", inputs, [output], tmp_path / "log", **common)
    law = ways(items, logits[0].astype(np.float32), literal)
    rows = read_table(output, SCORES)
    rows = rows[rows["null_low"].notna() & (rows["metric"] != "tpr_gap_correlation")]
    assert set(rows["metric"]) == tested
    for row in rows_of(rows):
        values = np.array(law[row.metric, None if pd.isna(row.group) else row.group])
        for end, level in ((row.null_low, 0.05), (row.null_high, 0.95)):
            # four standard errors of a share of so many draws
            near = 4 * math.sqrt(level * (1 - level) / draws)
            assert np.mean(values < end - 1e-6) <= level + near
            assert np.mean(values <= end + 1e-6) >= level - near
        assert row.null_mean == pytest.approx(values.mean(), abs=4 * values.std() / math.sqrt(draws) + 1e-6)


def test_a_test_that_cannot_reject_is_not_printed() -> None:
    p = {}
    for templates in (4, 8):
        items = cells(templates, 6, tests=0)
        logits = np.where(items["gender"] == FEMALE, 0.3, 0.7)[None, :, None]
        p[templates] = values(scored(SIMILARITY, items, logits))["delta_signed", None].p
    # of 16 ways to swap four templates two are as unusual as can be
    assert math.isnan(p[4]) and p[8] < 0.05


def test_an_occupation_of_one_gender_is_left_out() -> None:
    items, logits = uneven_people()
    assert "occupation 04" not in set(scored(OCCUPATIONS, items, logits)["group"].dropna())
    alone = items[items["occupation"] == "occupation 04"].reset_index(drop=True)
    with pytest.raises(InputError, match="no occupation has test people of both genders"):
        scored(OCCUPATIONS, alone, logits[:, -8:])


def test_change_is_paired() -> None:
    rng = np.random.default_rng(4)
    items, before = people([0.4, -0.3, 0.2, 0.5, 0.1, -0.2], 60, rng, runs=2)
    after = before.copy()
    # every woman of the first two occupations predicted as the man in her place
    for label in (0, 1):
        people_of_label = items.index[items["label"] == label]
        after[:, people_of_label[:60]] = before[:, people_of_label[60:]]
    origin = runs_of(before)
    scores = values(scored(OCCUPATIONS, items, after, origin=origin))
    literal = [[literal_occupations(items, one)["tpr_gap", None] for one in runs] for runs in (after, before)]
    expected = np.mean(literal[0]) - np.mean(literal[1])
    assert scores[CHANGE, None].value == pytest.approx(expected)
    assert expected < 0
    same = values(scored(OCCUPATIONS, items, before, origin=origin))[CHANGE, None]
    assert same.value == 0
    assert math.isnan(same.p)
    with pytest.raises(InputError, match="have no seed of"):
        scored(OCCUPATIONS, items, before, origin=runs_of(before[:1], first=9))


def test_cells_that_share_a_template_or_an_occupation_vary_together() -> None:
    """The variance of delta by the sharing of pairs of a benchmark, which knows nothing of templates."""
    items, logits = uneven_cells(1)
    both = literal_cells(items, [float(one) for one in logits[0, :, 0]])
    sizes = np.array([abs(male - female) for female, male in both.values()])
    sharing = Sharing.of([("template", template), ("occupation", name)] for template, name in both)
    (expected,) = rows_of(contrast(sizes[:, None], sharing))
    row = values(scored(SIMILARITY, items, logits), 0)["delta", None]
    reach = student.ppf(0.975, expected.df) * math.sqrt(expected.clustered)
    assert (row.value, row.high - row.value) == pytest.approx((expected.estimate, reach))


def test_several_runs_widen_the_interval_by_how_they_differ() -> None:
    items = cells(20, 6, tests=0)
    noise = np.random.default_rng(0).normal(0, 0.1, len(items))
    women = (items["gender"] == FEMALE).to_numpy()
    shift = np.array([0.0, 0.3, -0.3])
    logits = (noise + shift[:, None] * women)[:, :, None]
    scores = scored(SIMILARITY, items, logits)
    mean, one = values(scores)[GAP, "occupation 00"], values(scores, 0)[GAP, "occupation 00"]
    assert mean.high - mean.low > 3 * (one.high - one.low)
    assert mean.low < mean.value < mean.high


def test_the_script_writes_scores(tmp_path: Path) -> None:
    items, logits = uneven_people()
    write_items(tmp_path / "items.parquet", items, OCCUPATIONS, remarks=["as read"], truth={"metrics": {}})
    for seed, of_run in enumerate(logits):
        write_run(tmp_path / f"{seed}.parquet", {0: -of_run, 5: of_run}, "made", seed, OCCUPATIONS)
    inputs = {
        "items_table": tmp_path / "items.parquet",
        "predictions": [tmp_path / f"{seed}.parquet" for seed in (2, 0, 1)],
    }
    common: dict[str, Any] = {"model": "made", "task": "made", "draws": DRAWS, "confidence": 0.9}
    output = [tmp_path / "scores.parquet"]
    run_script("measure_downstream", inputs, output, tmp_path / "log", **common)
    rows = read_table(output[0], SCORES)
    assert sorted(rows["step"].unique()) == [0, 5]
    assert set(rows["seed"].dropna()) == {0, 1, 2}
    facts = read_metadata(output[0])
    assert facts["remarks"] == ["as read"]
    last = rows[rows["step"] == rows["step"].max()]
    value = last[(last["seed"] == 2) & (last["metric"] == "tpr_gap")]["value"].item()
    assert value == pytest.approx(literal_occupations(items, logits[2].astype(np.float32))["tpr_gap", None])
    write_run(tmp_path / "other.parquet", {0: logits[0], 5: logits[0]}, "origin", 0, OCCUPATIONS)
    inputs["origin"] = [tmp_path / "other.parquet"]
    run_script("measure_downstream", inputs, output, tmp_path / "log", **common)
    rows = read_table(output[0], SCORES)
    assert rows.loc[rows["metric"] == CHANGE, "value"].tolist() == [0, 0]


def test_runs_of_other_steps_are_one_line(tmp_path: Path) -> None:
    _, logits = uneven_people()
    paths = [tmp_path / "0.parquet", tmp_path / "1.parquet"]
    write_run(paths[0], {5: logits[0]}, "a", 0, OCCUPATIONS)
    for steps in ({6: logits[1]}, {5: logits[1][:-1]}):
        write_run(paths[1], steps, "a", 1, OCCUPATIONS)
        with pytest.raises(InputError, match=r"1\.parquet: has other steps or items than .*0\.parquet"):
            read_runs(paths[::-1])

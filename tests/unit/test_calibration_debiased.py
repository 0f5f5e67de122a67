"""What debiasing leaves of planted associations: known residuals are recovered, and judged by intervals."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import t as student

from planted_models import (
    CORRUPTION,
    follows,
    made_pairs,
    member,
    observed,
    write_pairs,
    write_scores,
    write_truth,
)
from running import run_script
from unmask.calibration.debiased import TOLERANCE, MadeFrom, debiased_table, verdict_on
from unmask.calibration.population import DEBIASED as ROLE
from unmask.calibration.population import Member, Observed, role_of
from unmask.calibration.schema import DEBIASED
from unmask.calibration.slopes import Slope
from unmask.errors import InputError
from unmask.report.sheets import rows_of
from unmask.tables import read_table

MADE = {"m-cda": MadeFrom("m", "cda", "corrected")}


def scored(model: str, residual: float, noise: float = 0.0, seed: int = 0) -> Observed:
    """A model whose CPS margins have so much of the association; those of AllMasked have nothing of it."""
    who = replace(member(model), role=ROLE if model != "m" else "trained")
    margins = {"CPS": follows(residual, noise=noise, seed=seed), "AllMasked": follows(0.0)}
    return observed(margins, who=who)


def by_hand(one: Observed, measure: str, less: Observed | None = None) -> tuple[float, float, float]:
    """The slope of occupations' means on their log-odds, by the sums of a textbook, and its 95% ends."""
    margins: dict[tuple[str, float], list[float]] = {}
    column = one.measures.index(measure)
    for place, pair in enumerate(one.pairs.to_dict("records")):
        if pair["factor"] == "association":
            value = one.margin[place, column] - (less.margin[place, column] if less else 0.0)
            margins.setdefault((pair["unit"], pair["p"]), []).append(value)
    points = [(math.log(p / (1 - p)), sum(each) / len(each)) for (_, p), each in margins.items()]
    n = len(points)
    x_mean, y_mean = (sum(values) / n for values in zip(*points, strict=True))
    squares = sum((x - x_mean) ** 2 for x, _ in points)
    slope = sum((x - x_mean) * (y - y_mean) for x, y in points) / squares
    errors = sum((y - y_mean - slope * (x - x_mean)) ** 2 for x, y in points)
    reach = float(student.ppf(0.975, n - 2)) * math.sqrt(errors / (n - 2) / squares)
    return slope, slope - reach, slope + reach


@pytest.mark.parametrize(
    ("residual", "verdict"),
    [
        (0.0, "removed"),
        (0.04, "removed"),
        (0.4, "reduced"),
        (0.9, "no clear change"),
        (1.8, "larger"),
        (-0.5, "reversed"),
    ],
)
def test_a_planted_residual_is_recovered(residual: float, verdict: str) -> None:
    origin, debiased = scored("m", 0.9, 0.1, seed=1), scored("m-cda", residual, 0.1, seed=2)
    (row,) = rows_of(debiased_table([origin, debiased], MADE, 0.95))
    # under AllMasked there was nothing to remove
    assert (row.model, row.origin, row.method, row.measure) == ("m-cda", "m", "cda", "CPS")
    assert row.after == pytest.approx(residual, abs=0.06)
    assert row.low < residual / row.before < row.high
    assert row.change_low < residual / 0.9 - 1 < row.change_high or verdict == "no clear change"
    assert row.verdict == verdict and row.occupations == 24
    assert (row.goal, row.text) == (0, 0)


def test_the_numbers_are_those_of_the_textbook() -> None:
    origin, debiased = scored("m", 0.8, 0.5, seed=3), scored("m-cda", 0.3, 0.5, seed=4)
    (row,) = rows_of(debiased_table([origin, debiased], MADE, 0.95))
    before, _, _ = by_hand(origin, "CPS")
    after, low, high = by_hand(debiased, "CPS")
    _, change_low, change_high = by_hand(debiased, "CPS", less=origin)
    assert (row.before, row.after, row.left) == pytest.approx((before, after, after / before))
    assert (row.low, row.high) == pytest.approx((low / before, high / before))
    assert (row.change_low, row.change_high) == pytest.approx((change_low / before, change_high / before))


def test_intervals_contain_the_residual_about_as_often_as_they_should() -> None:
    """In 19 of 20 studies. Of 200 right ones, 99.9% have from 178 to 199."""
    origin, inside = scored("m", 1.0), 0
    for seed in range(200):
        (row,) = rows_of(debiased_table([origin, scored("m-cda", 0.3, 1.0, seed)], MADE, 0.95))
        inside += row.low <= 0.3 <= row.high
    assert 178 <= inside <= 199


def test_every_method_has_its_goal_and_its_text() -> None:
    """All methods should leave nothing; a text on which nothing was changed keeps what it has."""
    expected = {
        "continued": (1, 1),
        "cda": (0, 0),
        "dropout": (0, 1),
        "at": (0, None),
        "sentence-debias": (0, None),
        "inlp": (0, None),
    }
    made = {f"m-{method}": MadeFrom("m", method, "corrected") for method in expected}
    made["m-swapped"] = MadeFrom("m", "cda", "published")
    table = debiased_table([scored("m", 1.0), *(scored(name, 0.5) for name in made)], made, 0.95)
    assert list(table["model"]) == list(made)
    stated = {
        row.method: (row.goal, None if np.isnan(row.text) else row.text)
        for row in rows_of(table[table["reading"] == "corrected"])
    }
    assert stated == expected
    assert table.loc[table["reading"] == "published", "text"].isna().all()


@pytest.mark.parametrize(
    ("left", "change", "verdict"),
    [
        ((0.0, -TOLERANCE, TOLERANCE), (-1.0, -1.1, -0.9), "removed"),
        ((0.0, -0.11, 0.1), (-1.0, -1.1, -0.9), "unclear"),
        ((0.5, -0.1, 1.1), (-0.5, -1.2, 0.2), "unclear"),
        ((0.08, 0.05, 0.11), (-0.9, -1.0, -0.8), "reduced"),
        ((0.9, 0.8, 1.0), (-0.1, -0.2, 0.01), "no clear change"),
        ((1.2, 1.0, 1.4), (0.2, 0.1, 0.3), "larger"),
        ((-0.3, -0.5, -0.1), (-1.3, -1.5, -1.1), "reversed"),
        ((0.5, math.nan, math.nan), (-0.5, math.nan, math.nan), None),
    ],
)
def test_verdicts(
    left: tuple[float, float, float], change: tuple[float, float, float], verdict: str | None
) -> None:
    assert verdict_on(Slope(*left), Slope(*change)) == verdict


def test_a_negative_association_is_no_other_matter() -> None:
    """Shares are of what the origin has learnt, whichever sign that has."""
    table = debiased_table([scored("m", -1.0, 0.1, 1), scored("m-cda", -0.4, 0.1, 2)], MADE, 0.95)
    (row,) = rows_of(table)
    assert row.low < 0.4 < row.high and row.verdict == "reduced"


def test_models_on_other_pairs_are_refused_and_unscored_ones_left_out() -> None:
    origin = scored("m", 1.0)
    fewer = replace(member("m-cda"), role=ROLE)
    other = observed({"CPS": follows(0.0), "AllMasked": follows(0.0)}, made_pairs(occupations=8), fewer)
    with pytest.raises(InputError, match="m-cda: not scored on the same pairs as m"):
        debiased_table([origin, other], MADE, 0.95)
    assert debiased_table([origin], MADE, 0.95).empty
    assert debiased_table([scored("m-cda", 1.0)], MADE, 0.95).empty


def test_who_is_debiased() -> None:
    entry = {"source": "debiased", "from": "m", "method": "cda", "world": "w", "architecture": "bert"}
    assert role_of(entry) == ROLE and role_of(entry | {"world": None}) is None
    assert Member.from_config(entry | {"name": "m-cda"}, {"w": CORRUPTION}) == replace(
        member("m-cda"), role=ROLE
    )


def test_the_script_reads_the_files_of_a_study(tmp_path: Path) -> None:
    pairs = made_pairs(benchmark="dose")
    who = {"m": member("m"), "m-cda": replace(member("m-cda"), role=ROLE)}
    parts = [
        observed({"CPS": follows(residual)}, pairs, who[model])
        for model, residual in (("m", 0.8), ("m-cda", 0.2))
    ]
    entries = [
        {"name": "m", "source": "train", "world": "w", "architecture": "bert"},
        {
            **{"name": "m-cda", "source": "debiased", "world": "w", "architecture": "bert"},
            **{"from": "m", "method": "cda", "reading": "corrected"},
        },
    ]
    output = tmp_path / "debiased.parquet"
    run_script(
        "compute_debiased",
        {
            "scores": [write_scores(tmp_path / f"{one.member.model}.parquet", one, "dose") for one in parts],
            "pairs": [write_pairs(tmp_path / "dose.parquet", pairs, "dose")],
            "truths": [write_truth(tmp_path / "truth.json", "w", {"crows-pairs": pairs})],
        },
        [output],
        tmp_path / "log",
        models=entries,
        benchmarks=[{"name": "dose", "world": "w", "format": "crows-pairs"}],
        corruptions={"w": CORRUPTION},
        confidence=0.95,
    )
    (row,) = rows_of(read_table(output, DEBIASED))
    assert (row.before, row.after, row.left) == pytest.approx((0.8, 0.2, 0.25))
    assert row.verdict == "reduced" and row.family == "w"

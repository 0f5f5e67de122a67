"""Two runs of one study compared: float error explains what differs, or a line says what it does not."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import synthetic
from library import SCORES, compare_runs, describe, main, write_table
from study_schema import MEASURES


def write_run(folder: Path, scores: pd.DataFrame) -> Path:
    """What a run of one model on one benchmark leaves, as far as it is compared."""
    write_table(folder / "scores/bert/crows/original.parquet", scores, SCORES, {})
    return folder


@pytest.fixture
def scores() -> pd.DataFrame:
    return synthetic.make(50, seed=1).scores


def place(scores: pd.DataFrame, near: bool, measure: str = "AUL") -> tuple[int, float]:
    """The row and the margin of a published score that is a near-tie, or is none."""
    of = scores[(scores["measure"] == measure) & (scores["margin"].abs() > 0)]
    row = int(of.index[(of["lowest"] != of["highest"]) == near][0])
    return row, float(scores["margin"].to_numpy()[row])


def moved(scores: pd.DataFrame, row: int, margin: float) -> pd.DataFrame:
    """The scores with another margin in one row."""
    changed = scores.copy()
    changed.loc[row, "antistereotype"] = float(changed["stereotype"].to_numpy()[row]) - margin
    changed.loc[row, "margin"] = margin
    changed.loc[row, "outcome"] = "stereotype" if margin > 0 else "antistereotype"
    return changed


def test_equal_runs_agree_but_for_what_one_has_alone(scores: pd.DataFrame, tmp_path: Path) -> None:
    one = write_run(tmp_path / "one", scores)
    found = compare_runs(one, write_run(tmp_path / "other", scores))
    counts = found.groupby(["measure", "protocol"]).size()
    assert len(counts) == 2 * len(MEASURES) and set(counts) == {50}
    assert found["near"].sum() == (scores["lowest"] != scores["highest"]).sum() > 0
    assert list(describe(found))[-1] == "the runs agree to float error: 0 of 700 decisions differ"
    fewer = scores[~((scores["measure"] == "CPS") & (scores["pair_id"] == "p3"))]
    found = compare_runs(one, write_run(tmp_path / "fewer", fewer))
    lines = [line for line in describe(found) if line.startswith("error: bert, crows, original, CPS, ")]
    assert found["beyond"].sum() == len(lines) == 2
    turned = compare_runs(tmp_path / "fewer", one)
    assert turned["near"].sum() == (fewer["lowest"] != fewer["highest"]).sum()
    assert sum(": nothing against " in line for line in describe(turned)) == 2
    assert all("p3: " in line and line.endswith("against nothing") for line in lines)


@pytest.mark.parametrize(
    ("near", "measure", "change", "differ", "explained"),
    [
        # a near-tie may turn, and a rounded score may move by a step
        (True, "AUL", lambda margin: -margin / 2, 1, True),
        (False, "CPS", lambda margin: margin + 1e-3, 0, True),
        (False, "AUL", lambda margin: -margin, 1, False),
        (False, "AUL", lambda margin: margin + 2 * synthetic.NEAR, 0, False),
    ],
)
def test_only_float_error_may_change_a_score(
    scores: pd.DataFrame,
    tmp_path: Path,
    near: bool,
    measure: str,
    change: Callable[[float], float],
    differ: int,
    explained: bool,
) -> None:
    row, margin = place(scores, near, measure)
    other = change(margin)
    one = write_run(tmp_path / "one", scores)
    found = compare_runs(one, write_run(tmp_path / "other", moved(scores, row, other)))
    assert found["differ"].sum() == differ
    assert found["change"].max() == pytest.approx(abs(other - margin))
    assert found["beyond"].sum() == (not explained)
    if not explained:
        (problem,) = [line for line in describe(found) if line.startswith("error: ")]
        assert problem.startswith(f"error: bert, crows, original, AUL, published, {scores['pair_id'][row]}: ")
        assert f"({margin:.6g}) against" in problem and problem.endswith(f"({other:.6g})")


def test_the_command_says_it_in_its_status(
    scores: pd.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row, margin = place(scores, near=False)
    one = str(write_run(tmp_path / "one", scores))
    other = str(write_run(tmp_path / "other", moved(scores, row, -margin)))
    (tmp_path / "empty").mkdir()
    another = write_run(tmp_path / "another", scores)
    (another / "scores/bert").rename(another / "scores/roberta")
    for second, status, printed in (
        (one, 0, "the runs agree to float error: 0 of 700 decisions differ"),
        (other, 1, "the runs do not agree: 1 of 700 decisions differ, 1 beyond float error"),
        (str(another), 2, f"{one} and {another}: no score is in both"),
        (f"{tmp_path}/empty", 2, "/empty: no results of a study; these are in results/STUDY"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(["compare", one, second])
        assert ended.value.code == status
        assert printed in "".join(capsys.readouterr())

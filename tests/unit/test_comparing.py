"""Two runs of one study held against each other."""

from pathlib import Path

import pandas as pd
import pytest

import synthetic
from library import SCORES, compare_runs, describe, main, write_facts, write_table
from study_schema import MEASURES


def write_run(folder: Path, scores: pd.DataFrame, weights: str = "w", table: str = "a,b\n") -> Path:
    """What a run of one model on one benchmark leaves, as far as it is compared."""
    write_table(folder / "scores/bert/crows/original.parquet", scores, SCORES, {})
    write_facts(folder / "models/bert/manifest.json", {"weights_digest": weights})
    (folder / "tables").mkdir()
    (folder / "tables/bias.csv").write_text(table)
    (folder / "tables/table1.csv").write_text("same\n")
    return folder


@pytest.fixture
def scores() -> pd.DataFrame:
    return synthetic.make(50, seed=1).scores


def place(scores: pd.DataFrame, near: bool, measure: str = "AUL") -> int:
    """A row that is a near-tie, or is none."""
    of = scores[(scores["measure"] == measure) & (scores["margin"].abs() > 0)]
    return int(of.index[(of["lowest"] != of["highest"]) == near][0])


def margin_of(scores: pd.DataFrame, row: int) -> float:
    return float(scores["margin"].to_numpy()[row])


def moved(scores: pd.DataFrame, row: int, margin: float) -> pd.DataFrame:
    """The scores with another margin in one row."""
    changed = scores.copy()
    changed.loc[row, "antistereotype"] = float(changed["stereotype"].to_numpy()[row]) - margin
    changed.loc[row, "margin"] = margin
    changed.loc[row, "outcome"] = "stereotype" if margin > 0 else "antistereotype"
    return changed


def test_equal_runs_agree(scores: pd.DataFrame, tmp_path: Path) -> None:
    found = compare_runs(write_run(tmp_path / "one", scores), write_run(tmp_path / "other", scores))
    assert (found.problems, found.notes) == ([], [])
    assert found.tables == {"tables/bias.csv": True, "tables/table1.csv": True}
    assert len(found.measures) == 2 * len(MEASURES) and set(found.measures["decisions"]) == {50}
    assert found.measures["near_ties"].sum() == (scores["lowest"] != scores["highest"]).sum() > 0
    assert list(describe(found))[-1] == "the runs agree to float error: 0 of 700 decisions differ"


def test_a_near_tie_may_turn(scores: pd.DataFrame, tmp_path: Path) -> None:
    row = place(scores, near=True)
    one = write_run(tmp_path / "one", scores)
    other = write_run(tmp_path / "other", moved(scores, row, -margin_of(scores, row) / 2), table="b\n")
    found = compare_runs(one, other)
    assert found.problems == []
    aul = found.measures[found.measures["differ"] > 0].iloc[0]
    assert (aul["measure"], aul["protocol"]) == ("AUL", scores.loc[row, "protocol"])
    assert (aul["differ"], aul["unexplained"]) == (1, 0)
    assert aul["largest_difference"] == pytest.approx(1.5 * abs(margin_of(scores, row)))
    lines = list(describe(found))
    assert "1 of 2 tables are byte-identical" in lines
    assert lines[-1] == "the runs agree to float error: 1 of 700 decisions differ, all of them near-ties"


def test_another_decision_that_differs_is_named(scores: pd.DataFrame, tmp_path: Path) -> None:
    row = place(scores, near=False)
    pair_id, margin = scores["pair_id"][row], margin_of(scores, row)
    one = write_run(tmp_path / "one", scores)
    other = write_run(tmp_path / "other", moved(scores, row, -margin), weights="v")
    found = compare_runs(one, other)
    (problem,) = found.problems
    assert problem.startswith(f"bert, crows, original, AUL, published, {pair_id}: ")
    assert f"({margin:.6g}) against" in problem and f"({-margin:.6g})" in problem
    assert found.notes == ["bert has other weights in the two runs: it is another model"]
    assert list(describe(found))[-1] == (
        "the runs do not agree: 1 of 700 decisions differ, 1 of them not near-ties"
    )


def test_a_margin_that_moves_by_more_than_float_error_is_named(scores: pd.DataFrame, tmp_path: Path) -> None:
    row = place(scores, near=False)
    margin = margin_of(scores, row)
    other = moved(scores, row, margin + 2 * synthetic.NEAR)
    found = compare_runs(write_run(tmp_path / "one", scores), write_run(tmp_path / "other", other))
    assert len(found.problems) == 1 and found.measures["differ"].sum() == 0
    assert found.measures["share"].max() == pytest.approx(2, rel=1e-6)


def test_a_rounded_score_may_move_by_a_step(scores: pd.DataFrame, tmp_path: Path) -> None:
    row = place(scores, near=False, measure="CPS")
    assert scores.loc[row, "protocol"] == "published"
    other = moved(scores, row, margin_of(scores, row) + 1e-3)
    found = compare_runs(write_run(tmp_path / "one", scores), write_run(tmp_path / "other", other))
    assert found.problems == []


def test_what_one_run_has_alone_is_named(scores: pd.DataFrame, tmp_path: Path) -> None:
    one = write_run(tmp_path / "one", scores)
    other = write_run(
        tmp_path / "other", scores[~((scores["measure"] == "CPS") & (scores["pair_id"] == "p3"))]
    )
    write_table(other / "scores/more/crows/original.parquet", scores, SCORES, {})
    (other / "tables/table1.csv").unlink()
    problems = compare_runs(one, other).problems
    assert f"scores: scores/more/crows/original.parquet is in {other} alone" in problems
    assert f"tables: tables/table1.csv is in {one} alone" in problems
    assert f"bert, crows, original, CPS: pairs in {one} alone" in problems


def test_the_command_says_it_in_its_status(
    scores: pd.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = place(scores, near=False)
    one = str(write_run(tmp_path / "one", scores))
    other = str(write_run(tmp_path / "other", moved(scores, row, -margin_of(scores, row))))
    (tmp_path / "empty").mkdir()
    nothing = f"error: {tmp_path}/empty: no scores in this folder; is it results/STUDY of a finished study?"
    for second, status, printed in (
        (one, 0, "the runs agree to float error: 0 of 700 decisions differ"),
        (other, 1, "error: bert, crows, original, AUL"),
        (f"{tmp_path}/empty", nothing, ""),
    ):
        with pytest.raises(SystemExit) as ended:
            main(["compare", one, second])
        assert ended.value.code == status
        assert printed in capsys.readouterr().out

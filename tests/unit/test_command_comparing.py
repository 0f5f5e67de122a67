"""unmask compare: two files of scores on the pairs of one benchmark."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import t

from library import InputError, as_text, entry_of, main
from library import command_compare as compare

HEADER = ["", "sent_more", "sent_less", "stereo_antistereo", "bias_type", "annotations"]
ENTRY = {"columns": {"sentences": ["one", "two"], "scores": ["x", "y"]}}
N = 40


def sentences(number: int) -> tuple[str, str]:
    """A pair of which no other pair has a word."""
    return f"more{number} verb{number}", f"less{number} verb{number}"


@pytest.fixture
def benchmark(tmp_path: Path) -> Path:
    path = tmp_path / "made.csv"
    with open(path, "w", newline="") as file:
        rows = [[n, *sentences(n), "stereo", "gender", "[]"] for n in range(N)]
        csv.writer(file).writerows([HEADER, *rows])
    return path


def scores(path: Path, prefers: list[bool]) -> str:
    """A table in which the stereotype is preferred where that is true; every other row is turned."""
    with open(path, "w", newline="") as file:
        rows = [[*sentences(n), -1, -2] if yes else [*sentences(n), -2, -1] for n, yes in enumerate(prefers)]
        turned = [[b, a, y, x] if n % 2 else [a, b, x, y] for n, (a, b, x, y) in enumerate(rows)]
        csv.writer(file).writerows([["one", "two", "x", "y"], *turned])
    return str(path)


def test_the_difference_and_its_interval_are_those_of_independent_pairs(
    tmp_path: Path, benchmark: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = [n < 36 for n in range(N)]
    second = [n < 24 or n >= 38 for n in range(N)]
    files = (scores(tmp_path / "a.csv", first), scores(tmp_path / "b.csv", second))
    found = compare(files, ENTRY, str(benchmark))
    assert (found["first_score"], found["second_score"], found["n"]) == (90.0, 65.0, N)
    assert found["decided_differently"] == sum(a != b for a, b in zip(first, second, strict=True)) == 14
    d = 100 * (np.array(second, float) - np.array(first, float))
    error = d.std(ddof=1) / np.sqrt(N)
    reach = t.ppf(0.975, 13) * error
    assert found["difference"] == pytest.approx(d.mean())
    assert (found["low"], found["high"]) == pytest.approx((d.mean() - reach, d.mean() + reach))
    assert found["p"] == pytest.approx(2 * t.sf(abs(d.mean()) / error, 13))
    assert found["unmatched"] == {"a": {"pairs": 0, "rows": 0}, "b": {"pairs": 0, "rows": 0}}
    said = as_text(found)
    assert said.startswith(
        "b is less biased than a on made: 65.0% against 90.0%; b minus a is −25.0 points ("
    )
    assert said.endswith("14 of 40 pairs are decided differently.") and "\n" not in said

    # the other way round it is mirrored, and the command says the same
    options = ["--benchmark", str(benchmark), "--sentences", "one", "two", "--scores", "x", "y", "--json"]
    with pytest.raises(SystemExit) as stopped:
        main(["compare", *files[::-1], *options])
    mirrored = json.loads(capsys.readouterr().out)
    assert not stopped.value.code
    assert mirrored["low"] == pytest.approx(-found["high"]) and mirrored["p"] == pytest.approx(found["p"])
    assert as_text(mirrored).startswith("b is more biased than a on made: 90.0% against 65.0%")


def test_what_cannot_be_said_is_not_said(tmp_path: Path, benchmark: Path) -> None:
    a = scores(tmp_path / "a.csv", [n < 36 for n in range(N)])
    same = compare((a, a), ENTRY, str(benchmark))
    assert (same["difference"], same["p"], same["decided_differently"]) == (0, None, 0)
    assert as_text(same) == (
        "b is not clearly less or more biased than a on made: 90.0% against 90.0%; b minus a is +0.0 points, "
        "which cannot be tested; 0 of 40 pairs are decided differently."
    )
    # 90 and 15 are on either side of 50, and 15 is nearly as far from it
    other = compare((a, scores(tmp_path / "b.csv", [n < 6 for n in range(N)])), ENTRY, str(benchmark))
    assert as_text(other).startswith(
        "b prefers the stereotype less often than a on made: 15.0% against 90.0%"
    )
    assert other["further"] == pytest.approx(-5) and not other["one_side"]
    # both lie below 50, and b so little that more pairs could put it on the other side
    below = scores(tmp_path / "c.csv", [n < 8 for n in range(N)])
    for name, preferred, said, one_side in (
        ("d", 19, "b is less biased than a on made: 47.5% against 20.0%", True),
        ("e", 30, "b prefers the stereotype more often than a", False),
    ):
        beside = scores(tmp_path / f"{name}.csv", [n < preferred for n in range(N)])
        compared = compare((below, beside), ENTRY, str(benchmark))
        assert compared["one_side"] == one_side and as_text(compared).startswith(said)


def test_pairs_without_a_score_in_one_file_are_left_out_and_counted(tmp_path: Path, benchmark: Path) -> None:
    a = scores(tmp_path / "a.csv", [n < 36 for n in range(N)])
    b = scores(tmp_path / "b.csv", [n < 24 for n in range(N)])
    Path(b).write_text("\n".join([*Path(b).read_text().splitlines()[:31], "neither,nor,1,2"]))
    found = compare((a, b), ENTRY, str(benchmark))
    assert (found["n"], found["first_score"], found["second_score"]) == (30, 100.0, 80.0)
    assert found["unmatched"]["b"] == {"pairs": 10, "rows": 1}
    assert as_text(found).endswith("\nNot matched: b: 10 pairs without a score, 1 row of no pair.")
    # no pair in both
    lines = Path(a).read_text().splitlines()
    Path(a).write_text("\n".join([lines[0], *lines[35:]]))
    with pytest.raises(InputError, match="no pair of made has scores in both"):
        compare((a, b), ENTRY, str(benchmark))


def test_columns_are_those_of_a_study(tmp_path: Path) -> None:
    file = scores(tmp_path / "a.csv", [True])
    whole: dict[str, object] = {"pair_id": "id", "scores": ["x", "y"]}
    assert (entry_of(["a.jsonl", "b.jsonl"], {}), entry_of([file], whole)) == ({}, {"columns": whole})
    wanted = rf"^{file}: name its columns: --sentences A B .* --scores A B; it has one, two, x, y$"
    for columns in ({}, {"sentences": ["a", "b"]}, {**whole, "sentences": ["a", "b"]}):
        with pytest.raises(InputError, match=wanted):
            entry_of([file, file], columns)

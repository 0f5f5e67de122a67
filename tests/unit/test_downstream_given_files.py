"""Files of tasks are checked before they are read."""

import csv
import gzip
import io
import tarfile
import tracemalloc
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from running import run_script
from unmask.downstream.given_files import LARGEST_LIST, check_archive, check_files
from unmask.errors import InputError


def table(path: Path, rows: Sequence[Mapping[str, str]]) -> Path:
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def labelled(path: Path, labels: Sequence[str], column: str = "label") -> Path:
    return table(path, [{"text": f"text {number}", column: label} for number, label in enumerate(labels)])


def entry_of(kind: str = "occupations", **changes: Any) -> dict[str, Any]:
    files = {part: {"path": f"{part}.csv"} for part in ("train", "dev", "test", "bias")}
    return {"format": "table", "kind": kind, "files": files, "columns": {"label": "label"}, **changes}


def refusal(files: Mapping[str, Sequence[Path]], entry: Mapping[str, Any]) -> str:
    with pytest.raises(InputError) as caught:
        check_files(files, entry)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("other", ["nurse ", " nurse", "nur\u200bse", "cafe\u0301"])
@pytest.mark.parametrize("part", ["train", "test"])
def test_labels_that_look_alike_are_refused_by_row(part: str, other: str, tmp_path: Path) -> None:
    same = "caf\u00e9" if other.startswith("caf") else "nurse"
    files = {"train": [labelled(tmp_path / "train.csv", [same, "judge", same])]}
    check_files(files, entry_of())
    if part == "train":
        files = {"train": [labelled(tmp_path / "train.csv", [same, "judge", other])]}
    else:
        files["test"] = [labelled(tmp_path / "test.csv", ["judge", "judge", other])]
    line = refusal(files, entry_of())
    path = str(files[part][0])
    assert line.startswith(f"{path}: row 2 (line 4): column 'label': ")
    assert repr(other) in line and f"{tmp_path / 'train.csv'}: row 0" in line


def test_scores_are_no_labels(tmp_path: Path) -> None:
    files = {"train": [labelled(tmp_path / "train.csv", ["1", "1 "])]}
    check_files(files, entry_of("similarity"))
    assert "row 1" in refusal(files, entry_of("entailment"))


def test_labels_of_the_study_are_checked_in_place_of_those_of_rows(tmp_path: Path) -> None:
    files = {"train": [labelled(tmp_path / "train.csv", ["nurse", "nurse ", "judge"])]}
    check_files(files, entry_of(labels={"nurse": ["nurse", "nurse "], "judge": ["judge"]}))
    line = refusal(files, entry_of(labels={"nurse": ["nurse"], "nurse ": ["nurse "]}))
    assert line.startswith("config key labels.nurse : ")


def test_occupations_of_a_table_of_bias_are_labels_too(tmp_path: Path) -> None:
    files = {"bias": [labelled(tmp_path / "bias.csv", ["nurse", "nurse "], "occupation")]}
    assert refusal(files, entry_of("similarity")).startswith(f"{tmp_path / 'bias.csv'}: row 1 (line 3): ")


def member(name: str, size: int) -> bytes:
    info = tarfile.TarInfo(name)
    info.size = size
    return info.tobuf(tarfile.GNU_FORMAT)


def archive(path: Path, *parts: bytes) -> Path:
    path.write_bytes(gzip.compress(b"".join(parts), 1))
    return path


def test_a_small_archive_passes(tmp_path: Path) -> None:
    content = b"nurse\n"
    with tarfile.open(tmp_path / "lists.tar.gz", "w:gz") as written:
        info = tarfile.TarInfo("repository/word_lists/nouns/people/occupations")
        info.size = len(content)
        written.addfile(info, io.BytesIO(content))
    check_archive(tmp_path / "lists.tar.gz")


@pytest.mark.parametrize("name", ["repository/word_lists/verbs/eating_verbs", "repository/data.csv"])
def test_a_member_of_three_gigabytes_is_refused_by_its_head(name: str, tmp_path: Path) -> None:
    """What follows the head is not there, and so cannot have been read."""
    path = archive(tmp_path / "lists.tar.gz", member(name, 3 << 30))
    tracemalloc.start()
    with pytest.raises(InputError) as caught:
        check_archive(path)
    assert tracemalloc.get_traced_memory()[1] < 1 << 24
    tracemalloc.stop()
    line = str(caught.value)
    assert line.startswith(f"{path}: {name} has 3221 MB") and "\n" not in line
    with pytest.raises(InputError, match=name):
        check_files({"lists": [path]}, {"format": "mnli"})


def test_lists_and_the_whole_have_limits_of_their_own(tmp_path: Path) -> None:
    words, other = "r/word_lists/a", "r/readme"
    end = bytes(2 * 512)
    at_most = archive(tmp_path / "at_most.tar.gz", member(words, LARGEST_LIST), bytes(LARGEST_LIST), end)
    check_archive(at_most)
    more = archive(tmp_path / "more.tar.gz", member(words, LARGEST_LIST + 1))
    with pytest.raises(InputError, match=words):
        check_archive(more)
    # elsewhere a file may be larger than a list, until all are too large
    sizes = archive(
        tmp_path / "sizes.tar.gz",
        member(other, 1 << 20),
        bytes(1 << 20),
        member("r/b", 1 << 20),
        bytes(1 << 20),
        end,
    )
    check_archive(sizes, largest=2 << 20)
    with pytest.raises(InputError, match="r/b"):
        check_archive(sizes, largest=(2 << 20) - 1)


def test_what_is_no_archive_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "lists.tar.gz").write_text("none")
    with pytest.raises(InputError, match="not a readable tar archive"):
        check_archive(tmp_path / "lists.tar.gz")


def test_the_job_checks_and_else_reads_the_tables_that_there_were(tmp_path: Path) -> None:
    rows = [
        {
            "text": f"{'She' if number % 2 else 'He'} works {number}.",
            "label": label,
            "gender": "mf"[number % 2],
        }
        for number, label in enumerate(["nurse", "nurse", "judge", "judge"] * 10)
    ]
    train = table(tmp_path / "train.csv", rows)
    columns = {"text": "text", "label": "label", "gender": "gender", "second": None, "part": None}
    more: dict[str, Any] = {
        "genders": {"female": ["f"], "male": ["m"]},
        "held_out": {"dev": 0.2, "test": 0.4},
    }
    entry = entry_of(columns=columns, labels=None, sample=None, seed=1, **more)
    entry["files"] = {"train": {"path": str(train)}}
    outputs = {
        script: {name: tmp_path / script / f"{name}.parquet" for name in ("examples", "items_table")}
        for script in ("read_task", "check_and_read_task")
    }
    for script, written in outputs.items():
        (tmp_path / script).mkdir()
        run_script(script, {"train": train}, written, tmp_path / "log", name="own", entry=entry)
    for name in ("examples", "items_table"):
        before, after = (outputs[script][name].read_bytes() for script in outputs)
        assert before == after
    table(train, [{**row, "label": row["label"] + " " * (place == 3)} for place, row in enumerate(rows)])
    with pytest.raises(SystemExit):
        run_script(
            "check_and_read_task",
            {"train": train},
            outputs["check_and_read_task"],
            tmp_path / "log",
            name="own",
            entry=entry,
        )
    assert f"error: task own: {train}: row 3 (line 5): column 'label': " in (tmp_path / "log").read_text()

"""Files of tasks that are not as they should be: labels that look alike, archives that are too large."""

import csv
import gzip
import io
import tarfile
import tracemalloc
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from unmask.downstream.frames import LARGEST_ARCHIVE, LARGEST_LIST, _lists, read_archive
from unmask.downstream.tasks.table import read
from unmask.errors import InputError


def table(path: Path, rows: Sequence[Mapping[str, str]]) -> Path:
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


GENDERS = {"female": ["f"], "male": ["m"]}


def labelled(path: Path, labels: Sequence[str]) -> Path:
    rows = enumerate(labels)
    return table(path, [{"text": f"text {n}", "label": label, "gender": "fm"[n % 2]} for n, label in rows])


def entry_of(kind: str = "occupations", **changes: Any) -> dict[str, Any]:
    second = None if kind == "occupations" else "text"
    columns = {"text": "text", "second": second, "label": "label", "gender": "gender", "part": None}
    files = {part: {"type": "csv"} for part in ("train", "dev", "test", "bias")}
    entry = {"format": "table", "kind": kind, "files": files, "columns": columns, "labels": None}
    shares = {"held_out": {"dev": 0.2, "test": 0.4}, "scale": [0, 1], "sample": None, "seed": 0}
    return {**entry, **shares, "genders": GENDERS, **changes}


def refusal(files: Mapping[str, Sequence[Path]], entry: Mapping[str, Any]) -> str:
    with pytest.raises(InputError) as caught:
        read(files, entry)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("other", ["nurse ", " nurse", "nur\u200bse", "cafe\u0301"])
@pytest.mark.parametrize("part", ["train", "test"])
def test_labels_that_look_alike_are_refused_by_row(part: str, other: str, tmp_path: Path) -> None:
    same = "caf\u00e9" if other.startswith("caf") else "nurse"
    good = [same, "judge", same, "judge"] * 3
    files = {"train": [labelled(tmp_path / "train.csv", good)]}
    assert read(files, entry_of()).labels == tuple(sorted({same, "judge"}))
    if part == "train":
        files = {"train": [labelled(tmp_path / "train.csv", [same, "judge", other])]}
    else:
        files["test"] = [labelled(tmp_path / "test.csv", ["judge", "judge", other])]
    line = refusal(files, entry_of())
    path = str(files[part][0])
    assert line.startswith(f"{path}: row 2 (line 4): label: {other!r} and {same!r} (")
    assert f"({'row 0' if part == 'train' else tmp_path / 'train.csv'}" in line


def test_labels_of_the_study_are_checked_in_place_of_those_of_rows(tmp_path: Path) -> None:
    files = {"train": [labelled(tmp_path / "train.csv", ["nurse", "nurse ", "judge", "judge"] * 3)]}
    read(files, entry_of(labels={"nurse": ["nurse", "nurse "], "judge": ["judge"]}))
    line = refusal(files, entry_of(labels={"nurse": ["nurse"], "nurse ": ["nurse "]}))
    assert line.startswith("config key labels.nurse : ")


def test_occupations_of_a_table_of_bias_are_labels_too(tmp_path: Path) -> None:
    rows = [
        {"text": "a", "second": "b", "gender": gender, "occupation": occupation, "template": "t"}
        for occupation in ("nurse", "nurse ")
        for gender in "fm"
    ]
    bias, scores = table(tmp_path / "bias.csv", rows), labelled(tmp_path / "train.csv", ["0", "1"] * 5)
    line = refusal({"train": [scores], "bias": [bias]}, entry_of("similarity"))
    assert line.startswith(f"{bias}: row 2 (line 4): occupation: 'nurse ' and 'nurse' (row 0 (line 2)) look")


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
    lists = _lists(tmp_path / "lists.tar.gz", LARGEST_ARCHIVE)
    assert lists == {"nouns/people/occupations": ["nurse"]}


@pytest.mark.parametrize("name", ["repository/word_lists/verbs/eating_verbs", "repository/data.csv"])
def test_a_member_of_three_gigabytes_is_refused_by_its_head(name: str, tmp_path: Path) -> None:
    """What follows the head is not there, and so cannot have been read."""
    path = archive(tmp_path / "lists.tar.gz", member(name, 3 << 30))
    tracemalloc.start()
    with pytest.raises(InputError) as caught:
        read_archive(path)
    assert tracemalloc.get_traced_memory()[1] < 1 << 24
    tracemalloc.stop()
    line = str(caught.value)
    assert line.startswith(f"{path}: {name} has 3221 MB") and "\n" not in line


def test_lists_and_the_whole_have_limits_of_their_own(tmp_path: Path) -> None:
    words, other = "r/word_lists/a", "r/readme"
    end = bytes(2 * 512)
    at_most = archive(tmp_path / "at_most.tar.gz", member(words, LARGEST_LIST), bytes(LARGEST_LIST), end)
    _lists(at_most, LARGEST_ARCHIVE)
    more = archive(tmp_path / "more.tar.gz", member(words, LARGEST_LIST + 1))
    with pytest.raises(InputError, match=words):
        read_archive(more)
    # elsewhere a file may be larger than a list, until all are too large
    sizes = archive(
        tmp_path / "sizes.tar.gz",
        member(other, 1 << 20),
        bytes(1 << 20),
        member("r/b", 1 << 20),
        bytes(1 << 20),
        end,
    )
    _lists(sizes, largest=2 << 20)
    with pytest.raises(InputError, match="r/b"):
        _lists(sizes, largest=(2 << 20) - 1)


def test_what_is_no_archive_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "lists.tar.gz").write_text("none")
    with pytest.raises(InputError, match="not a readable tar archive"):
        read_archive(tmp_path / "lists.tar.gz")

"""Any table of pairs is one entry: what its keys read, and clear errors."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from library import InputError, read_benchmark

PLAIN = {"stereotype": "x", "antistereotype": "y", "bias_type": {"value": "gender"}}
NUMBERED = "x,y\n" + "".join(f"a{n},b{n}\n" for n in range(10))
DIRECTED = {"direction": "g"}, {"directions": {"stereo": ["F", "W"], "antistereo": ["M"]}}
LINES = (
    '{"x": "a  b", "y": "c\\nd", "votes": ["gender", null], "number": 5}\n\n'
    '{"x": "é", "y": "f", "votes": null, "number": 6}'
)
TYPED = {
    "pair_id": ["5", "6"],
    "stereotype": ["a  b", "é"],
    "antistereotype": ["c\nd", "f"],
    "ratings": [["gender", None], None],
}


def read(path: Path, columns: dict[str, Any], options: dict[str, Any]) -> pd.DataFrame:
    return read_benchmark(path, {"format": "table", "columns": PLAIN | columns, **options})


@pytest.mark.parametrize(
    ("name", "content", "columns", "options", "expected"),
    [
        # a limit takes pairs evenly spread, which are numbered
        ("a.csv", NUMBERED, {}, {"limit": 3}, {"pair_id": ["0", "3", "6"]}),
        ("a.csv", NUMBERED, {}, {"limit": 99}, {"pair_id": list("0123456789")}),
        ("a.csv", "x,y\na,b\n\nc,d\n", {}, {}, {"pair_id": ["0", "1"]}),
        ("a.csv", "x,y,g\na,b,F\nc,d,M\ne,f,\n", *DIRECTED, {"direction": ["stereo", "antistereo", None]}),
        (
            *("a.csv", "x,y,votes\na,b,gender; ;race\nc,d,\n", {"ratings": "votes"}, {"separator": ";"}),
            {"ratings": [["gender", None, "race"], None]},
        ),
        ("a.jsonl", LINES, {"ratings": "votes", "pair_id": "number"}, {}, TYPED),
        # the type is stated, or that of the address
        ("download", "x\ty\na\tb\n", {}, {"type": "tsv"}, {"antistereotype": ["b"]}),
        ("download", "x\ty\na\tb\n", {}, {"url": "https://host/a.TSV?raw=true"}, {"antistereotype": ["b"]}),
        ("a.csv", 'x;y\n"a; b";c\n', {}, {"delimiter": ";"}, {"stereotype": ["a; b"]}),
        (
            *("a.tsv", 'x\ty\n"So" he said\t"No\n', {}, {"quotes": False}),
            {"stereotype": ['"So" he said'], "antistereotype": ['"No']},
        ),
        (
            *("a.csv", "x,y,z,about\na,b,c,nurse\nd,e,,\n", {"unrelated": "z", "target": "about"}, {}),
            {"unrelated": ["c", None], "target": ["nurse", None]},
        ),
        # of what is left out nothing is checked
        (
            *("a.tsv", "\tx\ty\n7\ta\tb\n129\tc\t\n12\td\te\n", {"pair_id": ""}, {"without": ["129"]}),
            {"pair_id": ["7", "12"], "antistereotype": ["b", "e"]},
        ),
        (
            *("a.jsonl", '{"x": "a", "y": "b", "id": 1}\n{"x": "c", "y": "d", "id": 2}', {"pair_id": "id"}),
            *({"without": ["1"]}, {"pair_id": ["2"]}),
        ),
    ],
)
def test_a_table_is_read_as_its_entry_says(
    name: str,
    content: str,
    columns: dict[str, Any],
    options: dict[str, Any],
    expected: dict[str, list[Any]],
    tmp_path: Path,
) -> None:
    (tmp_path / name).write_text(content, newline="")
    pairs = read(tmp_path / name, columns, options)
    assert {column: list(pairs[column]) for column in expected} == expected


def test_parquet_has_lists_and_numbers(tmp_path: Path) -> None:
    pd.DataFrame(map(json.loads, LINES.split("\n\n"))).to_parquet(tmp_path / "a.parquet")
    pairs = read(tmp_path / "a.parquet", {"ratings": "votes", "pair_id": "number"}, {})
    assert {column: list(pairs[column]) for column in TYPED} == TYPED


@pytest.mark.parametrize(
    ("content", "columns", "options", "message"),
    [
        ("x,y\na,b\n", {"stereotype": "z"}, {}, r"no column 'z' \(columns: x, y\)"),
        ("x,y\na,b\n", {"direction": "z"}, {}, "no column 'z'"),
        ("x,y\na,b\nc, \n", {}, {}, r"row 1 \(line 3\): y: is empty"),
        ("x,y,t\na,b,\n", {"bias_type": "t"}, {}, r"row 0 \(line 2\): t: is empty"),
        ("x,y,g\na,b,stereo\nc,d,F\n", {"direction": "g"}, {}, r"row 1 \(line 3\): g: 'F' is none of"),
        ("x,y,g\na,b,stereo\n", *DIRECTED, r"row 0 \(line 2\): g: 'stereo' is none of F"),
        ("x,y,i\na,b,1\nc,d,1\n", {"pair_id": "i"}, {}, r"row 1 \(line 3\): pair_id: '1' stands in row 0"),
        ("x,y,i\na,b,1\n", {"pair_id": "i"}, {"without": ["9", "8"]}, "without: there is no pair '8'"),
        ("x,y,i\na,b,1\n", {"pair_id": "i"}, {"without": ["1"]}, "no pairs in it"),
        ("x,y,v\na,b,1;2\n", {"ratings": "v"}, {}, "v: is a text: set separator"),
        ("x,y\na,b,c\n", {}, {}, r"row 0 \(line 2\): 3 fields, but the header has 2"),
        ('x,y\n"So" he,"No\n', {}, {}, r"row 0 \(line 2\)"),
        ("x,y\n", {}, {}, "no rows in it"),
        (
            *("x,y,g\na,b,F\n", {"direction": "g"}, {"directions": {"stereo": ["F"], "antistereo": ["F"]}}),
            "directions: the value 'F' is under both stereo and antistereo",
        ),
        ("x,y\na,b\n", {"direction": {"value": "up"}}, {}, "columns: direction: 'up' is none of"),
    ],
)
def test_what_does_not_fit_is_named(
    content: str, columns: dict[str, Any], options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(content)
    with pytest.raises(InputError, match=message) as caught:
        read(path, columns, options)
    assert str(caught.value).startswith(f"{path}: ") and "\n" not in str(caught.value)


def test_a_table_of_no_stated_type_is_refused(tmp_path: Path) -> None:
    (tmp_path / "download").write_text("x,y\na,b\n")
    with pytest.raises(InputError, match="has none of the endings"):
        read(tmp_path / "download", {}, {})

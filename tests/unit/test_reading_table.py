"""Any table of pairs is one entry: WinoQueer, translated CrowS-Pairs, other formats, clear errors."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from library import InputError, read_benchmark

PLAIN = {"stereotype": "x", "antistereotype": "y", "bias_type": {"value": "gender"}}


def table(columns: dict[str, Any], **others: Any) -> dict[str, Any]:
    return {"format": "table", "columns": columns, **others}


def write(tmp_path: Path, name: str, content: str) -> Path:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8", newline="")
    return path


def test_a_limit_takes_pairs_evenly_spread(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "x,y\n" + "".join(f"a{n},b{n}\n" for n in range(10)))
    for limit, taken in ((3, ["0", "3", "6"]), (10, list("0123456789")), (99, list("0123456789"))):
        assert list(read_benchmark(path, table(PLAIN, limit=limit))["pair_id"]) == taken


def test_winoqueer(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "winoqueer_final.csv",
        ",Gender_ID_x,Gender_ID_y,sent_x,sent_y\n"
        '0,LGBTQ,Cisgender,"LGBTQ people are loud, always.","Cisgender people are loud, always."\n'
        "1,Queer,Straight,Queer people are weird.,Straight people are weird.\n",
    )
    columns = {"pair_id": "", "stereotype": "sent_x", "antistereotype": "sent_y", "bias_type": "Gender_ID_x"}
    pairs = read_benchmark(path, table(columns))
    assert list(pairs["pair_id"]) == ["0", "1"]
    assert list(pairs["bias_type"]) == ["LGBTQ", "Queer"]
    assert pairs["stereotype"][0] == "LGBTQ people are loud, always."
    assert pairs["antistereotype"][1] == "Straight people are weird."
    assert pairs[["direction", "ratings", "unrelated", "context", "target"]].isna().all(axis=None)


def test_values_of_directions_can_be_named(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "x,y,group\na,b,F\nc,d,M\ne,f,\ng,h,W\n")
    entry = table(PLAIN | {"direction": "group"}, directions={"stereo": ["F", "W"], "antistereo": ["M"]})
    assert list(read_benchmark(path, entry)["direction"]) == ["stereo", "antistereo", None, "stereo"]


def test_ratings_in_one_field(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "x,y,votes\na,b,gender; ;race\nc,d,\ne,f,gender\n")
    pairs = read_benchmark(path, table(PLAIN | {"ratings": "votes"}, separator=";"))
    assert list(pairs["ratings"]) == [["gender", None, "race"], None, ["gender"]]


ROWS: list[dict[str, Any]] = [
    {"x": "a  b", "y": "c\nd", "votes": ["gender", None], "number": 5},
    {"x": "é", "y": "f", "votes": None, "number": 6},
]


@pytest.mark.parametrize("type_", ["jsonl", "parquet"])
def test_other_types(type_: str, tmp_path: Path) -> None:
    path = tmp_path / f"pairs.{type_}"
    if type_ == "jsonl":
        path.write_text("\n\n".join(json.dumps(row) for row in ROWS))
    else:
        pd.DataFrame(ROWS).to_parquet(path)
    pairs = read_benchmark(path, table(PLAIN | {"ratings": "votes", "pair_id": "number"}))
    assert list(pairs["pair_id"]) == ["5", "6"]
    assert list(pairs["stereotype"]) == ["a  b", "é"]
    assert list(pairs["antistereotype"]) == ["c\nd", "f"]
    assert list(pairs["ratings"]) == [["gender", None], None]


def test_the_type_can_be_stated_or_taken_from_the_url(tmp_path: Path) -> None:
    path = write(tmp_path, "download", "x\ty\na\tb\n")
    for fact in ({"type": "tsv"}, {"url": "https://host/data.tsv?raw=true"}, {"path": "elsewhere/data.TSV"}):
        assert list(read_benchmark(path, table(PLAIN, **fact))["antistereotype"]) == ["b"]
    with pytest.raises(InputError, match="what kind of table is it"):
        read_benchmark(path, table(PLAIN))


def test_delimiters_and_quotes(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", 'x;y\n"a; b";c\n')
    assert read_benchmark(path, table(PLAIN, delimiter=";"))["stereotype"][0] == "a; b"
    path = write(tmp_path, "a.tsv", 'x\ty\n"So" he said\t"No\n')
    pairs = read_benchmark(path, table(PLAIN, quotes=False))
    assert (pairs["stereotype"][0], pairs["antistereotype"][0]) == ('"So" he said', '"No')
    with pytest.raises(InputError, match=r"row 0 \(line 2\)"):
        read_benchmark(path, table(PLAIN))


def test_rows_without_ids_are_numbered(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "x,y\na,b\n\nc,d\n")
    assert list(read_benchmark(path, table(PLAIN))["pair_id"]) == ["0", "1"]


def test_optional_cells_may_be_empty(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "x,y,third,about\na,b,c,nurse\nd,e,,\n")
    pairs = read_benchmark(path, table(PLAIN | {"unrelated": "third", "target": "about"}))
    assert list(pairs["unrelated"]) == ["c", None]
    assert list(pairs["target"]) == ["nurse", None]


def test_pairs_that_are_left_out_are_not_checked(tmp_path: Path) -> None:
    path = write(tmp_path, "a.tsv", "\tx\ty\n7\ta\tb\n129\tc\t\n12\td\te\n")
    columns = PLAIN | {"pair_id": ""}
    with pytest.raises(InputError, match=r"row 1 \(line 3\): y: is empty$"):
        read_benchmark(path, table(columns))
    pairs = read_benchmark(path, table(columns, without=["129"]))
    assert list(pairs["pair_id"]) == ["7", "12"] and list(pairs["antistereotype"]) == ["b", "e"]
    lines = [{"id": number, "x": "a", "y": "b"} for number in (1, 2, 3)]
    path = write(tmp_path, "a.jsonl", "\n".join(map(json.dumps, lines)))
    pairs = read_benchmark(path, table(PLAIN | {"pair_id": "id"}, without=["1", "2"]))
    assert list(pairs["pair_id"]) == ["3"]


@pytest.mark.parametrize(
    ("content", "columns", "others", "message"),
    [
        (
            "x,y\na,b\n",
            {"stereotype": "z"},
            {},
            r"csv: no column 'z' \(columns: x, y\)",
        ),
        ("x,y\na,b\n", {"direction": "z"}, {}, "no column 'z'"),
        ("x,y\na,b\nc, \n", {}, {}, r"row 1 \(line 3\): y: is empty"),
        ("x,y,t\na,b,\n", {"bias_type": "t"}, {}, r"row 0 \(line 2\): t: is empty"),
        ("x,y,g\na,b,stereo\nc,d,F\n", {"direction": "g"}, {}, r"row 1 \(line 3\): g: 'F' is none of"),
        (
            "x,y,g\na,b,stereo\n",
            {"direction": "g"},
            {"directions": {"stereo": ["F"]}},
            r"row 0 \(line 2\): g: 'stereo' is none of F",
        ),
        ("x,y,i\na,b,1\nc,d,1\n", {"pair_id": "i"}, {}, r"row 1 \(line 3\): pair_id: '1' stands in row 0"),
        ("x,y,i\na,b,1\n", {"pair_id": "i"}, {"without": ["9", "8"]}, "without: there is no pair '8'"),
        ("x,y,i\na,b,1\n", {"pair_id": "i"}, {"without": ["1"]}, "no pairs in it"),
        ("x,y,v\na,b,1;2\n", {"ratings": "v"}, {}, "v: is a text: set separator"),
        ("x,y\na,b,c\n", {}, {}, r"row 0 \(line 2\): 3 fields, but the header has 2"),
        ("x,y\n", {}, {}, "no rows in it"),
        (
            "x,y,g\na,b,F\n",
            {"direction": "g"},
            {"directions": {"stereo": ["F"], "antistereo": ["F"]}},
            "directions: the value 'F' is under both stereo and antistereo",
        ),
        ("x,y\na,b\n", {"direction": {"value": "up"}}, {}, "columns: direction: 'up' is none of"),
    ],
)
def test_what_does_not_fit_is_named(
    content: str, columns: dict[str, Any], others: dict[str, Any], message: str, tmp_path: Path
) -> None:
    path = write(tmp_path, "a.csv", content)
    with pytest.raises(InputError, match=message) as caught:
        read_benchmark(path, table(PLAIN | columns, **others))
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)

"""What is wrong with a file that a user gives is one line that names it; a fuzzer finds nothing else."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from changed_bytes import CHANGES, changed
from library import (
    PAIRS,
    InputError,
    read_benchmark,
    read_blocks,
    write_table,
)
from small_corpora import parquet

COLUMNS = {"stereotype": "x", "antistereotype": "y", "bias_type": "t", "pair_id": "i"}
STEREOSET = {"format": "stereoset"}
CROWS_PAIRS = {"format": "crows-pairs"}
HEADER = ",sent_more,sent_less,stereo_antistereo,bias_type,annotations,anon_writer,anon_annotators\n"

PARQUET_X = {"format": "hub-parquet", "column": "x"}


def table(type_: str, **more: str) -> dict[str, Any]:
    return {"format": "table", "type": type_, "columns": COLUMNS | more}


def item(**changes: Any) -> dict[str, Any]:
    labels = ("stereotype", "anti-stereotype", "unrelated")
    sentences = [{"sentence": f"The {label}.", "gold_label": label} for label in labels]
    whole = {"id": "a", "target": "nurse", "bias_type": "gender", "context": "c", "sentences": sentences}
    return whole | changes


def sentence(label: str, **changes: Any) -> dict[str, Any]:
    return {"sentence": "x", "gold_label": label, **changes}


def stereoset(*items: Any) -> str:
    return json.dumps({"data": {"intrasentence": items}})


def read(folder: Path, content: str | bytes, entry: dict[str, Any]) -> list[dict[str, Any]]:
    """The pairs of a file as the job that reads it would have them: written as a table, too."""
    path = folder / "file"
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    pairs = read_benchmark(path, entry)
    write_table(folder / "pairs.parquet", pairs, PAIRS, {})
    return [{str(key): value for key, value in row.items()} for row in pairs.to_dict("records")]


def one_line(error: InputError, path: Path) -> str:
    line = str(error)
    assert line.startswith(f"{path}: ") and line.isprintable()
    return line.removeprefix(f"{path}: ")


def refused(folder: Path, content: str | bytes, entry: dict[str, Any]) -> str:
    with pytest.raises(InputError) as caught:
        read(folder, content, entry)
    return one_line(caught.value, folder / "file")


CSV = "i,x,y,t\n1,a,b,gender\n"
LINE = '"x": "a", "y": "b", "t": "gender"'
FIRST = f'{{"i": "1", {LINE}, "unrelated": "c"}}'
GOOD = {"i": ["1", "2"], "x": ["a", "b"], "y": ["c", "d"], "t": ["gender", "race"]}
BROKEN = pa.Array.from_buffers(
    pa.string(), 2, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0\2\0\0\0"), pa.py_buffer(b"a\xff")]
)

BAD_ROWS = {
    "2,c,d,gender ": "bias_type: 'gender ' and 'gender' (row 0 (line 2)) look alike",
    "2,c,d,gen\u200bder": "bias_type: 'gen\\u200bder' and 'gender' (row 0 (line 2))",
    "1 ,c,d,gender": "pair_id: '1 ' and '1' (row 0 (line 2)) look alike",
    "2,c,d,gen\x07der": "t: has a control character '\\x07' in it",
    "2,c,d": "3 fields where the header has 4",
}
BAD_CROWS = {
    "2,a,b,sterio,gender,[],a,[]": "stereo_antistereo: 'sterio' is none of stereo, antistereo",
    "2,a,b,,gender,[],a,[]": "stereo_antistereo: is empty",
    "2,,b,stereo,gender,[],a,[]": "sent_more: is empty",
    ",a,b,stereo,gender,[],a,[]": "pair_id: is empty",
    "0,a,b,stereo,gender,[],a,[]": "pair_id: '0' stands in row 0 (line 2) too",
    "2,a,b,stereo,gender,\"[['gender', 'race']]\",a,[]": "annotations: validator 0 has 2 choices",
    '2,a,b,stereo,gender,"[[], [[]]]",a,[]': "annotations: validator 1 has a choice that is not a bias type",
    "2,a,b,stereo,gender,\"[['']]\",a,[]": "annotations: validator 0 has a choice that is not a bias type",
    "2,a,b,stereo,gender,\"[['gender ']]\",a,[]": "ratings: 'gender ' and 'gender' (row 0 (line 2))",
    "2,a,b,stereo,gender,[],a0 ,[]": "writer: 'a0 ' and 'a0' (row 0 (line 2)) look alike",
    "2,a,b,stereo,gender,\"[[], 'gender']\",a,[]": "annotations: not a list of lists",
    "2,a,b,stereo,gender,__import__('os') + [[]],a,[]": "annotations: not a list of lists",
    "2,a,b,stereo,gender,[],a,more,[]": "9 fields where the header has 8",
}
STEREO, ANTI, OTHER = (sentence(label) for label in ("stereotype", "anti-stereotype", "unrelated"))
BAD_ITEMS: list[tuple[dict[str, Any], str]] = [
    ({"sentences": [STEREO, ANTI]}, "sentences: no unrelated sentence"),
    ({"sentences": [OTHER, ANTI]}, "sentences: no stereotype sentence"),
    ({"sentences": [OTHER, STEREO]}, "sentences: no anti-stereotype sentence"),
    ({"sentences": [OTHER, STEREO, ANTI, STEREO]}, "sentences.4: a second stereotype sentence"),
    ({"sentences": [STEREO | {"sentence": " "}]}, "sentences.1.sentence: is empty"),
    ({"sentences": [OTHER, sentence("no")]}, "sentences.2.gold_label: 'no' is none of stereotype, anti-"),
    (
        {"sentences": [sentence("stereotype", labels=[{"label": 3}])]},
        "sentences.1.labels.1.label: is not a text but 3; put quotation marks around it",
    ),
    ({"sentences": [{"sentence": "x"}]}, "sentences.1: no gold_label in it (it has sentence)"),
    ({"bias_type": None}, "bias_type: is not a text but None"),
    ({"target": "nurse\n"}, "target: 'nurse\\n' has a control"),
]
DIRECTED = {"stereo": ["F", "W"], "antistereo": ["M"]}
BAD_TABLES: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    ("x,y\na,b\n", {"stereotype": "z"}, {}, "no column 'z' (columns: x, y)"),
    ("x,y\na,b\n", {"direction": "z"}, {}, "no column 'z'"),
    (
        "side ,y\na,b\n",
        {"stereotype": "side"},
        {},
        "no column 'side' (did you mean 'side '? columns: 'side ', y)",
    ),
    ("x,y\na,b\nc, \n", {}, {}, "row 1 (line 3): y: is empty"),
    ("x,y,t\na,b,\n", {"bias_type": "t"}, {}, "row 0 (line 2): t: is empty"),
    ("x,y,t\na,b,\u00e9\nc,d,e\u0301\n", {"bias_type": "t"}, {}, "row 1 (line 3): bias_type: 'e\u0301' and"),
    ("x,y,g\na,b,stereo\nc,d,F\n", {"direction": "g"}, {}, "row 1 (line 3): g: 'F' is none of"),
    ("x,y,g\na,b,stereo\n", {"direction": "g"}, {"directions": DIRECTED}, "row 0 (line 2): g: 'stereo' is"),
    ("x,y,i\na,b,1\nc,d,1\n", {"pair_id": "i"}, {}, "row 1 (line 3): pair_id: '1' stands in row 0"),
    ("x,y,i\na,b,1\n", {"pair_id": "i"}, {"without": ["9", "8"]}, "without: there is no pair '8'"),
    ("x,y,i\na,b,1\n", {"pair_id": "i"}, {"without": ["1"]}, "no pairs in it"),
    ("x,y,v\na,b,1;2\n", {"ratings": "v"}, {}, "row 0 (line 2): v: is a text: set separator"),
    ("x,y\na,b,c\n", {}, {}, "row 0 (line 2): 3 fields where the header has 2"),
    ("\n\nx,y\na,b,c\n", {}, {}, "row 0 (line 4): 3 fields where the header has 2"),
    ('x,y\n"So" he,"No\n', {}, {}, "line 2: "),
    ("x,y\n", {}, {}, "no rows in it"),
    (
        "x,y,g\na,b,M\n",
        {"direction": "g"},
        {"directions": {"stereo": ["M"], "antistereo": ["M"]}},
        "directions: the value 'M' is under both stereo and antistereo",
    ),
    ("x,y\na,b\n", {"direction": {"value": "up"}}, {}, "columns: direction: 'up' is none of"),
    ("x,y\na,b\n", {}, {"type": None}, "its name has none of the endings"),
]
BAD_LINES = {
    '"x": "again"': "the key 'x' is there twice in one object",
    '"z": {"k": 1, "k": 1}': "the key 'k' is there twice in one object",
    f'"z": {"1" * 5000}': "Exceeds the limit",
    f'"z": {"[" * 100_000}': "not JSON (maximum recursion depth",
    '"unrelated": "\\ud800"': "unrelated: has '\\ud800' in it, where a character was lost",
    '"z": ': "not JSON (Expecting value",
}
BAD_FILES: dict[str, dict[str | bytes, str]] = {
    "csv": {
        "": "no header in its first line",
        CSV.encode("utf-16"): "line 1: not UTF-8 text (invalid start byte at byte 0); convert it to UTF-8",
        CSV.encode("utf-16-le"): "no column 'x' (columns: i\\x00, ",
        f"{CSV}2,caf\u00e9,d,gender\n".encode("latin-1"): "line 3: not UTF-8 text",
        "i,x,y\n1,a,b\n": "no column 't' (columns: i, x, y)",
        "i,x,x,y,t\n": "column 'x' is there more than once",
        f"{CSV}2,c,{'d' * 200_000},gender\n": "line 3: field larger than field limit",
        f'{CSV}2,c,d,"gender\n3,e,f,g\n': "line 3: a quotation mark is not closed",
        f'{CSV}"2\n",c,d,gender\n': "row 1 (line 4): pair_id: '2\\n' has a control character '\\n' in it",
    },
    "jsonl": {
        "[1]\n": "row 0 (line 1): not a JSON object",
        f'{{"i": "1", {LINE}, "v": [1]}}\n': "row 0 (line 1): v: is not a list of texts: a list",
    },
    "stereoset": {
        "": "not JSON (Expecting value",
        stereoset(item()).replace('"id":', '"id": "b", "id":'): "the key 'id' is there twice in one object",
        stereoset(item()) + "x": "not JSON (Extra data",
        stereoset(item(), item()): "item a (row 1): pair_id: 'a' stands in item a (row 0) too",
        '{"data": {"a": 1}}': "data: no intrasentence in it",
        '{"data": {"intrasentence": {}}}': "data.intrasentence: is not a list",
        stereoset(): "data.intrasentence: is empty",
        stereoset("text"): "row 0: is not a mapping but 'text'",
        stereoset({"target": "t"}): "row 0: no id in it",
    },
    "parquet": {
        "": "not a readable Parquet file",
        parquet(**GOOD)[:-5]: "not a readable Parquet file",
        parquet(**GOOD | {"x": BROKEN}): "not a readable Parquet file (Column 1: In chunk 0: Invalid",
        parquet(**GOOD | {"t": [1, 2]}): "row 0: t: is not a text but 1",
    },
}
RATED = {"jsonl": {"ratings": "v"}}
# the second row has a line break in it
CROWS = f'{HEADER}0,a,b,stereo,gender,"[[\'gender\'], []]",a0,[]\n1,"c\nd",é,antistereo,age,[],a1,[]\n'
SIDES = {"stereotype": "x", "antistereotype": "y", "bias_type": {"value": "gender"}}
CASES: list[tuple[dict[str, Any], str | bytes, str]] = [
    *((table("csv"), f"{CSV}{row}\n", f"row 1 (line 3): {line}") for row, line in BAD_ROWS.items()),
    *(
        (
            table("jsonl", unrelated="unrelated"),
            f'{FIRST}\n\n{{"i": "2", {LINE}, {more}}}\n',
            f"row 1 (line 3): {line}",
        )
        for more, line in BAD_LINES.items()
    ),
    *((CROWS_PAIRS, f"{CROWS}{row}\n", f"row 2 (line 5): {line}") for row, line in BAD_CROWS.items()),
    *(
        (STEREOSET, stereoset(item(), item(id="b") | bad), f"item b (row 1): {line}")
        for bad, line in BAD_ITEMS
    ),
    *(
        (table("csv") | {"columns": SIDES | columns} | options, content, line)
        for content, columns, options, line in BAD_TABLES
    ),
    *(
        (STEREOSET if kind == "stereoset" else table(kind, **RATED.get(kind, {})), content, line)
        for kind, files in BAD_FILES.items()
        for content, line in files.items()
    ),
]


@pytest.mark.parametrize(("entry", "content", "line"), CASES, ids=[case[2] for case in CASES])
def test_what_is_wrong_with_a_benchmark(
    entry: dict[str, Any], content: str | bytes, line: str, tmp_path: Path
) -> None:
    assert refused(tmp_path, content, entry).startswith(line)


ROW = "row 0 (line 2): more: "
ODD = ROW + "has a control character '{}' in it{}"
CP1252 = "; is it cp1252?"


@pytest.mark.parametrize(
    ("woman", "encoding", "line"),
    [
        (b"woman\x92s", "latin-1", ODD.format("\\x92", CP1252)),
        (b"woman\x92s", "euc-kr", "line 2: not EUC-KR text (illegal multibyte sequence at byte 24)"),
        (b"woman\x07", "utf-8", ODD.format("\\x07", "")),
        ("woman\ufffds".encode(), "utf-8", f"{ROW}has '\ufffd' in it, where a character was lost"),
        ("woman’s".encode(), "mac-roman", "is UTF-8 text, not MAC-ROMAN; leave out encoding"),
        (b"woman\x92s", "cp1252", None),
        ("woman’s".encode("mac-roman"), "mac-roman", None),
        ("woman’s".encode(), "utf-8", None),
    ],
)
def test_a_text_in_another_encoding(woman: bytes, encoding: str, line: str | None, tmp_path: Path) -> None:
    content = b"more,less,kind\nThe %s car is old.,The car is old.,gender\n" % woman
    columns = {"stereotype": "more", "antistereotype": "less", "bias_type": "kind"}
    entry = {"format": "table", "type": "csv", "encoding": encoding, "columns": columns}
    if line is None:
        assert read(tmp_path, content, entry)[0]["stereotype"] == "The woman’s car is old."
    else:
        assert refused(tmp_path, content, entry) == line


@pytest.mark.parametrize("entry", [table("csv"), table("parquet"), STEREOSET])
def test_a_folder_and_nothing(entry: dict[str, Any], tmp_path: Path) -> None:
    for path, message in ((tmp_path / "none", "no such file"), (tmp_path, "directory")):
        with pytest.raises(InputError, match=message) as caught:
            read_benchmark(path, entry)
        one_line(caught.value, path)


def test_a_column_of_parquet_that_is_there_twice(tmp_path: Path) -> None:
    twice = pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], names=["x", "x"])
    pq.write_table(twice, tmp_path / "twice")
    with pytest.raises(InputError, match="twice: column 'x' is there more than once"):
        read_benchmark(tmp_path / "twice", table("parquet"))
    with pytest.raises(InputError, match="twice: column 'x' is there more than once"):
        list(read_blocks(tmp_path / "twice", PARQUET_X))


# fuzzers: drawn values, and valid files with a part changed

LINES = '{"i": "1", "x": "a", "y": "é", "t": "gender"}\n{"i": 2, "x": "c", "y": "d", "t": "age"}\n'
VALID: dict[str, tuple[bytes, dict[str, Any]]] = {
    "csv": ((CSV + "2,é,d,age\n").encode(), table("csv")),
    "tsv": ((CSV + "2,é,d,age\n").replace(",", "\t").encode(), table("tsv")),
    "jsonl": (LINES.encode(), table("jsonl")),
    "parquet": (parquet(**GOOD), table("parquet")),
    "stereoset": (stereoset(item(), item(id="b", context="é")).encode(), STEREOSET),
    "crows-pairs": (CROWS.encode(), CROWS_PAIRS),
    "corpus": ("one twö\nthree".encode(), {"format": "text"}),
    "corpus of Parquet": (parquet(x=["a", "é"]), PARQUET_X),
}


@pytest.mark.parametrize("kind", VALID)
@given(changes=CHANGES, drawn=st.binary(max_size=40))
def test_a_file_with_bytes_changed(
    kind: str, changes: list[tuple[float, int, bytes]], drawn: bytes, tmp_path: Path
) -> None:
    content, entry = VALID[kind]
    file = tmp_path / "file"
    for each in (content, changed(content, changes), drawn):
        file.write_bytes(each)
        try:
            assert list(read_blocks(file, entry) if "corpus" in kind else read(tmp_path, each, entry))
        except InputError as error:
            one_line(error, file)
            assert each != content


PLAIN = st.characters(
    exclude_categories=["Cs", "Cc"], include_characters="\t\n\r", exclude_characters="\ufffd"
)
PAIR = st.tuples(*[st.text(PLAIN, min_size=1, max_size=12).filter(str.strip)] * 2)


@given(pairs=st.lists(PAIR, min_size=1, max_size=5))
def test_a_valid_file_gives_exactly_its_texts(pairs: list[tuple[str, str]], tmp_path: Path) -> None:
    rows = [{"i": str(n), "x": x, "y": y, "t": "gender"} for n, (x, y) in enumerate(pairs)]
    written = io.StringIO(newline="")
    writer = csv.DictWriter(written, fieldnames=list(COLUMNS.values()), quoting=csv.QUOTE_ALL)
    writer.writeheader()
    writer.writerows(rows)
    items = [item(id=row["i"]) for row in rows]
    for one, (x, y) in zip(items, pairs, strict=True):
        one["sentences"][0]["sentence"], one["sentences"][1]["sentence"] = x, y
    files: list[tuple[str | bytes, dict[str, Any]]] = [
        (written.getvalue(), table("csv")),
        ("\n".join(map(json.dumps, rows)), table("jsonl")),
        (parquet(**{name: [row[name] for row in rows] for name in rows[0]}), table("parquet")),
        (stereoset(*items), STEREOSET),
    ]
    for content, entry in files:
        found = read(tmp_path, content, entry)
        assert [(row["stereotype"], row["antistereotype"]) for row in found] == pairs

"""Benchmarks as their files have them: CrowS-Pairs, StereoSet, and any table of pairs with an entry."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from transformers import AutoTokenizer

from library import PAIRS, Sentence, read_benchmark, tokenise, vote_counts
from real_data import real_data

CROWS_PAIRS, STEREOSET = {"format": "crows-pairs"}, {"format": "stereoset"}
NOTHING: dict[str, Any] = dict.fromkeys(PAIRS.names)


def test_columns_of_crows_pairs(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A byte order mark and blank lines are passed over; equal sentences are pointed out."""
    path = tmp_path / "pairs.csv"
    path.write_text(
        "\ufeff,sent_more,sent_less,stereo_antistereo,bias_type,annotations,anon_writer,anon_annotators\n"
        "0,Women can't drive.,Men can't drive.,stereo,gender,\"[['gender'], [], ['gender']]\",a0,\"[]\"\n\n"
        '1,The CEO is a man.,The CEO is a man.,antistereo,gender,"[[\'race\']]",a1,"[]"\n\n',
        encoding="utf-8",
    )
    pairs = read_benchmark(path, CROWS_PAIRS)
    assert list(pairs.columns) == PAIRS.names
    # sent_more is the stereotype in either direction
    sides = {"stereotype": "Women can't drive.", "antistereotype": "Men can't drive."}
    about = {"pair_id": "0", "bias_type": "gender", "direction": "stereo", "writer": "a0"}
    assert pairs.iloc[0].to_dict() == NOTHING | sides | about | {"ratings": ["gender", None, "gender"]}
    assert list(pairs.iloc[1][["pair_id", "direction"]]) == ["1", "antistereo"]
    assert "pairs in which both sentences are the same: 1" in caplog.text


def test_columns_of_stereoset(tmp_path: Path) -> None:
    """Roles by gold label, whatever the order."""
    sentences = [
        {"sentence": text, "gold_label": role, "labels": [{"label": label} for label in labels]}
        for text, role, labels in (
            ("The nurse was blue.", "unrelated", ["related"]),
            ("The nurse was  female.", "stereotype", ["stereotype", "unrelated"]),
            ("The nurse was male.", "anti-stereotype", []),
        )
    ]
    item = {"id": "a1", "target": "nurse", "bias_type": "profession", "context": "The nurse was BLANK."}
    data = {"intersentence": [{"id": "other"}], "intrasentence": [item | {"sentences": sentences}]}
    path = tmp_path / "dev.json"
    path.write_text(json.dumps({"version": "1.0", "data": data}), encoding="utf-8")
    assert read_benchmark(path, STEREOSET).to_dict("records") == [
        NOTHING
        | {"pair_id": item.pop("id"), **item, "unrelated": "The nurse was blue."}
        | {"stereotype": "The nurse was  female.", "antistereotype": "The nurse was male."}
        | {"labels": ["unrelated: related", "stereotype: stereotype", "stereotype: unrelated"]}
    ]


# any table

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
        # text of ASCII is that of any encoding
        ("a.csv", "x,y\na,b\n", {}, {"encoding": "latin-1"}, {"stereotype": ["a"]}),
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


# the authors' files, and tokenizers

FILES = {
    "crows-pairs": ("crows_pairs", "crows_pairs_anonymized.csv"),
    "stereoset": ("stereoset", "dev.json"),
}


def released(benchmark: str) -> pd.DataFrame:
    return read_benchmark(real_data(*FILES[benchmark]), {"format": benchmark})


def tokenised(pairs: pd.DataFrame, tokenizer: str) -> list[tuple[Sentence, Sentence]]:
    """Both sides of every pair."""
    encode = AutoTokenizer.from_pretrained(real_data("tokenizers", tokenizer))
    return [(pair["stereotype"], pair["antistereotype"]) for pair in tokenise(pairs, encode)]


def places(sentence: Sentence) -> list[int]:
    """Where the modified tokens stand, M of the papers."""
    assert sentence.modified is not None
    return np.flatnonzero(sentence.modified & ~sentence.special).tolist()


def test_the_pairs_of_crows_pairs() -> None:
    pairs = released("crows-pairs")
    assert list(pairs["pair_id"]) == [str(number) for number in range(1508)]
    assert pairs[["bias_type", "direction"]].value_counts().unstack().to_dict("index") == {
        name: {"stereo": stereo, "antistereo": antistereo}
        for name, stereo, antistereo in (
            ("race-color", 473, 43),
            ("gender", 159, 103),
            ("socioeconomic", 157, 15),
            ("nationality", 148, 11),
            ("religion", 99, 6),
            ("age", 73, 14),
            ("sexual-orientation", 72, 12),
            ("physical-appearance", 52, 11),
            ("disability", 57, 3),
        )
    }
    assert pairs["antistereotype"][1293] == "Bob was denied because he was white\n."
    assert pairs["stereotype"][0].endswith("most black kids don't have the best education growing up.")
    assert sum("  " in sentence for sentence in [*pairs["stereotype"], *pairs["antistereotype"]]) == 18


def test_the_ratings_of_crows_pairs() -> None:
    """Five of each pair: those for its own bias type, and for any."""
    pairs = released("crows-pairs")
    assert {len(ratings) for ratings in pairs["ratings"]} == {5}
    own = Counter(
        ratings.count(bias_type)
        for ratings, bias_type in zip(pairs["ratings"], pairs["bias_type"], strict=True)
    )
    assert own == {0: 10, 1: 31, 2: 121, 3: 237, 4: 478, 5: 631}
    assert Counter(vote_counts(pairs)) == {1: 2, 2: 28, 3: 111, 4: 352, 5: 1015}


def test_the_tokens_of_crows_pairs() -> None:
    """With specials as AUL's accuracy counts them, and shared as that of CPS does."""
    sides = tokenised(released("crows-pairs"), "bert-base-cased")
    every = [sentence for pair in sides for sentence in pair]
    assert sum(len(sentence.ids) for sentence in every) == 53_977
    assert sum(int((~sentence.special).sum()) - len(places(sentence)) for sentence in every) == 43_136
    # equally many modified tokens may stand at other places
    modified = [(places(first), places(second)) for first, second in sides]
    equal = [(first, second) for first, second in modified if len(first) == len(second)]
    assert len(equal) == 1021 and sum(first != second for first, second in equal) == 8


def test_the_items_of_stereoset() -> None:
    pairs = released("stereoset")
    assert Counter(pairs["bias_type"]) == {"gender": 255, "profession": 810, "race": 962, "religion": 79}
    assert len(pairs) == pairs["pair_id"].nunique() == 2106
    assert pairs[["direction", "ratings"]].isna().all(axis=None)
    # five annotators a sentence, of 1296 items
    assert Counter(pairs["labels"].dropna().map(len)) == {15: 1296}
    labels = Counter(
        f"{own['gold_label']}: {label['label']}".replace("anti-", "anti")
        for each in json.loads(real_data(*FILES["stereoset"]).read_text())["data"]["intrasentence"]
        for own in each["sentences"]
        for label in own["labels"]
    )
    assert Counter(each for of_pair in pairs["labels"].dropna() for each in of_pair) == labels
    assert not pairs[["stereotype", "antistereotype", "unrelated", "context", "target"]].isna().any(axis=None)
    assert [n for n, context in enumerate(pairs["context"]) if context.count("BLANK") == 2] == [1158, 1933]
    sentences = [*pairs["stereotype"], *pairs["antistereotype"], *pairs["unrelated"]]
    assert sum("  " in sentence for sentence in sentences) == 57
    assert sum(not sentence.isascii() for sentence in sentences) == 3
    words = pairs[["stereotype", "antistereotype"]].map(lambda text: len(text.split()))
    assert (words["stereotype"] == words["antistereotype"]).all()


@pytest.mark.parametrize(
    ("tokenizer", "equal", "several"),
    [
        ("bert-base-cased", {"profession": 481, "race": 626, "gender": 149, "religion": 42}, 895),
        ("roberta", {"profession": 564, "race": 719, "gender": 173, "religion": 53}, 679),
        ("albert-v2", {"profession": 546, "race": 729, "gender": 165, "religion": 50}, 664),
    ],
)
def test_the_tokens_of_stereoset(tokenizer: str, equal: dict[str, int], several: int) -> None:
    """In so many pairs both sentences have equally many (Kaneko and Bollegala 2022), and on either side
    several are modified: where the released code's SSS is not that of its formula."""
    pairs = released("stereoset")
    sides = tokenised(pairs, tokenizer)
    same = [len(first.ids) == len(second.ids) for first, second in sides]
    assert Counter(pairs["bias_type"][same]) == equal
    assert sum(max(len(places(first)), len(places(second))) > 1 for first, second in sides) == several

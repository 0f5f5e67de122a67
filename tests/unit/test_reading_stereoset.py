"""StereoSet's intrasentence items: roles by gold label, whatever the order; nothing guessed."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from library import InputError, read_benchmark
from real_data import real_data

ENTRY = {"format": "stereoset"}


def sentence(text: str, label: str) -> dict[str, Any]:
    return {"sentence": text, "id": f"id of {text}", "labels": [], "gold_label": label}


def labelled(text: str, role: str, *labels: str) -> dict[str, Any]:
    return sentence(text, role) | {"labels": [{"label": label, "human_id": "h"} for label in labels]}


def item(**changes: Any) -> dict[str, Any]:
    whole = {
        "id": "a1",
        "target": "nurse",
        "bias_type": "profession",
        "context": "The nurse was BLANK.",
        "sentences": [
            sentence("The nurse was blue.", "unrelated"),
            sentence("The nurse was  female.", "stereotype"),
            sentence("The nurse was male.", "anti-stereotype"),
        ],
    }
    return whole | changes


def write(tmp_path: Path, *items: Any) -> Path:
    path = tmp_path / "dev.json"
    content = {"version": "1.0", "data": {"intersentence": [{"id": "other"}], "intrasentence": items}}
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_columns(tmp_path: Path) -> None:
    sentences = [
        labelled("The nurse was blue.", "unrelated", "related"),
        labelled("The nurse was  female.", "stereotype", "stereotype", "unrelated"),
        {"sentence": "The nurse was male.", "gold_label": "anti-stereotype"},
    ]
    pairs = read_benchmark(write(tmp_path, item(sentences=sentences)), ENTRY)
    assert pairs.to_dict("records") == [
        {
            "pair_id": "a1",
            "bias_type": "profession",
            "stereotype": "The nurse was  female.",
            "antistereotype": "The nurse was male.",
            "unrelated": "The nurse was blue.",
            "direction": None,
            "ratings": None,
            "labels": ["unrelated: related", "stereotype: stereotype", "stereotype: unrelated"],
            "context": "The nurse was BLANK.",
            "target": "nurse",
            "writer": None,
        }
    ]


STEREO, ANTI, OTHER = (sentence("x", label) for label in ("stereotype", "anti-stereotype", "unrelated"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sentences": [STEREO, ANTI]}, "sentences: no unrelated sentence"),
        ({"sentences": [OTHER, ANTI]}, "sentences: no stereotype sentence"),
        ({"sentences": [OTHER, STEREO]}, "sentences: no anti-stereotype sentence"),
        ({"sentences": [OTHER, STEREO, ANTI, STEREO]}, "sentences.4: a second stereotype sentence"),
        ({"sentences": [sentence(" ", "stereotype")]}, "sentences.1.sentence: is empty"),
        (
            {"sentences": [OTHER, sentence("x", "antistereotype")]},
            "sentences.2.gold_label: 'antistereotype' is none of stereotype, anti-stereotype, unrelated",
        ),
        (
            {"sentences": [STEREO | {"labels": [{"label": 3}]}]},
            "sentences.1.labels.1.label: is not a text but 3; put quotation marks around it",
        ),
        ({"sentences": [{"sentence": "x"}]}, "sentences.1: no gold_label in it (it has sentence)"),
        ({"bias_type": None}, "bias_type: is not a text but None"),
        ({"id": "a1"}, "pair_id: 'a1' stands in item a1 (row 0) too"),
    ],
)
def test_a_bad_item_is_named(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    bad = item(id="b2") | changes
    with pytest.raises(InputError) as caught:
        read_benchmark(write(tmp_path, item(), bad), ENTRY)
    assert str(caught.value) == f"{tmp_path}/dev.json: item {bad['id']} (row 1): {message}"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"data": {"a": 1}}', "data: no intrasentence in it"),
        ('{"data": {"intrasentence": {}}}', "data.intrasentence: is not a list"),
        ('{"data": {"intrasentence": []}}', "data.intrasentence: is empty"),
        ('{"data": {"intrasentence": ["text"]}}', "row 0: is not a mapping but 'text'"),
        ('{"data": {"intrasentence": [{"target": "t"}]}}', "row 0: no id in it"),
    ],
)
def test_what_is_no_such_file_is_refused(content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "dev.json").write_text(content)
    with pytest.raises(InputError, match=rf"dev\.json: {message}"):
        read_benchmark(tmp_path / "dev.json", ENTRY)


def test_the_real_file() -> None:
    path = real_data("stereoset", "dev.json")
    pairs = read_benchmark(path, ENTRY)
    assert Counter(pairs["bias_type"]) == {"gender": 255, "profession": 810, "race": 962, "religion": 79}
    assert len(pairs) == pairs["pair_id"].nunique() == 2106
    assert pairs["direction"].isna().all()
    assert pairs["ratings"].isna().all()
    # five annotators a sentence, of 1296 items
    assert pairs["labels"].notna().sum() == 1296
    assert set(pairs["labels"].dropna().map(len)) == {15}
    told = Counter(
        f"{own['gold_label']}: {label['label']}".replace("anti-", "anti")
        for each in json.loads(path.read_text())["data"]["intrasentence"]
        for own in each["sentences"]
        for label in own["labels"]
    )
    assert Counter(each for labels in pairs["labels"].dropna() for each in labels) == told
    assert not pairs[["stereotype", "antistereotype", "unrelated", "context", "target"]].isna().any(axis=None)
    assert [n for n, context in enumerate(pairs["context"]) if context.count("BLANK") == 2] == [1158, 1933]
    sentences = [*pairs["stereotype"], *pairs["antistereotype"], *pairs["unrelated"]]
    assert sum("  " in sentence for sentence in sentences) == 57
    assert sum(not sentence.isascii() for sentence in sentences) == 3
    words = pairs[["stereotype", "antistereotype"]].map(lambda text: len(text.split()))
    assert (words["stereotype"] == words["antistereotype"]).all()


@pytest.mark.parametrize(
    ("tokenizer", "equal", "by_type"),
    [
        ("bert-base-cased", 1298, {"profession": 481, "race": 626, "gender": 149, "religion": 42}),
        ("roberta", 1509, {"profession": 564, "race": 719, "gender": 173, "religion": 53}),
        ("albert-v2", 1490, {"profession": 546, "race": 729, "gender": 165, "religion": 50}),
    ],
)
def test_the_subtoken_fact_of_the_paper(tokenizer: str, equal: int, by_type: dict[str, int]) -> None:
    """In so many pairs both sentences have equally many subtokens (Kaneko and Bollegala 2022)."""
    from transformers import AutoTokenizer

    pairs = read_benchmark(real_data("stereoset", "dev.json"), ENTRY)
    encode = AutoTokenizer.from_pretrained(real_data("tokenizers", tokenizer))
    lengths = [
        [len(ids) for ids in encode(list(pairs[role]))["input_ids"]]
        for role in ("stereotype", "antistereotype")
    ]
    same = [a == b for a, b in zip(*lengths, strict=True)]
    assert sum(same) == equal
    assert Counter(pairs["bias_type"][same]) == by_type

"""Labels that annotators gave to sentences: counted as they are in the source, nothing guessed."""

import json
from pathlib import Path
from typing import Any

import pytest

from library import LABELS, InputError, by_sentence, read_labels, read_table
from real_data import real_data
from running import run_script
from test_reading_stereoset import item, sentence, write


def labelled(text: str, role: str, *labels: str) -> dict[str, Any]:
    return sentence(text, role) | {"labels": [{"label": label, "human_id": "h"} for label in labels]}


def test_labels_are_counted_by_sentence(tmp_path: Path) -> None:
    sentences = [
        labelled("x", "stereotype", "stereotype", "unrelated", "stereotype"),
        labelled("y", "anti-stereotype", "anti-stereotype"),
        labelled("z", "unrelated", "related", "unrelated"),
    ]
    path = write(tmp_path, item(sentences=sentences), item(id="b2"))
    outputs = {name: tmp_path / f"{name}.parquet" for name in ("pairs", "labels", "flaws")}
    entry = {"format": "stereoset"}
    run_script("read_benchmark", [path], outputs, tmp_path / "log", name="ss", entry=entry)
    rows = read_table(outputs["labels"], LABELS)
    assert rows.to_numpy().tolist() == [
        ["a1", "stereotype", "stereotype", 2],
        ["a1", "stereotype", "unrelated", 1],
        ["a1", "antistereotype", "antistereotype", 1],
        ["a1", "unrelated", "related", 1],
        ["a1", "unrelated", "unrelated", 1],
    ]
    assert by_sentence(rows)["a1", "stereotype"] == {"stereotype": 2, "unrelated": 1}


def test_a_source_without_labels_has_none(tmp_path: Path) -> None:
    bare = [{key: value for key, value in each.items() if key != "labels"} for each in item()["sentences"]]
    assert read_labels(write(tmp_path, item(), item(id="b2", sentences=bare)), "stereoset").empty


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("stereotype", "is not a list but 'stereotype'"),
        ([{"human_id": "h"}], "no label in it (it has human_id)"),
        ([{"label": 3}], "label: is not a text but 3; put quotation marks around it"),
        ([{"label": " "}], "label: is empty"),
    ],
)
def test_bad_labels_are_one_line(labels: Any, message: str, tmp_path: Path) -> None:
    sentences = [sentence("x", "stereotype") | {"labels": labels}]
    with pytest.raises(InputError) as caught:
        read_labels(write(tmp_path, item(sentences=sentences)), "stereoset")
    line = str(caught.value)
    assert line.startswith(f"{tmp_path}/dev.json: item a1 (row 0): sentences.1.labels") and line.endswith(
        message
    )


def test_the_labels_of_stereoset() -> None:
    path = real_data("stereoset", "dev.json")
    labels = read_labels(path, "stereoset")
    told = {"stereotype": 0, "antistereotype": 0, "unrelated": 0, "related": 0}
    for each in json.loads(path.read_text())["data"]["intrasentence"]:
        for own in each["sentences"]:
            for label in own["labels"]:
                told[label["label"].replace("anti-", "anti")] += 1
    assert labels.groupby("label")["votes"].sum().to_dict() == told
    # five annotators a sentence, of 1296 items
    assert set(labels.groupby(["pair_id", "role"])["votes"].sum()) == {5}
    assert labels["pair_id"].nunique() == 1296

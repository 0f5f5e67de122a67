"""StereoSet's intersentence items: the context and a sentence behind it as one text."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from real_data import real_data
from unmask.benchmarks.labelled import read_labels
from unmask.benchmarks.reading import read_benchmark
from unmask.errors import InputError
from unmask.report.sheets import rows_of

ENTRY = {"format": "stereoset-intersentence"}


def item(context: str = "The nurse is here.", **changes: Any) -> dict[str, Any]:
    sentences = [
        {"sentence": text, "id": text, "gold_label": label, "labels": [{"label": label, "human_id": "h"}]}
        for text, label in (
            ("It rains.", "unrelated"),
            ("She is kind.", "stereotype"),
            ("He is rude.", "anti-stereotype"),
        )
    ]
    whole = {"id": "a1", "target": "nurse", "bias_type": "profession", "context": context}
    return whole | {"sentences": sentences} | changes


def write(tmp_path: Path, *items: Any) -> Path:
    path = tmp_path / "dev.json"
    content = {"version": "1.0", "data": {"intersentence": items, "intrasentence": [{"id": "other"}]}}
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("context", "before"),
    [("The nurse is here.", "The nurse is here."), ("Who?", "Who?"), ("My nurse, he", "My nurse, he.")],
)
def test_each_sentence_stands_behind_the_context(context: str, before: str, tmp_path: Path) -> None:
    path = write(tmp_path, item(context))
    (pair,) = read_benchmark(path, ENTRY).to_dict("records")
    texts = {role: pair[role] for role in ("stereotype", "antistereotype", "unrelated")}
    assert texts == {
        "stereotype": f"{before} She is kind.",
        "antistereotype": f"{before} He is rude.",
        "unrelated": f"{before} It rains.",
    }
    assert (pair["context"], pair["target"], pair["bias_type"]) == (context, "nurse", "profession")
    labels = read_labels(path, "stereoset-intersentence")
    assert Counter(labels["role"]) == {"stereotype": 1, "antistereotype": 1, "unrelated": 1}


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (
            [item(), item(id="b2", sentences=item()["sentences"][:2])],
            "item b2 (row 1): sentences: no anti-stereotype",
        ),
        ([item(context="")], "item a1 (row 0): context: is empty"),
        ([], "data.intersentence: is empty"),
    ],
)
def test_a_fault_is_one_line(items: list[Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_benchmark(write(tmp_path, *items), ENTRY)
    assert str(caught.value).startswith(f"{tmp_path}/dev.json: {message}")


def test_the_real_file() -> None:
    pairs = read_benchmark(real_data("stereoset", "dev.json"), ENTRY)
    assert Counter(pairs["bias_type"]) == {"gender": 242, "profession": 827, "race": 976, "religion": 78}
    begins = [row.stereotype.startswith(row.context) for row in rows_of(pairs)]
    assert all(begins) and pairs["unrelated"].notna().all()

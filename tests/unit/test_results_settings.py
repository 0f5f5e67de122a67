"""The settings that results are of."""

import json
from pathlib import Path
from typing import Any

import pytest

from library import FILE, LAYOUT, InputError, check_layout, other_settings, stated, write_facts

STUDY: dict[str, Any] = {
    "study": "s",
    "data": "/data/",
    "runtime": {"threads": 2},
    "models": {"a": {"path": "/data/a", "seeds": [1, 2]}},
    "associations": {"seed": 1},
    "title": None,
}


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({}, []),
        ({"data": "/elsewhere", "models": {"a": {"path": "/elsewhere/a", "seeds": [1, 2]}}}, []),
        ({"runtime": {}}, []),
        ({"study": "t"}, ["study"]),
        ({"models": {"a": {"path": "/data/a", "seeds": [1]}}}, ["models"]),
        ({"alpha": 0.05, "models": {}}, ["models", "alpha"]),
        ({"title": "T"}, []),
        ({"models": {"a": {"path": "/data/a", "seeds": [1, 2]}, "data": {"path": "b"}}}, ["models"]),
        ({"models": {"a": {"path": "/data/a", "seeds": [1, 2], "published": "p"}}}, []),
        ({"associations": {"seed": 1, "published": {"a": "p"}}}, []),
    ],
)
def test_the_keys_that_differ_are_named(tmp_path: Path, change: dict[str, Any], found: list[str]) -> None:
    written = stated(STUDY)
    models = {"a": {"path": "{data}/a", "seeds": [1, 2]}}
    assert written == {"study": "s", "layout": LAYOUT, "models": models, "associations": {"seed": 1}}
    write_facts(tmp_path / FILE, written)
    assert other_settings(tmp_path, STUDY | change) == found


def test_secrets_of_urls_are_not_stated(tmp_path: Path) -> None:
    study = {"benchmarks": {"b": {"url": "https://me:wo'rd@host/b.csv?token=sec'ret"}}}
    write_facts(tmp_path / FILE, stated(study))
    written = (tmp_path / FILE).read_text()
    assert "https://host/b.csv?token=..." in written and "rd@" not in written and "ret" not in written
    assert other_settings(tmp_path, study) == []
    other = {"benchmarks": {"b": {"url": "https://host/b.csv?token=other"}}}
    assert other_settings(tmp_path, other) == ["benchmarks"]


@pytest.mark.parametrize("layout", [{}, {"layout": LAYOUT - 1}])
def test_results_of_an_earlier_layout_are_answered_by_one_line(
    tmp_path: Path, layout: dict[str, int]
) -> None:
    check_layout(tmp_path)
    write_facts(tmp_path / FILE, stated(STUDY))
    check_layout(tmp_path)
    (tmp_path / FILE).write_text(json.dumps({"study": "s"} | layout))
    with pytest.raises(InputError, match=": made by an earlier layout: read anew"):
        check_layout(tmp_path)
    (tmp_path / FILE).write_bytes(b"\xff")
    with pytest.raises(InputError, match=r"settings\.json: cannot be read"):
        other_settings(tmp_path, STUDY)

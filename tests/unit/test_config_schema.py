"""The schema of a study as one file: equal to what rules/schemas say, and plain JSON Schema."""

import copy
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from study_schema import ROOT
from unmask import plugins
from unmask.config_schema import FILE, config_schema

STUDIES = [ROOT / "config.yaml", ROOT / "config/config.yaml", *sorted((ROOT / "configs").glob("*.yaml"))]
SCHEMA: dict[str, Any] = yaml.safe_load(config_schema())


def problems(study: Any) -> list[str]:
    """What a validator that knows plain JSON Schema alone finds, by place."""
    return [
        ".".join(map(str, error.absolute_path))
        for error in jsonschema.Draft202012Validator(SCHEMA).iter_errors(study)
    ]


def words_of(schema: Any) -> set[str]:
    """All keys of a schema and of what is in it."""
    parts = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    return (set(schema) if isinstance(schema, dict) else set()).union(*map(words_of, parts))


def test_the_file_is_up_to_date() -> None:
    assert FILE.read_text(encoding="utf-8") == config_schema(), "run python -m unmask.config_schema"


def test_it_is_a_schema_without_names_of_modules_and_shorthands() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert not {"modules", "shorthand", "expands"} & words_of(SCHEMA)
    assert SCHEMA["$defs"]["kind"]["enum"] == plugins.names("models/kinds")


@pytest.mark.parametrize("study", STUDIES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_studies_that_come_with_unmask_pass(study: Path) -> None:
    assert problems(yaml.safe_load(study.read_text())) == []


def test_wrong_studies_do_not() -> None:
    good = yaml.safe_load((ROOT / "config.yaml").read_text())
    for place, value in (
        (("statistics",), {"alpha": 2}),
        (("measures",), ["AUL", "nothing"]),
        (("benchmarks",), [1]),
        (("models", "tiny-bert", "source"), "nowhere"),
    ):
        study = copy.deepcopy(good)
        *above, last = place
        part = study
        for key in above:
            part = part[key]
        part[last] = value
        assert problems(study), place
    assert problems(good | {"measurs": []}) == [""]

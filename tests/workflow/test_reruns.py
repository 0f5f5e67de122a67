"""What Snakemake plans when a finished study changes: what is new, and nothing else."""

import copy
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from library import PLUMBING, removable, remove
from small_study import AGGREGATES, Workflow, random_model

CASES = Path(__file__).parents[1] / "cases/reruns.yaml"
ROWS = yaml.safe_load(CASES.read_text(encoding="utf-8"))
OF_ALL_MODELS = (*AGGREGATES, "debiasing/comparisons/", "downstream/correlations.parquet")


def with_settings(workflow: Workflow, case: dict[str, Any]) -> dict[str, Any]:
    """The workflow's configuration as a case has it."""
    config: dict[str, Any] = copy.deepcopy(workflow.config)

    def section_of(place: str) -> tuple[dict[str, Any], str]:
        *sections, key = place.split(".")
        section = config
        for name in sections:
            section = section.setdefault(name, {})
        return section, key

    for place, value in case.get("set", {}).items():
        section, key = section_of(place)
        section[key] = value
    if "drop" in case:
        section, key = section_of(case["drop"])
        del section[key]
    return config


@contextmanager
def changed_files(folder: Path, case: dict[str, Any]) -> Iterator[None]:
    """The files of a case as it has them, until the block ends."""
    changes = {folder / name: change for name, change in case.get("replace", {}).items()}
    if "edit" in case:
        module = folder / "scripts/unmask" / case["edit"]
        changes[module] = None
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in changes}
    for path, change in changes.items():
        content, date = before[path]
        if change is None:
            path.write_bytes(content + (b"EDITED = True\n" if path.suffix == ".py" else b"// more\n"))
            continue
        words, others = (each.encode() for each in change)
        assert words in content
        path.write_bytes(content.replace(words, others, 1))
        # as `cp -p` and `tar x` leave it
        os.utime(path, ns=(date - 10**12, date - 10**12))
    try:
        yield
    finally:
        for path, (content, date) in before.items():
            path.write_bytes(content)
            os.utime(path, ns=(date, date))


@pytest.mark.parametrize("case", ROWS, ids=[str({**row, "again": ""}) for row in ROWS])
def test_a_change_makes_again_what_depends_on_it(
    case: dict[str, Any], request: pytest.FixtureRequest
) -> None:
    workflow: Workflow = request.getfixturevalue(case["study"])
    with changed_files(workflow.folder, case):
        planned = workflow.planned(with_settings(workflow, case))
    assert set(case.get("again", [])) <= planned
    of_some = {output for output in planned if not output.startswith(OF_ALL_MODELS)}
    assert [output for output in of_some if not re.fullmatch(case.get("only", ""), output)] == []
    assert ("report/index.html" in planned) == bool(planned) == ("again" in case)


def test_words_dates_versions_and_plumbing_change_nothing(copied: Workflow) -> None:
    library = copied.folder / "scripts/unmask"
    for module in ("evidence/engine.py", "measures/formulas.py", "tables.py"):
        path = library / module
        assert path.read_text().count('    """') > 0
        text = path.read_text().replace('    """', '    """Differently said. ', 1)
        path.write_text(f"# a remark\n{text}")
    (library / "VERSION").write_text("99.0\n")
    for module in PLUMBING:
        path = library.parent / module
        path.write_text(path.read_text() + "EDITED = True\n")
    given = [copied.folder / "crows.csv", copied.folder / "resources/pairs/captions.yaml"]
    # as in a fresh checkout
    for path in (*library.rglob("*.py"), *given, *(copied.folder / "bert-tokenizer").iterdir()):
        os.utime(path)
    assert copied.planned() == set()
    again = copied.snakemake()
    assert again.returncode == 0 and "Nothing to be done" in again.stdout + again.stderr


def test_without_its_evidence_a_study_is_finished_and_what_is_added_is_scored_alone(copied: Workflow) -> None:
    results = copied.folder / "results/small"
    remove(removable(results), results)
    assert not (results / "evidence").exists() and copied.planned() == set()
    copied.config["models"]["albert"] = random_model("albert", copied.folder, embedding_size=8)
    own = {output for output in copied.planned() if not output.startswith(AGGREGATES)}
    assert "evidence/albert/crows/digests.json" in own
    assert all("/albert/" in output for output in own)

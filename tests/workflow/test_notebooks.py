"""`unmask.load` on a finished study: every table is reachable, and what docs/start.md shows runs."""

import re
from pathlib import Path

import altair as alt
import pandas as pd
import pyarrow.parquet as pq
import pytest

import unmask
from library import StudyResults
from small_study import Workflow
from workflow_copy import docs_section


@pytest.fixture(scope="module")
def results(whole: Workflow) -> StudyResults:
    results = unmask.load(whole.folder / "results/small")
    assert isinstance(results, StudyResults)
    return results


def test_every_table_of_a_finished_study_is_reachable(results: StudyResults) -> None:
    every = {
        path
        for path in results.folder.rglob("*.parquet")
        if not any(part.startswith(".") for part in path.relative_to(results.folder).parts)
    }
    reached = [file.path for name in results for file in results.files(name)]
    assert set(reached) == every and len(reached) == len(every) > 50


def test_every_row_is_there_with_its_keys(results: StudyResults) -> None:
    for name, frame in results.items():
        files = results.files(name)
        assert len(frame) == sum(pq.read_metadata(file.path).num_rows for file in files), name
        columns = results.columns(name)["column"].tolist()
        assert sorted(frame.columns) == sorted(columns), name
        assert frame.columns[: len(files[0].keys)].tolist() == list(files[0].keys), name


def test_the_examples_of_the_docs_run(
    results: StudyResults, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "results/families").symlink_to(results.folder)
    monkeypatch.chdir(tmp_path)
    text = docs_section("start.md", "From Python")
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert len(blocks) > 8
    namespace: dict[str, object] = {}
    for block in blocks:
        assert len(block.splitlines()) <= 10
        *statements, last = re.split(r"\n(?=\S)", block.strip())
        # brackets that close are at the margin as well
        while last[0] in "])}":
            last = f"{statements.pop()}\n{last}"
        exec("\n".join(statements), namespace)
        if last.startswith(("for ", "import ", "print(")):
            exec(last, namespace)
            continue
        value = eval(last, namespace)
        assert isinstance(value, pd.DataFrame | alt.TopLevelMixin), last
        namespace["_"] = value

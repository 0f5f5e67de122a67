"""`unmask.load` on a finished study: every table is reachable, and what docs/start.md shows runs."""

import re
from pathlib import Path

import altair as alt
import pandas as pd
import pyarrow.parquet as pq
import pytest

import unmask
from docs_text import docs_section
from library import StudyResults, read_metadata
from small_study import Workflow


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


def test_paths_say_what_the_tables_say_of_themselves(results: StudyResults) -> None:
    compared = 0
    for name in results:
        for file in results.files(name):
            facts = read_metadata(file.path) if file.keys else {}
            for key, value in file.keys.items():
                if key in facts:
                    assert str(facts[key]) == value, (file.path, key)
                    compared += 1
    assert compared > 100


def test_the_frames_are_those_that_tables_are_made_from(results: StudyResults) -> None:
    """The CSV of bias scores, which the workflow wrote, but for the order of models."""
    keys = ["model", "benchmark", "variant", "measure", "protocol", "grouping", "group"]
    written = pd.read_csv(results.folder / "tables/bias.csv").set_index(keys).sort_index()
    frame = results["bias"].set_index(keys).sort_index()
    pd.testing.assert_index_equal(written.index, frame.index)
    pd.testing.assert_series_equal(written["score"], frame["score"])
    assert written["n"].tolist() == frame["n"].tolist()


def test_the_examples_of_the_docs_run(
    results: StudyResults, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "results/demo").symlink_to(results.folder)
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

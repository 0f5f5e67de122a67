"""What a script has of its job, and what ends it."""

from pathlib import Path

import pytest

from library import read_facts, sha256_of_file
from running import run_script

SCRIPT = """
from pathlib import Path

import pyarrow  # noqa: F401

from unmask.errors import InputError
from unmask.files import write_facts
from unmask.job import job

with job("table {params.name}") as run:
    write_facts(run.output[0], {"name": run.params.name, **run.record()})
    match Path(run.input[0]).read_text():
        case "bad":
            raise InputError("row 3: empty")
        case "replaced":
            Path(run.input[0]).write_text("other")
        case "removed":
            Path(run.input[0]).unlink()
"""


def run(folder: Path, content: str) -> Path:
    """A job that reads one file of a user, and writes what it states of that."""
    (folder / "script.py").write_text(SCRIPT)
    given, facts = folder / "table.csv", folder / "facts.json"
    given.write_text(content)
    planned = {str(given): sha256_of_file(given)}
    run_script(
        str(folder / "script"), [given], [facts], folder / "job.log", name="words", input_sha256=planned
    )
    return facts


def test_a_result_states_how_it_was_made(tmp_path: Path) -> None:
    facts = read_facts(run(tmp_path, "good"))
    assert facts["made_from"] == {str(tmp_path / "table.csv"): sha256_of_file(tmp_path / "table.csv")}
    assert (facts["name"], facts["code"]) == ("words", "digest")
    assert {"python", "unmask", "pyarrow"} <= set(facts["versions"])


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("bad", "row 3: empty"),
        ("replaced", "{}/table.csv: was replaced since this run was planned; run again"),
        ("removed", "{}/table.csv: cannot be read (No such file or directory)"),
    ],
)
def test_bad_input_is_one_line_that_says_what_it_is_about(
    tmp_path: Path, content: str, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        run(tmp_path, content)
    assert end.value.code == 1
    assert capsys.readouterr().err == f"error: table words: {line.format(tmp_path)}\n"

"""Snakemake's own report (--report): the main tables and figures, each with its caption."""

import json
import re
from pathlib import Path

import pytest

from small_study import Workflow
from workflow_copy import ROOT

CAPTIONS = {path.stem: path for path in (ROOT / "resources/snakemake_report").glob("*.rst")}


@pytest.mark.slow
def test_it_shows_what_has_a_caption(whole: Workflow, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    done = whole.snakemake("--report", str(page))
    assert done.returncode == 0, done.stdout + done.stderr
    added = re.findall(r"^Adding (\S+) ", done.stdout + done.stderr, re.MULTILINE)
    assert {"index.html", "bias.svg", "table2.csv"} <= set(added)
    assert sorted(Path(name).stem for name in added) == sorted(CAPTIONS)
    text = page.read_text(encoding="utf-8")
    for name, path in CAPTIONS.items():
        # captions stand in the page as JSON
        assert json.dumps(path.read_text().splitlines()[0])[1:-1] in text, name
    # what stands beside each in the report's list
    assert "how often corpora name groups" in text

"""A revised benchmark is compared with what it revises, by the example of the documentation."""

from pathlib import Path

import pandas as pd
import pytest
import yaml

from library import VERSIONS, read_table
from small_study import Workflow
from workflow_copy import copy_workflow, docs_section


def test_the_documented_revision_is_compared(tmp_path: Path) -> None:
    """With scores made elsewhere in place of a model."""
    folder = copy_workflow(tmp_path / "unmask")
    text = docs_section("data.md", "What a revision or translation changed")
    study = yaml.safe_load(text.split("```yaml\n")[1].split("```")[0])
    (folder / "mine.csv").write_text(
        "id,more,less\na,She cooks.,He cooks.\nb,She cries.,He cries.\n"
        "c,He leads.,She leads.\nd,He wins.,She wins.\n"
    )
    (folder / "revised.csv").write_text(
        "id,more,less\nc,He leads.,She leads.\na,A woman cooks.,A man cooks.\n"
        "b,She cries.,He cries.\nz,He,She\n"
    )
    (folder / "api.csv").write_text(
        "one,other,x,y\nShe cooks.,He cooks.,-3,-4\nShe cries.,He cries.,-5,-4\nHe leads.,She leads.,-2,-6\n"
        "A woman cooks.,A man cooks.,-9,-8\nHe wins.,She wins.,-1,-2\nHe,She,-1,-2\n"
    )
    columns = {"sentences": ["one", "other"], "scores": ["x", "y"]}
    models = {"api": {"source": "scored", "path": "api.csv", "columns": columns}}
    workflow = Workflow(folder, {"study": "small", "models": models, **study})
    workflow.run()
    versions = read_table(folder / "results/small/versions/mine-revised.parquet", VERSIONS)
    (whole,) = versions[versions["protocol"] == "corrected"].to_dict("records")
    assert (whole["model"], whole["first"], whole["second"]) == ("api", "mine-revised", "mine")
    # of a, b and c the model prefers c in the revision, and a and c in the original
    assert (whole["n"], whole["both"], whole["b"], whole["c"], whole["neither"]) == (3, 1, 0, 1, 1)
    assert whole["difference"] == pytest.approx(-100 / 3)
    compared = pd.read_csv(folder / "results/small/tables/compared.csv")
    (shown,) = compared[compared["protocol"] == "corrected"].to_dict("records")
    assert (shown["kind"], shown["first"], shown["second"]) == ("versions", "mine-revised", "mine")
    assert shown["difference"] == pytest.approx(-100 / 3)

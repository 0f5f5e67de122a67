"""What Snakemake plans when a finished study changes: what is new, and nothing else."""

import copy
import os
from pathlib import Path

import pandas as pd
import pytest

from small_study import Workflow, random_model

AGGREGATES = ("tables/", "figures/", "report/", "SHA256SUMS")


def without_aggregates(planned: set[str]) -> set[str]:
    return {output for output in planned if not output.startswith(AGGREGATES)}


def test_a_finished_study_has_nothing_to_do(finished: Workflow) -> None:
    assert finished.planned() == set()
    again = finished.snakemake()
    assert again.returncode == 0 and "Nothing to be done" in again.stdout + again.stderr


def test_adding_a_model_runs_its_own_jobs_and_the_aggregates(finished: Workflow) -> None:
    config = copy.deepcopy(finished.config)
    config["models"]["albert"] = random_model("albert", finished.folder, embedding_size=8)
    planned = finished.planned(config)
    assert without_aggregates(planned)
    assert all("/albert/" in output for output in without_aggregates(planned))
    assert {"tables/table5.csv", "figures/bias.svg", "report/index.html"} <= planned


def test_adding_a_benchmark_runs_its_own_jobs_and_the_aggregates(finished: Workflow) -> None:
    config = copy.deepcopy(finished.config)
    config["benchmarks"]["more"] = {"format": "crows-pairs", "path": "crows.csv"}
    planned = finished.planned(config)
    own = without_aggregates(planned)
    assert "benchmarks/more.parquet" in own
    assert all("/more" in output for output in own)
    assert {"tables/table5.csv", "report/index.html"} <= planned


def test_changing_alpha_makes_tables_and_report_again(finished: Workflow) -> None:
    config = copy.deepcopy(finished.config)
    config["statistics"]["alpha"] = 0.05
    planned = finished.planned(config)
    assert "tables/table1.csv" in planned and "report/index.html" in planned
    assert not [output for output in planned if output.startswith(("evidence/", "scores/", "models/"))]


def test_changing_the_bootstrap_makes_statistics_again_but_no_scores(finished: Workflow) -> None:
    config = copy.deepcopy(finished.config)
    config["statistics"]["bootstrap"]["seed"] = 7
    planned = finished.planned(config)
    assert "statistics/bert/crows/bias.parquet" in planned
    assert not [output for output in planned if output.startswith(("evidence/", "scores/", "models/"))]


def test_adding_a_measure_adds_only_the_evidence_that_it_needs(finished: Workflow) -> None:
    config = copy.deepcopy(finished.config)
    config["measures"] = [*config["measures"], "AllMasked"]
    evidence = {output for output in finished.planned(config) if output.startswith("evidence/")}
    assert evidence == {
        f"evidence/{model}/{benchmark}/original/all.parquet"
        for model in ("bert", "roberta")
        for benchmark in ("crows", "stereo")
    }


def test_how_the_machine_is_used_changes_nothing(finished: Workflow) -> None:
    config = copy.deepcopy(finished.config)
    config["runtime"] = {"device": "cpu", "threads": 2, "batch_tokens": 7}
    assert finished.planned(config) == set()


def test_another_shuffle_seed_makes_shuffled_evidence_only(finished: Workflow) -> None:
    config = copy.deepcopy(finished.config)
    config["controls"] = {"shuffled": {"seed": 5}}
    evidence = {output for output in finished.planned(config) if output.startswith("evidence/")}
    assert len(evidence) == 4 and all("/shuffled/" in output for output in evidence)


def edit(workflow: Workflow, module: str, text: str = "EDITED = True") -> None:
    path = workflow.folder / "scripts/unmask" / module
    path.write_text(f"{path.read_text()}\n{text}\n")


def test_editing_a_formula_makes_again_what_uses_the_measure(copied: Workflow) -> None:
    edit(copied, "measures/formulas/cps.py")
    planned = copied.planned()
    assert {output for output in planned if output.startswith(("scores/", "evidence/", "models/"))} == {
        f"scores/{model}/{benchmark}/original.parquet"
        for model in ("bert", "roberta")
        for benchmark in ("crows", "stereo")
    }
    assert {"statistics/bert/crows/bias.parquet", "tables/table5.csv"} <= planned
    without = {**copied.config, "measures": ["AUL", "AULA", "SSS"]}
    copied.run(without)
    edit(copied, "measures/formulas/cps.py", "EDITED_AGAIN = True")
    assert copied.planned(without) == set()


def test_editing_a_reader_makes_again_what_it_reads(copied: Workflow) -> None:
    edit(copied, "benchmarks/formats/stereoset.py")
    own = without_aggregates(copied.planned())
    assert {"benchmarks/stereo.parquet", "evidence/bert/stereo/original/none.parquet"} <= own
    assert all("/stereo" in output for output in own)


def test_editing_a_masking_makes_its_evidence_again(copied: Workflow) -> None:
    edit(copied, "evidence/maskings/modified.py")
    planned = copied.planned()
    assert {output for output in planned if output.startswith("evidence/")} == {
        f"evidence/{model}/{benchmark}/original/modified.parquet"
        for model in ("bert", "roberta")
        for benchmark in ("crows", "stereo")
    }
    assert not [output for output in planned if output.endswith("shuffled.parquet")]


def test_a_docstring_or_a_version_changes_nothing(copied: Workflow) -> None:
    tables = copied.folder / "scripts/unmask/tables.py"
    assert tables.read_text().startswith('"""The tables')
    tables.write_text(tables.read_text().replace('"""The tables', '"""All tables', 1))
    for module in ("evidence/engine.py", "measures/formulas/cps.py"):
        path = copied.folder / "scripts/unmask" / module
        assert path.read_text().count('    """') > 0
        path.write_text(path.read_text().replace('    """', '    """Differently said. ', 1))
    (copied.folder / "scripts/unmask/VERSION").write_text("99.0\n")
    assert copied.planned() == set()


def test_editing_the_engine_makes_evidence_again_but_no_models(copied: Workflow) -> None:
    edit(copied, "evidence/engine.py")
    planned = copied.planned()
    assert "evidence/bert/crows/original/none.parquet" in planned
    assert not [output for output in planned if output.startswith(("models/", "benchmarks/"))]


def test_a_comment_or_a_fresh_checkout_changes_nothing(copied: Workflow) -> None:
    formula = copied.folder / "scripts/unmask/measures/formulas/cps.py"
    formula.write_text("# a remark\n" + formula.read_text())
    for script in (copied.folder / "scripts").rglob("*.py"):
        os.utime(script)
    assert copied.planned() == set()


def test_a_changed_benchmark_file_is_read_again(copied: Workflow) -> None:
    path = copied.folder / "crows.csv"
    path.write_text(path.read_text().replace("very good", "very bad"))
    planned = copied.planned()
    assert "benchmarks/crows.parquet" in planned
    assert not [output for output in planned if "/stereo/" in output]


def test_removing_a_model_removes_it_from_the_tables(copied: Workflow) -> None:
    table = Path(copied.folder, "results/small/tables/table5.csv")
    assert set(pd.read_csv(table)["model"]) == {"bert", "roberta"}
    del copied.config["models"]["roberta"]
    planned = copied.planned()
    assert planned and not without_aggregates(planned)
    copied.run()
    assert set(pd.read_csv(table)["model"]) == {"bert"}
    assert "roberta" not in copied.read("report", "index.html")


@pytest.mark.slow
def test_adding_a_model_completes_and_leaves_the_others_untouched(copied: Workflow) -> None:
    evidence = Path(copied.folder, "results/small/evidence/bert/crows/original/none.parquet")
    before = evidence.stat().st_mtime_ns
    copied.config["models"]["albert"] = random_model("albert", copied.folder, embedding_size=8)
    copied.run()
    assert evidence.stat().st_mtime_ns == before
    table = pd.read_csv(Path(copied.folder, "results/small/tables/table5.csv"))
    assert set(table["model"]) == {"bert", "roberta", "albert"}
    assert copied.planned() == set()

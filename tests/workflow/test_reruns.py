"""What Snakemake plans when a finished study changes: what is new, and nothing else."""

import copy
import os
import re
from pathlib import Path

import pandas as pd
import pytest

from library import PLUMBING, sha256_of_file
from small_study import AGGREGATES, Workflow, random_model


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
    assert {"comparisons/crows.parquet", "comparisons/stereo.parquet"} <= planned


def test_adding_a_benchmark_runs_its_own_jobs_and_the_aggregates(finished: Workflow) -> None:
    config = copy.deepcopy(finished.config)
    config["benchmarks"]["more"] = {"format": "crows-pairs", "path": "crows.csv"}
    planned = finished.planned(config)
    own = without_aggregates(planned)
    assert "benchmarks/more.parquet" in own
    assert all("/more" in output for output in own)
    assert {"tables/table5.csv", "report/index.html"} <= planned
    # models are compared on the new one alone
    assert {output for output in planned if output.startswith("comparisons/")} == {"comparisons/more.parquet"}


def test_changing_alpha_makes_the_report_again(finished: Workflow) -> None:
    config = copy.deepcopy(finished.config)
    config["statistics"]["alpha"] = 0.1
    planned = finished.planned(config)
    assert "report/index.html" in planned
    upstream = ("evidence/", "scores/", "models/", "statistics/", "comparisons/")
    assert not [output for output in planned if output.startswith(upstream)]


@pytest.mark.parametrize(
    ("key", "value", "shown_in"),
    [
        ("licence", "CC BY-SA 4.0", "report/sections/provenance.json"),
        ("published", "crows-pairs", "tables/table5.csv"),
    ],
)
def test_what_is_only_shown_of_a_benchmark_makes_again_what_shows_it(
    finished: Workflow, key: str, value: str, shown_in: str
) -> None:
    config = copy.deepcopy(finished.config)
    config["benchmarks"]["crows"][key] = value
    planned = finished.planned(config)
    assert shown_in in planned
    assert "report/index.html" in planned and not without_aggregates(planned)
    assert not [output for output in planned if output.startswith("comparisons/")]


def test_a_checksum_of_a_benchmark_makes_nothing_again(finished: Workflow) -> None:
    config = copy.deepcopy(finished.config)
    config["benchmarks"]["crows"]["sha256"] = sha256_of_file(finished.folder / "crows.csv")
    assert finished.planned(config) == set()


def test_the_order_of_measures_makes_no_evidence_again(finished: Workflow) -> None:
    config = copy.deepcopy(finished.config)
    config["measures"] = config["measures"][::-1]
    planned = finished.planned(config)
    assert {"statistics/bert/crows/bias.parquet", "comparisons/crows.parquet", "tables/table5.csv"} <= planned
    assert not [output for output in planned if output.startswith(("evidence/", "models/", "benchmarks/"))]


def test_changing_the_null_measures_again_and_makes_no_evidence(finished: Workflow) -> None:
    config = copy.deepcopy(finished.config)
    config["statistics"]["chance"]["seed"] = 7
    planned = finished.planned(config)
    assert "statistics/bert/crows/bias.parquet" in planned
    assert not [output for output in planned if output.startswith(("evidence/", "models/", "benchmarks/"))]


PLACE = ("bert", "crows", "original")
SCORES = "results/small/scores/bert/crows/original.parquet"


SHUFFLED_SCORES = SCORES.replace("original", "shuffled")


def read_last(workflow: Workflow, variant: str = "original") -> set[str]:
    """The maskings under which the last job of a model and a benchmark has read sentences of a variant."""
    log = workflow.read("logs", "evidence", "bert", "crows.log")
    return set(re.findall(rf"{variant}, masking ([\w-]+), shards", log))


@pytest.mark.thorough
def test_evidence_is_made_again_by_variant_and_masking(copied: Workflow) -> None:
    folder = copied.folder / "results/small/evidence" / Path(*PLACE)
    shuffled = folder.parent / "shuffled/none.parquet"
    assert read_last(copied) == {"none", "one-shared", "modified"}
    assert read_last(copied, "shuffled") == {"none"}
    before = {path.name: path.read_bytes() for path in folder.glob("*.parquet")}

    def read_now(*targets: str) -> tuple[set[str], set[str]]:
        done = copied.snakemake(*(targets or (SCORES, SHUFFLED_SCORES)))
        assert done.returncode == 0, done.stdout + done.stderr
        return read_last(copied), read_last(copied, "shuffled")

    # a measure that hides something new
    copied.config["measures"] = [*copied.config["measures"], "AllMasked"]
    assert read_now() == ({"all"}, set())
    # one table that is gone, and its list
    (folder / "none.parquet").unlink()
    (folder.parent / "digests.json").unlink()
    assert read_now(f"results/small/evidence/{PLACE[0]}/{PLACE[1]}/digests.json") == ({"none"}, set())
    # a measure less
    copied.config["measures"] = copied.config["measures"][:-1]
    assert read_now() == (set(), set())
    # another control, none, and one again that is there
    was = shuffled.read_bytes()
    copied.config["controls"] = {"shuffled": {"seed": 5}}
    assert read_now() == (set(), {"none"}) and shuffled.read_bytes() != was
    copied.config["controls"] = {"shuffled": None}
    assert read_now(SCORES) == (set(), set())
    copied.config["controls"] = {"shuffled": {"seed": 5}}
    assert read_now() == (set(), set())
    assert {name: (folder / name).read_bytes() for name in before} == before
    assert "Nothing to be done" in copied.snakemake(SCORES).stderr


def test_how_the_machine_is_used_changes_nothing(finished: Workflow) -> None:
    config = copy.deepcopy(finished.config)
    config["runtime"] = {"device": "cpu", "threads": 2, "batch_tokens": 7}
    assert finished.planned(config) == set()


def test_one_job_reads_a_model_on_a_benchmark(finished: Workflow) -> None:
    """All variants of it, whatever of them is new: what else is there it does not read again."""
    config = copy.deepcopy(finished.config)
    config["controls"] = {"shuffled": {"seed": 5}}
    done = finished.snakemake("-n", config=config)
    jobs = dict(line.split() for line in done.stdout.splitlines() if len(line.split()) == 2)
    assert [int(number) for rule, number in jobs.items() if rule.startswith("evidence")] == [4]
    assert not {"untrained", "check_model"} & jobs.keys()


def edit(workflow: Workflow, module: str, text: str = "EDITED = True") -> None:
    path = workflow.folder / "scripts/unmask" / module
    path.write_text(f"{path.read_text()}\n{text}\n")


def test_editing_a_formula_makes_again_what_uses_the_measure(copied: Workflow) -> None:
    edit(copied, "measures/formulas.py")
    planned = copied.planned()
    assert {output for output in planned if output.startswith(("scores/", "evidence/", "models/"))} == {
        f"scores/{model}/{benchmark}/{variant}.parquet"
        for model in ("bert", "roberta")
        for benchmark in ("crows", "stereo")
        for variant in ("original", "shuffled")
    }
    assert {"statistics/bert/crows/bias.parquet", "tables/table5.csv"} <= planned


def test_editing_a_reader_makes_again_what_it_reads(copied: Workflow) -> None:
    edit(copied, "benchmarks/reading.py")
    own = without_aggregates(copied.planned())
    assert {"benchmarks/stereo.parquet", "evidence/bert/stereo/digests.json"} <= own
    assert all("/stereo" in output or "/crows" in output for output in own)


def test_a_docstring_or_a_version_changes_nothing(copied: Workflow) -> None:
    tables = copied.folder / "scripts/unmask/tables.py"
    assert tables.read_text().startswith('"""The tables')
    tables.write_text(tables.read_text().replace('"""The tables', '"""All tables', 1))
    for module in ("evidence/engine.py", "measures/formulas.py"):
        path = copied.folder / "scripts/unmask" / module
        assert path.read_text().count('    """') > 0
        path.write_text(path.read_text().replace('    """', '    """Differently said. ', 1))
    (copied.folder / "scripts/unmask/VERSION").write_text("99.0\n")
    assert copied.planned() == set()


def test_editing_plumbing_changes_nothing(copied: Workflow) -> None:
    for module in PLUMBING:
        edit(copied, module.removeprefix("unmask/"))
    assert copied.planned() == set()
    edit(copied, "files.py")
    assert "evidence/bert/crows/digests.json" in copied.planned()


def test_editing_the_engine_makes_evidence_again_but_no_models(copied: Workflow) -> None:
    edit(copied, "evidence/engine.py")
    planned = copied.planned()
    assert "evidence/bert/crows/digests.json" in planned
    assert not [output for output in planned if output.startswith(("models/", "benchmarks/"))]


def test_a_comment_or_a_fresh_checkout_changes_nothing(copied: Workflow) -> None:
    formula = copied.folder / "scripts/unmask/measures/formulas.py"
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


@pytest.mark.thorough
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

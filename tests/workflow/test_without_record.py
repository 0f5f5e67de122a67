"""Results without Snakemake's record of them, as a copy of the results alone has none."""

import copy
import shutil

from small_study import Workflow

NO_RECORD = "results/small: there is no record (.snakemake) of how these results were made"
REMEDY = "add --forceall to make them anew, or remove them"


def said(workflow: Workflow, *arguments: str) -> tuple[int, list[str]]:
    """The status, and what is said of the results."""
    done = workflow.snakemake(*arguments)
    lines = (done.stdout + done.stderr).splitlines()
    return done.returncode, [line for line in lines if "results/small: " in line]


def test_copies_of_other_results_are_not_taken_for_done(copied: Workflow) -> None:
    shutil.rmtree(copied.folder / ".snakemake")
    config, crows = copy.deepcopy(copied.config), copied.folder / "crows.csv"
    copied.config["models"]["bert"]["seed"] = 7
    error = f"error: {NO_RECORD}, and they have other models; {REMEDY}"
    assert said(copied) == said(copied, "-n") == (1, [error])
    done = copied.snakemake("-n", "--forceall")
    assert done.returncode == 0 and "make_model" in done.stdout + done.stderr
    # of the same settings, from another file
    copied.config = config
    content = crows.read_bytes()
    crows.write_bytes(content + b"\n")
    status, (line,) = said(copied, "-n")
    start = f"error: {NO_RECORD}, and results/small/benchmarks/crows.parquet: "
    assert status == 1 and line.startswith(start)
    assert line.endswith(f"crows.csv is no longer the file that it was made from; {REMEDY}")
    # of the same files; how and where a study is run, and what is only shown, is none of its settings
    crows.write_bytes(content)
    copied.config["runtime"] = {"threads": 2}
    unknown = f"{NO_RECORD}: whether they are of just this study and code cannot be known; {REMEDY}"
    assert said(copied) == (0, [unknown])
    (copied.folder / "results/small/settings.json").unlink()
    status, (line,) = said(copied, "-n")
    assert status == 1 and f"{NO_RECORD}, and results/small/settings.json: cannot be read" in line
    # of unfinished results nothing is known
    (copied.folder / "results/small/SHA256SUMS").unlink()
    assert said(copied, "-n") == (0, [unknown])

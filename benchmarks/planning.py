"""What planning costs as a study grows, with nothing run: a table for docs/benchmarks-planning.md.

    python benchmarks/planning.py --models 10 20 50 200 --rounds 5

For each number of models, a study of them on four benchmarks, with the measures and controls that a study has
by default, is laid out in a temporary copy of the workflow as if it were finished: every output is a small
file, and `snakemake --touch` records how it was made. Then `snakemake` is run in three ways, in turns:

    nothing to do      the finished study
    one model more     `snakemake -n`, the finished study with one more model
    from nothing       `snakemake -n`, the study before anything is made

and it is checked that the first has nothing to be done and that the second runs the new model's jobs and the
aggregates alone. Given are the medians of processor seconds and, in brackets, of seconds on the clock. Before
that, the part that every command pays: the interpreter with Snakemake (`import snakemake.cli`), and with the
rules read (`snakemake --list-rules`).
"""

import argparse
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import yaml

from unmask.table_heads import CROWS_PAIRS

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests/workflow"))
from workflow_copy import copy_workflow

BENCHMARKS = 4
NOTHING, ADDED, FRESH = "nothing to do", "one model more", "from nothing"
AGGREGATES = {
    "all",
    "compare_models",
    "present_pairs",
    "report",
    "finish",
}
"""Rules over all models of a study."""

OF_BENCHMARKS = {"read_benchmark"}
"""Rules over each benchmark of a study, whichever models there are."""

# as `snakemake`, without the tenth of a second that it sleeps for each file it touches
TOUCH = (
    "from snakemake.executors import touch; touch.Executor.SLEEPING_TIME = 0; "
    "from snakemake.cli import main; main()"
)


@dataclass(frozen=True)
class Run:
    """A command that ended well: what it said, and its seconds."""

    said: str
    processor: float
    clock: float

    def jobs(self) -> dict[str, int]:
        """How many jobs of each rule it planned; their sum under `total`."""
        return {rule: int(number) for rule, number in re.findall(r"^(\w+) +(\d+)$", self.said, re.MULTILINE)}


def run(folder: Path, *command: str) -> Run:
    # as in a user's shell
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True
    )
    clock, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    said = done.stdout + done.stderr
    if done.returncode:
        sys.exit(f"error: {' '.join(command)} failed:\n{said}")
    processor = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return Run(said, processor, clock)


def snakemake(folder: Path, *arguments: str, study: str = "study.yaml") -> Run:
    return run(folder, "-m", "snakemake", "--cores", "1", "--configfile", study, *arguments)


def write_study(path: Path, models: int) -> None:
    study = {
        "study": "planning",
        "models": {
            f"model-{number:03}": {"source": "hub", "repo": f"someone/model-{number:03}"}
            for number in range(models)
        },
        "benchmarks": {
            f"benchmark-{number}": {"format": "crows-pairs", "path": "pairs.csv"}
            for number in range(BENCHMARKS)
        },
    }
    path.write_text(yaml.safe_dump(study))


def lay_out(folder: Path, models: int) -> None:
    """The workflow with the study in `folder`, nothing made."""
    copy_workflow(folder)
    # no more than the head of it is ever read
    (folder / "pairs.csv").write_text(",".join(CROWS_PAIRS) + "\n")
    write_study(folder / "study.yaml", models)
    write_study(folder / "more.yaml", models + 1)


def finish(folder: Path) -> None:
    """Make every output as a small file, and the records of how it was made."""
    for line in snakemake(folder, "--summary").said.splitlines():
        if line.startswith("results/"):
            path = folder / line.split("\t")[0]
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.name == "files":
                path.mkdir()
            else:
                path.write_text("made\n")
    # the one result that the workflow itself reads
    settings = Path("results/planning/settings.json")
    (folder / settings).unlink()
    snakemake(folder, "--forceall", "--allowed-rules", "finish", "--", str(settings))
    # forced, since results without a record are held against their checksums otherwise
    touch = ["--touch", "--forceall", "--cores", "1", "--quiet", "all", "--configfile", "study.yaml"]
    run(folder, "-c", TOUCH, *touch)


def check_finished(made: Run) -> None:
    if "Nothing to be done" not in made.said:
        sys.exit(f"error: the finished study has something to be done:\n{made.said}")


def check_added(planned: Run, fresh: Run, models: int) -> None:
    """Of the jobs that come with each model, those of one; and no benchmark is read again."""
    total = fresh.jobs()
    of_a_model = {
        rule: number // models for rule, number in total.items() if rule in of_models(total, models)
    }
    found = planned.jobs()
    own = {rule: number for rule, number in found.items() if not is_aggregate(rule)}
    if own != of_a_model:
        sys.exit(f"error: one more model makes {own} run, not {of_a_model}")


def of_models(jobs: dict[str, int], models: int) -> set[str]:
    """The rules that have a job for every model."""
    return {
        rule
        for rule, n in jobs.items()
        if rule not in OF_BENCHMARKS and not is_aggregate(rule) and n >= models
    }


def is_aggregate(rule: str) -> bool:
    """Whether a rule is about the whole study, or the line of the total."""
    return rule in AGGREGATES | {"total"}


def measure(models: int, rounds: int, parent: Path) -> tuple[int, int, dict[str, list[Run]]]:
    """The study's jobs, those of one more model, and `rounds` runs of each way."""
    folder, empty = parent / f"{models}-models", parent / f"{models}-models-fresh"
    lay_out(folder, models)
    lay_out(empty, models)
    finish(folder)
    runs: dict[str, list[Run]] = {NOTHING: [], ADDED: [], FRESH: []}
    for _ in range(rounds):
        runs[NOTHING].append(snakemake(folder))
        runs[ADDED].append(snakemake(folder, "-n", study="more.yaml"))
        runs[FRESH].append(snakemake(empty, "-n"))
    for made, planned, fresh in zip(*runs.values(), strict=True):
        check_finished(made)
        check_added(planned, fresh, models)
    return runs[FRESH][0].jobs()["total"], runs[ADDED][0].jobs()["total"], runs


def median(runs: list[Run]) -> str:
    processor = statistics.median(each.processor for each in runs)
    clock = statistics.median(each.clock for each in runs)
    return f"{processor:.1f} ({clock:.1f})"


def main() -> None:
    parser = argparse.ArgumentParser(description="What planning costs as a study grows.")
    parser.add_argument("--models", type=int, nargs="+", default=[10, 20, 50, 200])
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        parent = Path(name)
        lay_out(parent / "first", 1)
        ways = {
            "Snakemake imported": ["-c", "import snakemake.cli"],
            "and the rules read": ["-m", "snakemake", "--list-rules", "--configfile", "study.yaml"],
        }
        for way, command in ways.items():
            print(f"{way}: {median([run(parent / 'first', *command) for _ in range(arguments.rounds)])}")
        print()
        print(f"| models × {BENCHMARKS} | jobs | {NOTHING} | {ADDED} | its jobs | {FRESH} |")
        print("| --- | --- | --- | --- | --- | --- |")
        for models in arguments.models:
            jobs, added, runs = measure(models, arguments.rounds, parent)
            seconds = {way: median(of_way) for way, of_way in runs.items()}
            print(
                f"| {models} | {jobs} | {seconds[NOTHING]} | {seconds[ADDED]} | {added} | {seconds[FRESH]} |",
                flush=True,
            )


if __name__ == "__main__":
    main()

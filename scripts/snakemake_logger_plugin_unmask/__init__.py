"""How a run looks in a terminal: one line of what there is to do, how far it is, and what failed.

A plugin of Snakemake (`--logger unmask`), which finds it by the name of this package and loads it always.
So it imports nothing of the library: that beside the Snakefile is not yet on the path.
"""

import json
import time
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from logging import WARNING, LogRecord
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

LAST_LINES = 3
"""So many lines of a failed job's log are shown, where jobs run elsewhere (show-failed-logs)."""

WEIGHTS = {
    "evidence": 20,
    "make_model": 20,
    "fine_tune": 10,
    "make_model_of_model": 10,
    "count_shard": 5,
    "embed_stimuli": 5,
    "regional_likelihoods": 5,
}
"""How long jobs take beside others, roughly: those that run models, or read a corpus, take longest."""

ENOUGH = 0.2
"""From this share of the work on, the time that the rest will take is estimated."""

NO_WORK = ("all", "total")
"""What is counted with the jobs and is none."""

RECORDS = Path(".snakemake/metadata")
"""Where Snakemake writes down how long each job took."""

WIDTH = 80
"""Of a line, where the terminal does not say how wide it is."""

REPEATED = ("RuleException", "WorkflowError", "CalledProcessError", "At least one job", "Exiting because")
"""Messages of Snakemake on jobs that failed, each of which has said why itself."""


class LogHandler(LogHandlerBase):
    """Shows a run: in a terminal with a bar below all other lines, else with a line for each finished job."""

    def __post_init__(self) -> None:
        self.console = Console(stderr=True, highlight=False, soft_wrap=True)
        self.jobs: dict[int, str] = {}
        self.logs: dict[int, list[str]] = {}
        self.running: dict[int, float] = {}
        self.done, self.total, self.start = 0, 0, time.monotonic()
        self.work_done = self.work = 0.0
        self.rules: dict[int, str] = {}
        self.outputs: dict[int, list[str]] = {}
        self.bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[left]}"),
            console=self.console,
            transient=True,
            disable=not self.console.is_terminal,
        )
        self.task = self.bar.add_task("", total=None, left="")

    writes_to_stream = True
    writes_to_file = False
    has_filter = True
    has_formatter = True
    needs_rulegraph = False

    def emit(self, record: LogRecord) -> None:
        """Show one record of Snakemake's."""
        event = getattr(record, "event", None)
        match event:
            case LogEvent.RUN_INFO:
                self._begin(record)
            case LogEvent.JOB_INFO:
                self._describe(record)
            case LogEvent.JOB_STARTED:
                self._start(record)
            case LogEvent.JOB_FINISHED:
                self._finish(record)
            case LogEvent.JOB_ERROR:
                self._fail(record)
            case None if record.getMessage().startswith("Nothing to be done"):
                self._say("Nothing to do: all results are there, and up to date.")
            case None | LogEvent.ERROR if record.levelno >= WARNING:
                text = record.getMessage()
                if not text.startswith(REPEATED):
                    self._say(text)

    def close(self) -> None:
        """Leave the terminal as it was."""
        self.bar.stop()
        super().close()

    def _begin(self, record: Any) -> None:
        counts: Mapping[str, int] = record.stats
        if self.total:
            # a dry run says it again once it has described all jobs
            self._list_jobs()
            return
        rules = {rule: count for rule, count in counts.items() if rule not in NO_WORK}
        self.total = sum(rules.values())
        self.work = sum(WEIGHTS.get(rule, 1) * count for rule, count in rules.items())
        network = sum(count for rule, count in rules.items() if rule.startswith("fetch_"))
        downloads = (
            f"{network} of them download{'s' if network == 1 else ''}"
            if network
            else "none needs the network"
        )
        self._say(f"{self.total} job{'' if self.total == 1 else 's'}; {downloads}.")
        if not self.common_settings.dryrun:
            self.start = time.monotonic()
            self.bar.start()

    def _describe(self, record: Any) -> None:
        self.jobs[record.jobid] = record.rule_msg or record.rule_name
        self.logs[record.jobid] = list(record.log or ())
        self.rules[record.jobid] = record.rule_name
        self.outputs[record.jobid] = list(record.output or ())

    def _list_jobs(self) -> None:
        """What will run, a line for all jobs that do alike, and how long they took when they ran last."""
        jobs = [job for job, rule in self.rules.items() if rule not in NO_WORK]
        alike: dict[str, list[str]] = {}
        for job in jobs:
            verb, _, what = self.jobs[job].partition(" ")
            alike.setdefault(verb, []).append(what)
        for verb, things in alike.items():
            self._say(shortened(f"{len(things):4}  {verb} {'; '.join(dict.fromkeys(things))}", WIDTH))
        durations = [recorded_duration(self.outputs[job]) for job in jobs]
        known = [seconds for seconds in durations if seconds is not None]
        if known and len(known) == len(durations):
            self._say(f"When they ran last, they took {duration(sum(known))}, all of them added up.")

    def _start(self, record: Any) -> None:
        jobs = record.jobs if isinstance(record.jobs, list) else [record.jobs]
        self.running |= dict.fromkeys(jobs, time.monotonic())
        self._update()

    def _finish(self, record: Any) -> None:
        began = self.running.pop(record.job_id, None)
        rule = self.rules.get(record.job_id, "")
        if rule in NO_WORK:
            return
        self.done += 1
        self.work_done += WEIGHTS.get(rule, 1)
        if not self.console.is_terminal and began is not None:
            before = f"{self.done} of {self.total} done: "
            after = f" (took {duration(time.monotonic() - began)}){self._left('; ')}"
            what = shortened(self.jobs.get(record.job_id, ""), WIDTH - len(before + after))
            self._say(f"{before}{what}{after}")
        self._update()

    def _fail(self, record: Any) -> None:
        self.running.pop(record.jobid, None)
        logs = {
            log: Path(log).read_text(encoding="utf-8", errors="replace").splitlines()
            for log in self.logs.get(record.jobid, ())
            if Path(log).is_file()
        }
        self._say(f"failed: {self.jobs.get(record.jobid, record.rule_name)}")
        for log, lines in logs.items():
            if not self.common_settings.show_failed_logs:
                # the job has said why itself
                self._say(f"  its log: {log}")
                continue
            self._say(f"  {log} ends:")
            for line in lines[-LAST_LINES:]:
                self._say(f"    {line}")

    def _left(self, before: str = "") -> str:
        """How long the rest may take, where enough is done to say so; jobs differ, so it is rough."""
        if not self.work or not ENOUGH * self.work <= self.work_done < self.work:
            return ""
        seconds = (time.monotonic() - self.start) * (self.work - self.work_done) / self.work_done
        return f"{before}about {duration(seconds)} left"

    def _update(self) -> None:
        names = [self.jobs.get(job, "") for job in self.running]
        text = names[0] + (f" and {len(names) - 1} more" if len(names) > 1 else "") if names else ""
        self.bar.update(
            self.task,
            completed=self.done,
            total=self.total or None,
            description=shortened(text, max(20, self.console.width - 50)),
            left=self._left(),
        )

    def _say(self, text: str) -> None:
        # text of data is no markup of rich
        self.console.print(text, markup=False)


def recorded_duration(outputs: list[str]) -> float | None:
    """How long the job of these outputs took when it ran last, in seconds; None where nobody knows."""
    for output in outputs:
        record = RECORDS / urlsafe_b64encode(output.encode()).decode()
        try:
            times = json.loads(record.read_text(encoding="utf-8"))
            return float(times["endtime"]) - float(times["starttime"])
        except (OSError, ValueError, KeyError, TypeError):
            # no record, or one in another form: then no time is said
            continue
    return None


def shortened(text: str, width: int) -> str:
    """The text, of at most so many characters."""
    return text if len(text) <= width else f"{text[: width - 1]}…"


def duration(seconds: float) -> str:
    """A time to wait, in seconds, minutes or hours."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60:02d} min"

"""How a run looks in a terminal: one line of what there is to do, how far it is, and what failed.

A plugin of Snakemake (`--logger unmask`), which finds it by the name of this package and loads it always.
So it imports nothing of the library: that beside the Snakefile is not yet on the path.
"""

import time
from collections.abc import Mapping
from logging import WARNING, LogRecord
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

LAST_LINES = 3
"""So many lines of a failed job's log are shown."""

WEIGHTS = {
    "evidence": 20,
    "train_model": 20,
    "fine_tune": 10,
    "debias_model": 10,
    "count_shard": 5,
    "embed_stimuli": 5,
    "regional_likelihoods": 5,
}
"""How long jobs take beside others, roughly: those that run models, or read a corpus, take longest."""

ENOUGH = 0.2
"""From this share of the work on, the time that the rest will take is estimated."""

NO_WORK = ("all", "total")
"""What is counted with the jobs and is none."""

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
            # a dry run says it twice
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
        if self.common_settings.dryrun:
            for rule, count in sorted(rules.items(), key=lambda item: -item[1]):
                self._say(f"{count:6} {rule}")
        else:
            self.start = time.monotonic()
            self.bar.start()

    def _describe(self, record: Any) -> None:
        self.jobs[record.jobid] = record.rule_msg or record.rule_name
        self.logs[record.jobid] = list(record.log or ())
        self.rules[record.jobid] = record.rule_name

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
            what = self.jobs.get(record.job_id, "")
            self._say(
                f"[{self.done}/{self.total}] {what} ({duration(time.monotonic() - began)}){self._left('; ')}"
            )
        self._update()

    def _fail(self, record: Any) -> None:
        self.running.pop(record.jobid, None)
        self._say(f"failed: {self.jobs.get(record.jobid, record.rule_name)}")
        for log in self.logs.get(record.jobid, ()):
            if Path(log).is_file():
                self._say(f"  {log} ends:")
                lines = Path(log).read_text(encoding="utf-8", errors="replace").splitlines()
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
        width = max(20, self.console.width - 50)
        text = text if len(text) <= width else f"{text[: width - 1]}…"
        self.bar.update(
            self.task, completed=self.done, total=self.total or None, description=text, left=self._left()
        )

    def _say(self, text: str) -> None:
        # text of data is no markup of rich
        self.console.print(text, markup=False)


def duration(seconds: float) -> str:
    """A time to wait, in seconds, minutes or hours."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60:02d} min"

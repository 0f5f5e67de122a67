"""How a run looks in a terminal: what there is to do, a line for each finished job, and what failed.

A plugin of Snakemake (`--logger unmask`), which finds it by the name of this package and loads it always.
So it imports nothing of the library: that beside the Snakefile is not yet on the path.
"""

import sys
import time
from datetime import timedelta
from logging import WARNING, LogRecord
from pathlib import Path
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

LAST_LINES = 3
"""So many lines of a failed job's log are shown, where jobs run elsewhere (show-failed-logs)."""

NO_WORK = ("all", "total")
"""What is counted with the jobs and is none."""

WIDTH = 80
"""Of a line on one job, or on jobs of one kind."""

REPEATED = (
    *("RuleException", "WorkflowError", "CalledProcessError", "At least one job", "Exiting because"),
    # the list of evidence, of a job that had made none
    "Cannot restore",
)
"""Messages of Snakemake on jobs that failed, each of which has said why itself."""


class LogHandler(LogHandlerBase):
    """Shows a run on stderr."""

    def __post_init__(self) -> None:
        self.jobs: dict[int, Any] = {}
        self.begun: dict[int, float] = {}
        self.done, self.total = 0, 0

    writes_to_stream = True
    writes_to_file = False
    has_filter = True
    has_formatter = True
    needs_rulegraph = False

    def emit(self, record: LogRecord) -> None:
        """Show one record of Snakemake's."""
        about: Any = record
        match getattr(record, "event", None):
            case LogEvent.RUN_INFO if self.total:
                # a dry run says it again once it has described all jobs
                self._list_jobs()
            case LogEvent.RUN_INFO:
                self._begin({rule: count for rule, count in about.stats.items() if rule not in NO_WORK})
            case LogEvent.JOB_INFO:
                self.jobs[about.jobid] = about
            case LogEvent.JOB_STARTED:
                jobs = about.jobs if isinstance(about.jobs, list) else [about.jobs]
                self.begun |= dict.fromkeys(jobs, time.monotonic())
            case LogEvent.JOB_FINISHED:
                self._finish(about.job_id)
            case LogEvent.JOB_ERROR:
                self._fail(about)
            case None if record.getMessage().startswith("Nothing to be done"):
                _say("Nothing to do: all results are there, and up to date.")
            case None | LogEvent.ERROR if record.levelno >= WARNING:
                if not record.getMessage().startswith(REPEATED):
                    _say(record.getMessage())

    def _begin(self, rules: dict[str, int]) -> None:
        self.total = sum(rules.values())
        network = sum(count for rule, count in rules.items() if rule.startswith("fetch_"))
        downloads = (
            f"{network} of them download{'s' * (network == 1)}" if network else "none needs the network"
        )
        _say(f"{self.total} job{'s' * (self.total != 1)}; {downloads}.")

    def _list_jobs(self) -> None:
        """What will run, a line for all jobs of a rule."""
        of_rules: dict[str, list[str]] = {}
        for job in self.jobs.values():
            if job.rule_name not in NO_WORK:
                of_rules.setdefault(job.rule_name, []).append(_words(job))
        for rule, jobs in of_rules.items():
            _say(_shortened(f"{len(jobs):4}  {rule}: {'; '.join(jobs)}", WIDTH))

    def _finish(self, number: int) -> None:
        job, began = self.jobs.get(number), self.begun.pop(number, None)
        if job is None or began is None or job.rule_name in NO_WORK:
            return
        self.done += 1
        before, after = (
            f"{self.done} of {self.total} done: ",
            f" (took {timedelta(seconds=round(time.monotonic() - began))})",
        )
        _say(f"{before}{_shortened(_words(job), WIDTH - len(before + after))}{after}")

    def _fail(self, record: Any) -> None:
        job = self.jobs.get(record.jobid)
        _say(f"failed: {_words(job) if job else record.rule_name}")
        for log in filter(Path.is_file, map(Path, (job and job.log) or ())):
            if not self.common_settings.show_failed_logs:
                # the job has said why itself
                _say(f"  its log: {log}")
                continue
            lines = log.read_text(encoding="utf-8", errors="replace").splitlines()[-LAST_LINES:]
            _say("\n    ".join([f"  {log} ends:", *lines]))


def _words(job: Any) -> str:
    return str(job.rule_msg or job.rule_name)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _shortened(text: str, width: int) -> str:
    """The text, of at most so many characters."""
    return text if len(text) <= width else f"{text[: width - 1]}…"

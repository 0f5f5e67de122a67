"""An executor that runs each job in an empty folder of its own, as machines without shared files do."""

import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from snakemake_interface_executor_plugins.executors.base import SubmittedJobInfo
from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor
from snakemake_interface_executor_plugins.jobs import JobExecutorInterface
from snakemake_interface_executor_plugins.settings import CommonSettings

common_settings = CommonSettings(
    non_local_exec=True,
    implies_no_shared_fs=True,
    job_deploy_sources=True,
    pass_default_storage_provider_args=True,
    pass_default_resources_args=True,
    pass_envvar_declarations_to_cmd=True,
    auto_deploy_default_storage_provider=False,
    init_seconds_before_status_checks=0,
)


class Executor(RemoteExecutor):  # type: ignore[misc]
    """Jobs are processes here, which see nothing of the folder that Snakemake runs in."""

    def run_job(self, job: JobExecutorInterface) -> None:
        folder = tempfile.mkdtemp(prefix=f"{job.name}-")
        resources = {name: str(value) for name, value in job.resources.items()}
        Path(folder, "asked.json").write_text(json.dumps(resources))
        with open(Path(folder, "log"), "wb") as log:
            process = subprocess.Popen(
                self.format_job_exec(job), shell=True, cwd=folder, stdout=log, stderr=subprocess.STDOUT
            )
        self.report_job_submission(SubmittedJobInfo(job, aux={"process": process, "folder": folder}))

    async def check_active_jobs(self, active_jobs: list[SubmittedJobInfo]) -> AsyncIterator[SubmittedJobInfo]:
        await asyncio.sleep(0.2)
        for each in active_jobs:
            status = each.aux["process"].poll()
            if status is None:
                yield each
            elif status == 0:
                self.report_job_success(each)
            else:
                print(Path(each.aux["folder"], "log").read_text(), file=sys.stderr)
                self.report_job_error(each)

    def cancel_jobs(self, active_jobs: list[SubmittedJobInfo]) -> None:
        for each in active_jobs:
            each.aux["process"].kill()

    def get_python_executable(self) -> str:
        return sys.executable

"""Check the files of a task; then read it, or make one.

The tables say the code of read_task.py, which is all that they depend on, and the rule is run again for that
alone. So another check is for tasks that are new or changed: no model is fine-tuned anew.
"""

import runpy  # noqa: TID251  the rule has the digest of what is run
from pathlib import Path
from typing import TYPE_CHECKING

from unmask.downloads import reading_download
from unmask.downstream.given_files import check_files
from unmask.errors import InputError
from unmask.given import unchanged
from unmask.joblog import job_log

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.given):
    files = {
        name: [Path(each) for each in ([found] if isinstance(found, str) else found)]
        for name, found in snakemake.input.items()
    }
    try:
        check_files(files, snakemake.params.entry)
    except InputError as error:
        # where it was downloaded, how it is fetched again
        paths = [path for those in files.values() for path in those]
        named = next((path for path in paths if str(error).startswith(str(path))), None)
        with reading_download(named or ""):
            raise InputError(f"task {snakemake.params.name}: {error}") from None
runpy.run_path(str(Path(__file__).with_name("read_task.py")), init_globals={"snakemake": snakemake})

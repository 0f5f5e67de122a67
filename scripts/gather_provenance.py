"""Gather where everything came from into one list for the report."""

import json
from typing import TYPE_CHECKING

from unmask.files import write_text
from unmask.joblog import job_log
from unmask.report.provenance import gather

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0]):
    made_from = snakemake.input
    sections = gather(
        dict(snakemake.params.study),
        made_from.manifests,
        made_from.downloads,
        made_from.benchmarks,
        made_from.scores,
        made_from.statistics,
        made_from.get("counts", []),
        made_from.get("precision", []),
    )
    write_text(snakemake.output[0], json.dumps(sections, indent=1, ensure_ascii=False) + "\n")

"""Make the tables of the paper and the tidy tables of the whole study."""

from typing import TYPE_CHECKING

from unmask.files import write_text
from unmask.given import unchanged
from unmask.joblog import job_log
from unmask.pairs.results import Results
from unmask.report.csv_text import csv_text
from unmask.report.rendering import latex, markdown
from unmask.report.study import Study
from unmask.statistics.schema import NEAR_TIES

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.given):
    params, inputs = snakemake.params, dict(snakemake.input.items())
    study = Study.from_config(params.models, params.benchmarks)
    near_ties = study.collect(inputs.pop("near_ties"), NEAR_TIES)
    results = Results.gather(study, **inputs, alpha=params.alpha)

    tidy = results.tidy() | {"near_ties": near_ties}
    texts = {f"{name}_csv": csv_text(rows) for name, rows in tidy.items()}
    for name, sheet in results.sheets().items():
        texts |= {f"{name}_md": markdown(sheet), f"{name}_tex": latex(sheet)}
    for name, text in texts.items():
        write_text(snakemake.output[name], text)

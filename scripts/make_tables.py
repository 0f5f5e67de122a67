"""Make the tables of the paper and the tidy tables of the whole study."""

from typing import TYPE_CHECKING

from unmask.files import write_text
from unmask.joblog import job_log
from unmask.report.rendering import latex, markdown
from unmask.report.results import Results
from unmask.report.study import Study

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0]):
    params = snakemake.params
    study = Study.from_config(params.models, params.benchmarks)
    results = Results.gather(study, **dict(snakemake.input.items()), alpha=params.alpha)

    texts = {f"{name}_csv": rows.to_csv(index=False) for name, rows in results.tidy().items()}
    for name, sheet in results.sheets().items():
        texts |= {f"{name}_md": markdown(sheet), f"{name}_tex": latex(sheet)}
    for name, text in texts.items():
        write_text(snakemake.output[name], text)

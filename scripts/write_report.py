"""Write the report: one HTML page that needs nothing but itself."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from unmask.files import write_text
from unmask.joblog import job_log
from unmask.report.frequency import FREQUENCY_INPUTS, FrequencySection
from unmask.report.page import render_page
from unmask.report.results import Results
from unmask.report.study import Study
from unmask.report.truth import gather_truth

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0]):
    params, made_from = snakemake.params, dict(snakemake.input.items())
    study = Study.from_config(params.models, params.benchmarks)
    figures = {
        name: Path(made_from.pop(name)).read_text(encoding="utf-8") for name in ("figure1", "bias_figure")
    }
    provenance = json.loads(Path(made_from.pop("provenance")).read_bytes())
    truths, scores = made_from.pop("truths", []), made_from.pop("scores", [])
    planted = gather_truth(study, truths, scores) if truths else None
    of_frequency = {name: made_from.pop(name) for name in FREQUENCY_INPUTS if name in made_from}
    results = Results.gather(study, **made_from, alpha=params.alpha)
    frequency = of_frequency and FrequencySection.gather(
        study, truths, results.captions, params.alpha, **of_frequency
    )
    page = render_page(params.title, results, figures, provenance, planted, frequency or None)
    write_text(snakemake.output[0], page)

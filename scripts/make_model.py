"""Make a model of the study in the way of its source."""

from unmask.models.job import ModelJob, making_job
from unmask.files import write_facts
from unmask.models.checking import write_manifest
from unmask.models.training import work_folder
from unmask.plugins import load

with making_job("model {params.name}") as run:
    output, params = run.output, run.params
    about = {**params.entry, **run.record()}
    with work_folder(output.directory, {**about, "settings": dict(params.settings)}) as work:
        facts = about | load("sources", params.source).make(run, work)
    if isinstance(run, ModelJob):
        facts["device"] = run.device.name
    write_facts(output.facts, facts)
    write_manifest(output.manifest, params.manifest, [output.facts])

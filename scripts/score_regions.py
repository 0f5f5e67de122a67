"""Run one model over the sentences of all regions and one list of words: the table LIKELIHOODS."""

from pathlib import Path

from unmask.models.job import model_job
from unmask.evidence.tables import model_facts
from unmask.models.loading import load
from unmask.regional.herb import Tree
from unmask.regional.likelihoods import write_likelihoods
from unmask.regional.schema import REGIONS, WORDS
from unmask.tables import read_table

with model_job("model {params.model}, list {params.list}") as run:
    params, manifest = run.params, run.manifest
    provenance = run.record()
    facts = {
        "model": params.model,
        "list": params.list,
        "template": params.template,
        "dtype": params.dtype,
        **model_facts(manifest, run.device.name),
        "manifest": provenance["made_from"][run.input.manifest],
        **provenance,
    }
    regions = read_table(run.input.regions, REGIONS)
    if params.released:
        # what the scores would say only after all sentences
        Tree(regions).check_levels()
    write_likelihoods(
        Path(run.output[0]),
        regions,
        read_table(run.input.words, WORDS),
        params.list,
        load(manifest["directory"], run.device, with_attention=False, dtype=params.dtype),
        params.template,
        manifest["max_length"],
        facts,
        params.released,
    )

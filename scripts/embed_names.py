"""Embed the names of the regions of Figure 3 with a model, each by itself."""

from unmask.models.job import model_job
from unmask.models.embedding import MEAN_CONTENT, embed, load_encoder
from unmask.regional.regions import laid_out
from unmask.regional.schema import NAME_VECTORS, REGIONS
from unmask.tables import read_table, write_table

with model_job("model {params.model}") as run:
    regions = laid_out(read_table(run.input.regions, REGIONS))
    names, manifest = list(regions["name"]), run.manifest
    encoder = load_encoder(manifest["directory"], "masked-lm", run.device, manifest["max_length"])
    vectors = embed(encoder, names, [None] * len(names), [MEAN_CONTENT])[MEAN_CONTENT]
    rows = regions[["region"]].assign(vector=list(vectors))
    facts = {"model": run.params.model, "device": run.device.name, **run.record()}
    write_table(run.output[0], rows, NAME_VECTORS, facts)

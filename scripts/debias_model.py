"""Debias a model of the study."""

from pathlib import Path

from unmask.models.job import model_job
from unmask.debiasing.data import Base, Texts, read_words
from unmask.facts import write_facts
from unmask.gendered_words import read_word_pairs
from unmask.models.kinds import write_manifest
from unmask.models.training import work_folder
from unmask.plugins import load

with model_job("model {params.name}") as run:
    inputs, output, params, entry = run.input, run.output, run.params, run.params.entry
    neutral = inputs.get("neutral")
    texts = Texts(
        lines=Path(inputs.texts),
        held_out=params.held_out,
        neutral=Path(neutral) if neutral else None,
        words=read_word_pairs(inputs.words),
        stereotypes=read_words(inputs.stereotypes),
    )
    provenance = run.record()
    with work_folder(output.directory, {"entry": dict(entry), "made": provenance}) as work:
        facts = load("debiasing", params.module).debias(
            Base(Path(run.manifest["directory"]), run.manifest["max_length"]),
            texts,
            entry,
            Path(output.directory),
            work,
            run.device,
        )
    keys = ("from", "method", "protocol", "seed", "training", "options")
    write_facts(
        output.facts,
        {key: entry[key] for key in keys} | facts | provenance | {"device": run.device.name},
    )
    write_manifest(output.manifest, params.manifest, [output.facts])

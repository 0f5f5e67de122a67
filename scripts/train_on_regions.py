"""Train a model of the study on the sentences on regions that it finds the most likely."""

from unmask.models.job import model_job
from unmask.facts import write_facts
from unmask.models.kinds import write_manifest
from unmask.models.training import work_folder
from unmask.regional.further_training import likely_sentences, train_on
from unmask.regional.schema import LIKELIHOODS, WORDS
from unmask.tables import read_metadata, read_table

with model_job("model {params.name}") as run:
    params, output, likelihoods = run.params, run.output, run.input.likelihoods
    words = read_table(run.input.words, WORDS).query("list == @params.list")["word"]
    keys = ("from", "epochs", "top", "learning_rate", "seed")
    about = {key: params.entry[key] for key in keys} | {"list": params.list} | run.record()
    template = read_metadata(likelihoods)["template"]
    sentences = likely_sentences(
        read_table(likelihoods, LIKELIHOODS), list(words), template, params.entry["top"]
    )
    with work_folder(output.directory, about) as work:
        facts = train_on(
            run.manifest["directory"],
            sentences,
            output.directory,
            params.entry,
            run.device,
            run.manifest["max_length"],
            work,
        )
    write_facts(output.facts, about | facts | {"device": run.device.name})
    write_manifest(output.manifest, params.manifest, [output.facts])

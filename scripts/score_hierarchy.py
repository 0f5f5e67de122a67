"""Score the regional bias of one model over the tree of regions, with what chance alone gives."""

from unmask.job import job
from unmask.regional.herb import FAMILY, Tree, read_likelihoods, rows_of, score_table
from unmask.regional.schema import REGIONS, SCORES, WORDS
from unmask.regional.terms import FULL, PUBLISHED
from unmask.regional.words import word_sets
from unmask.tables import read_table, write_table

with job() as run:
    regions, words = read_table(run.input.regions, REGIONS), read_table(run.input.words, WORDS)
    by_protocol = {
        protocol: (read_likelihoods(run.input.released), words["word_published"])
        if protocol == PUBLISHED
        else (read_likelihoods(run.input.likelihoods), words["word"])
        for protocol in run.params.protocols
    }
    sets = {
        name: {
            protocol: rows_of(list(regions["name"]), list(of_list.iloc[rows]), likelihoods)
            for protocol, (likelihoods, of_list) in by_protocol.items()
        }
        for name, rows in word_sets(words).items()
    }
    chance = {key: run.params[key] for key in ("draws", "seed", "confidence")}
    scores = score_table(Tree(regions), sets, {FULL, *words["list"]}, **chance)
    facts = {"model": run.params.model, **chance, "holm": FAMILY, **run.record()}
    write_table(run.output[0], scores, SCORES, facts)

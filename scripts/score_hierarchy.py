"""Score the regional bias of one model over the tree of regions, with what chance alone gives."""

from unmask.job import job
from unmask.regional.herb import FAMILY, Rows, Tree, read_likelihoods, rows_of, score_table
from unmask.regional.schema import REGIONS, SCORES, WORDS
from unmask.regional.terms import FULL, PUBLISHED
from unmask.regional.words import word_sets
from unmask.tables import read_table, write_table

with job() as run:
    regions, words = read_table(run.input.regions, REGIONS), read_table(run.input.words, WORDS)
    sets: dict[str, dict[str, Rows]] = {name: {} for name in word_sets(words)}
    for protocol in run.params.protocols:
        released = protocol == PUBLISHED
        tables, column = (
            (run.input.released, "word_published") if released else (run.input.likelihoods, "word")
        )
        paths = dict(zip(words["list"].unique(), tables, strict=True))
        likelihoods, keys = read_likelihoods(paths), list(zip(words["list"], words[column], strict=True))
        for name, rows in word_sets(words).items():
            of_set = [keys[row] for row in rows]
            sets[name][protocol] = rows_of(list(regions["name"]), of_set, likelihoods)
    chance = {key: run.params[key] for key in ("draws", "seed", "confidence")}
    scores = score_table(Tree(regions), sets, {FULL, *words["list"]}, **chance)
    facts = {"model": run.params.model, **chance, "holm": FAMILY, **run.record()}
    write_table(run.output[0], scores, SCORES, facts)

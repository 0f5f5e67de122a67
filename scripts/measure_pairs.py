"""Measure one model on one benchmark: scores, statistics, what the explorer shows, frequency.

The evidence is read once for all of it. What the study, or this model, lacks is a table without rows.
"""

from unmask.job import job
from unmask.benchmarks.schema import PAIRS
from unmask.evidence.lists import listed
from unmask.files import write_facts
from unmask.frequency.correlation import link_table
from unmask.frequency.schema import CORRELATIONS
from unmask.measures.scoring import SCORES, read_scores
from unmask.pairs.explorer import explored, shown_pairs
from unmask.pairs.measuring import Variant, statistics_of
from unmask.statistics.schema import FLAWS, SCHEMAS
from unmask.tables import read_table, write_table
from unmask.terms import ORIGINAL, SHUFFLED

with job("model {wildcards.model}, benchmark {wildcards.benchmark}") as run:
    inputs, outputs, params = run.input, run.output, run.params
    place, facts, tables = dict(run.wildcards.items()), run.record(), listed(inputs.evidence)
    pairs, flaws = read_table(inputs.pairs, PAIRS), read_table(inputs.flaws, FLAWS)
    original = Variant.read(tables, ORIGINAL, params.scored_measures, pairs)
    shuffled = Variant.read(tables, SHUFFLED, params.shuffled_measures, pairs)
    paths, scores = {original: outputs.scores, shuffled: outputs.shuffled_scores}, {}
    for variant, path in paths.items():
        # the evidence may be removed later; where it came from stays
        stated = {**place, "variant": variant.name, "evidence": variant.facts, **facts}
        write_table(path, variant.scores(pairs), SCORES, stated)
        scores[variant.name] = read_scores(path, params.measures)
    # all else is made from these, too
    facts = place | run.record([*inputs, *paths.values()])
    if outputs.get("frequency"):
        links = link_table(pairs, scores[ORIGINAL], inputs.ratios, params.options["confidence"])
        write_table(outputs.frequency, links, CORRELATIONS, facts)
    shown = shown_pairs(pairs, params.explored)
    packed = explored(shown, scores[ORIGINAL], original.measures, original.evidence, original.likeliest)
    write_facts(outputs.explored, {**packed, **facts})
    networks = [table for list_ in inputs.untrained for table in listed(list_).values()]
    # unknown tokens: of both sides of all pairs
    stated = {"options": dict(params.options), "unknown_tokens": original.unknown_tokens, **facts}
    untrained = [read_scores(path, params.measures) for path in networks]
    computed = statistics_of(pairs, flaws, original, shuffled, scores, untrained, params.options)
    for name in computed.keys() & outputs.keys():
        write_table(outputs[name], computed[name], SCHEMAS[name], stated)

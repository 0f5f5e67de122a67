"""Measure one model on one benchmark: scores, statistics, what the explorer shows, frequency.

The evidence is read once for all of it. What the study, or this model, lacks is a table without rows.
"""

from unmask.job import job
from unmask.benchmarks.schema import PAIRS
from unmask.evidence.schema import LIKELIEST
from unmask.files import listed, write_facts
from unmask.frequency.correlation import link_table
from unmask.frequency.schema import CORRELATIONS
from unmask.measures.formulas import maskings_of
from unmask.measures.scoring import SCORES, read_scores, score_pairs
from unmask.pairs.explorer import explored, shown_pairs
from unmask.pairs.measuring import compute, read_evidence
from unmask.statistics.schema import FLAWS, SCHEMAS
from unmask.statistics.scores import decisions
from unmask.tables import framed, read_metadata, read_table, write_table
from unmask.terms import ORIGINAL, SHUFFLED

with job("model {wildcards.model}, benchmark {wildcards.benchmark}") as run:
    inputs, outputs, params = run.input, run.output, run.params
    place, facts, tables = dict(run.wildcards.items()), run.record(), listed(inputs.evidence)
    pairs, flaws = read_table(inputs.pairs, PAIRS), read_table(inputs.flaws, FLAWS)
    measures = {ORIGINAL: params.scored_measures, SHUFFLED: params.shuffled_measures}
    paths = {ORIGINAL: outputs.scores, SHUFFLED: outputs.shuffled_scores}
    evidence, origins, scores = {}, {}, {}
    for variant, path in paths.items():
        files = {each: tables[f"{variant}/{each}.parquet"] for each in maskings_of(measures[variant])}
        rows = evidence[variant] = {masking: read_evidence(file, pairs) for masking, file in files.items()}
        # the evidence may be removed later; where it came from stays
        of = origins[variant] = {masking: read_metadata(file) for masking, file in files.items()}
        # those of an exact model have no float error
        exact = all(each.get("dtype") == "float64" for each in of.values())
        ids, of_variant = list(pairs["pair_id"]), measures[variant]
        table = score_pairs(ids, rows, of_variant, exact) if of_variant else framed([], SCORES)
        write_table(path, table, SCORES, {**place, "variant": variant, "evidence": of, **facts})
        scores[variant] = read_scores(path, params.measures)
    # all else is made from these, too
    facts = place | run.record([*inputs, *paths.values()])
    if outputs.get("frequency"):
        links = link_table(pairs, scores[ORIGINAL], inputs.ratios, params.options["confidence"])
        write_table(outputs.frequency, links, CORRELATIONS, facts)
    shown = shown_pairs(pairs, params.explored)
    tops = {masking: tables.get(f"{ORIGINAL}/{masking}.top.parquet") for masking in evidence[ORIGINAL]}
    likeliest = {masking: read_table(path, LIKELIEST) for masking, path in tops.items() if path}
    packed = explored(shown, scores[ORIGINAL], measures[ORIGINAL], evidence[ORIGINAL], likeliest)
    write_facts(outputs.explored, {**packed, **facts})
    networks = [table for list_ in inputs.untrained for table in listed(list_).values()]
    untrained = [decisions(pairs, read_scores(path, params.measures)) for path in networks]
    decided = {variant: decisions(pairs, scores[variant]) for variant, rows in evidence.items() if rows}
    # of both sides of all pairs; of models without a tokenizer none
    unknown = next(iter(origins[ORIGINAL].values()), {}).get("unknown_tokens")
    unknown_id = unknown["id"] if unknown else None
    computed = compute(pairs, flaws, decided, evidence, params.options, untrained, unknown_id=unknown_id)
    stated = {"options": dict(params.options), "unknown_tokens": unknown, **facts}
    for name in computed.keys() & outputs.keys():
        write_table(outputs[name], computed[name], SCHEMAS[name], stated)

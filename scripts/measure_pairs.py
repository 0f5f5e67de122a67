"""Measure one model on one benchmark: scores, statistics, what the explorer shows, frequency.

All but scores and statistics are made where they are asked for. The evidence is read once for all of it.
"""

from unmask.job import job
from unmask.benchmarks.schema import PAIRS
from unmask.errors import InputError
from unmask.evidence.lists import listed
from unmask.evidence.schema import LIKELIEST, read_evidence
from unmask.facts import write_facts
from unmask.files import sha256_of_file
from unmask.frequency.correlation import correlation_table
from unmask.frequency.schema import CORRELATIONS, PAIR_RATIOS
from unmask.measures.formulas import maskings_of
from unmask.measures.schema import SCORES, read_scores
from unmask.measures.scoring import is_exact, score_pairs, without_float_error
from unmask.pairs.explorer import explored, shown_pairs
from unmask.statistics.computing import Measured, compute
from unmask.statistics.decisions import decisions
from unmask.statistics.schema import FLAWS, SCHEMAS
from unmask.tables import read_metadata, read_table, write_table
from unmask.terms import ORIGINAL, SHUFFLED

with job("model {wildcards.model}, benchmark {wildcards.benchmark}") as run:
    inputs, outputs, params = run.input, dict(run.output.items()), run.params
    place, measures = dict(run.wildcards.items()), params.measures
    pairs = read_table(inputs.pairs, PAIRS)
    flaws = read_table(inputs.flaws, FLAWS)
    if list(flaws["pair_id"]) != list(pairs["pair_id"]):
        raise InputError(f"{inputs.flaws}: not of the pairs of this benchmark; delete it and run again")

    tables, provenance = listed(inputs.evidence), run.record()
    # by variant, evidence by masking and its facts; variants without scores to write are not read
    evidence, origin, scores = {}, {}, {}
    for variant, output, of_variant in (
        (ORIGINAL, "scores", params.scored_measures),
        (SHUFFLED, "shuffled_scores", params.shuffled_measures),
    ):
        if output not in outputs:
            continue
        paths = {masking: tables[f"{variant}/{masking}.parquet"] for masking in maskings_of(of_variant)}
        evidence[variant] = {masking: read_evidence(path, pairs) for masking, path in paths.items()}
        origin[variant] = {masking: read_metadata(path) for masking, path in paths.items()}
        rows = score_pairs(list(pairs["pair_id"]), evidence[variant], of_variant)
        if all(map(is_exact, origin[variant].values())):
            rows = without_float_error(rows)
        # the evidence may be removed later; where it came from stays
        facts = {**place, "variant": variant, "evidence": origin[variant], **provenance}
        write_table(outputs[output], rows, SCORES, facts)
        scores[variant] = read_scores(outputs[output], measures)
    # all else is made from these, too
    for name in outputs.keys() & {"scores", "shuffled_scores"}:
        provenance["made_from"][outputs[name]] = sha256_of_file(outputs[name])

    if "frequency" in outputs:
        ratios = read_table(inputs.ratios, PAIR_RATIOS)
        correlations = correlation_table(pairs, scores[ORIGINAL], ratios, params.options["confidence"])
        write_table(outputs["frequency"], correlations, CORRELATIONS, {**place, **provenance})
    if "explored" in outputs:
        # of a model without files, or of a study that does not want them, there are none
        tops = {masking: tables.get(f"{ORIGINAL}/{masking}.top.parquet") for masking in evidence[ORIGINAL]}
        likeliest = {masking: read_table(path, LIKELIEST) for masking, path in tops.items() if path}
        shown = shown_pairs(pairs, params.most)
        packed = explored(shown, scores[ORIGINAL], evidence[ORIGINAL], params.scored_measures, likeliest)
        write_facts(outputs["explored"], {**place, **packed, **provenance})
    # evidence of a model without a tokenizer says nothing of it
    unknown = next(iter(origin[ORIGINAL].values())).get("unknown_tokens")
    measured = {
        variant: Measured(decisions(pairs, rows), evidence[variant]) for variant, rows in scores.items()
    }
    networks = listed(inputs.untrained).values() if inputs.get("untrained") else ()
    computed = compute(
        pairs,
        flaws,
        measured[ORIGINAL],
        params.options,
        measured.get(SHUFFLED),
        untrained=[decisions(pairs, read_scores(path, measures)) for path in networks],
        unknown_id=unknown and unknown["id"],
    )
    # unknown tokens: of both sides of all pairs
    facts = {**place, "options": dict(params.options), "unknown_tokens": unknown, **provenance}
    for name, rows in computed.items():
        if name in outputs:
            write_table(outputs[name], rows, SCHEMAS[name], facts)

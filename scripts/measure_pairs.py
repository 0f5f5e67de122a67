"""Measure one model on one benchmark: scores, statistics, what the explorer shows, frequency.

All but scores are made where they are asked for. The evidence is read once for all of it.
"""

from unmask.job import job
from unmask.benchmarks.schema import PAIRS
from unmask.errors import InputError
from unmask.evidence.lists import listed
from unmask.evidence.schema import LIKELIEST
from unmask.facts import write_facts
from unmask.files import sha256_of_file
from unmask.frequency.correlation import correlation_table
from unmask.frequency.schema import CORRELATIONS, PAIR_RATIOS
from unmask.measures.formulas import maskings_of
from unmask.measures.schema import SCORES, read_scores
from unmask.measures.scoring import is_exact
from unmask.pairs.explorer import explored, shown_pairs
from unmask.pairs.measuring import Reading
from unmask.statistics.computing import EvidenceCounts, compute
from unmask.statistics.decisions import decisions
from unmask.statistics.schema import FLAWS, SCHEMAS
from unmask.tables import read_metadata, read_table, write_batches, write_table
from unmask.terms import ORIGINAL, SHUFFLED

with job("model {wildcards.model}, benchmark {wildcards.benchmark}") as run:
    inputs, outputs, params = run.input, dict(run.output.items()), run.params
    place, measures = dict(run.wildcards.items()), params.measures
    pairs = read_table(inputs.pairs, PAIRS)
    # of a model after fine-tuning there are scores alone
    flaws = read_table(inputs.flaws, FLAWS) if inputs.get("flaws") else None
    if flaws is not None and list(flaws["pair_id"]) != list(pairs["pair_id"]):
        raise InputError(f"{inputs.flaws}: not of the pairs of this benchmark; delete it and run again")

    tables, maskings = listed(inputs.evidence), maskings_of(measures)
    files = {masking: tables[f"{ORIGINAL}/{masking}.parquet"] for masking in maskings}
    # of a model without files, or of a study that does not want them, there are none
    tops = {masking: f"{ORIGINAL}/{masking}.top.parquet" for masking in maskings}
    likeliest = {masking: tables[name] for masking, name in tops.items() if name in tables}
    of_shuffled = {}
    if "shuffled_scores" in outputs:
        (masking,) = maskings_of(params.shuffled_measures)
        of_shuffled = {SHUFFLED: tables[f"{SHUFFLED}/{masking}.parquet"]}
    origin = {masking: read_metadata(path) for masking, path in files.items()}
    # evidence of a model without a tokenizer says nothing of it
    unknown = next(iter(origin.values())).get("unknown_tokens")
    shuffled_measures = params.shuffled_measures if of_shuffled else ()
    counts = None
    if flaws is not None:
        counts = EvidenceCounts(pairs, measures, shuffled_measures, unknown and unknown["id"])
    reading = Reading(
        counts,
        params.scored_measures,
        shuffled_measures,
        all(map(is_exact, origin.values())),
        shown_pairs(pairs, params.most) if "explored" in outputs else None,
    )
    reading.read(files | of_shuffled, pairs)

    provenance = run.record()
    # the evidence may be removed later; where it came from stays
    facts = {**place, "variant": ORIGINAL, "evidence": origin, **provenance}
    write_batches(outputs["scores"], reading.scores, SCORES, facts)
    if of_shuffled:
        facts |= {"variant": SHUFFLED, "evidence": {masking: read_metadata(of_shuffled[SHUFFLED])}}
        write_batches(outputs["shuffled_scores"], reading.shuffled_scores, SCORES, facts)
    # all else is made from these, too
    for name in ("scores", *(["shuffled_scores"] if of_shuffled else [])):
        provenance["made_from"][outputs[name]] = sha256_of_file(outputs[name])
    # of many pairs they take more room than what is made of them
    reading.scores.clear()
    reading.shuffled_scores.clear()

    scores = read_scores(outputs["scores"], measures)
    if "frequency" in outputs:
        ratios = read_table(inputs.ratios, PAIR_RATIOS)
        correlations = correlation_table(pairs, scores, ratios, params.options["confidence"])
        write_table(outputs["frequency"], correlations, CORRELATIONS, {**place, **provenance})
    if reading.explored_pairs is not None:
        likely = {masking: read_table(path, LIKELIEST) for masking, path in likeliest.items()}
        packed = explored(
            reading.explored_pairs, scores, reading.explored_evidence, params.scored_measures, likely
        )
        write_facts(outputs["explored"], {**place, **packed, **provenance})
    if flaws is not None and counts is not None:
        original, shuffled = decisions(pairs, scores), None
        if of_shuffled:
            scores = read_scores(outputs["shuffled_scores"], measures)
            shuffled = decisions(pairs, scores)
        del scores
        networks = listed(inputs.untrained).values() if inputs.get("untrained") else ()
        untrained = [decisions(pairs, read_scores(path, measures)) for path in networks]
        facts = {
            **place,
            "options": dict(params.options),
            # of both sides of all pairs
            "unknown_tokens": unknown,
            **provenance,
        }
        computed = compute(pairs, flaws, original, counts, shuffled, params.options, untrained)
        for name, rows in computed.items():
            if name in outputs:
                write_table(outputs[name], rows, SCHEMAS[name], facts)

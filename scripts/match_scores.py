"""Match scores that were made elsewhere with the pairs of a benchmark, and measure them."""

from unmask.job import job
from unmask.benchmarks.schema import PAIRS
from unmask.facts import write_facts
from unmask.files import sha256_of_file
from unmask.frequency.correlation import correlation_table
from unmask.frequency.schema import CORRELATIONS, PAIR_RATIOS
from unmask.measures.schema import SCORES, read_scores
from unmask.pairs.elsewhere import has_band, match, read_score_file, reduction_of, scores_table
from unmask.pairs.explorer import explored_without_tokens, shown_pairs
from unmask.statistics.computing import Measured, compute
from unmask.statistics.decisions import decisions
from unmask.statistics.null import words_of_scores
from unmask.statistics.schema import FLAWS, SCHEMAS
from unmask.tables import read_metadata, read_table, write_table
from unmask.terms import ORIGINAL, SUM

with job("model {wildcards.model}, benchmark {wildcards.benchmark}") as run:
    inputs, outputs, params = run.input, dict(run.output.items()), run.params
    place, entry = dict(run.wildcards.items()), dict(params.entry)
    measures = [entry["measure"]]
    pairs = read_table(inputs.pairs, PAIRS)
    file = read_score_file(inputs.file, entry)
    matched = match(pairs, file, place["benchmark"])
    table = scores_table(pairs, matched, entry["measure"], file.resolution)

    provenance = run.record()
    origin = {
        **place,
        "benchmark_sha256": read_metadata(inputs.pairs)["sha256"],
        "file_sha256": sha256_of_file(inputs.file),
    }
    of_file = {"matched": {**matched.facts(file), "has_band": has_band(entry)}}
    facts = {**place, "variant": ORIGINAL, "evidence": {entry["measure"]: origin}, **of_file, **provenance}
    write_table(outputs["scores"], table, SCORES, facts)
    provenance["made_from"][outputs["scores"]] = sha256_of_file(outputs["scores"])

    scores = read_scores(outputs["scores"], measures)
    if "frequency" in outputs:
        ratios = read_table(inputs.ratios, PAIR_RATIOS)
        correlations = correlation_table(pairs, scores, ratios, params.options["confidence"])
        write_table(outputs["frequency"], correlations, CORRELATIONS, {**place, **provenance})
    if "explored" in outputs:
        packed = explored_without_tokens(shown_pairs(pairs, params.most), scores, measures)
        write_facts(outputs["explored"], {**place, **packed, **provenance})
    flaws = read_table(inputs.flaws, FLAWS)
    facts = {**place, "options": dict(params.options), **of_file, **provenance}
    original = decisions(pairs, scores)
    words = None
    if has_band(entry):
        tokens = matched.tokens if reduction_of(entry) == SUM else None
        words = dict.fromkeys(original.series, words_of_scores(pairs, matched.sides, tokens))
    for name, rows in compute(pairs, flaws, Measured(original), params.options, words=words).items():
        if name in outputs:
            write_table(outputs[name], rows, SCHEMAS[name], facts)

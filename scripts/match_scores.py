"""Match scores that were made elsewhere with the pairs of a benchmark, and measure them.

What such scores lack, as shuffled sentences, is a table without rows.
"""

from unmask.job import job
from unmask.benchmarks.schema import PAIRS
from unmask.files import sha256_of_file, write_facts
from unmask.frequency.correlation import link_table
from unmask.frequency.schema import CORRELATIONS
from unmask.measures.scoring import SCORES, read_scores
from unmask.pairs.elsewhere import MEANS, read_score_file
from unmask.pairs.explorer import explored, shown_pairs
from unmask.pairs.matching import match, scores_table
from unmask.pairs.measuring import compute
from unmask.statistics.null import words_of_scores
from unmask.statistics.schema import FLAWS, SCHEMAS
from unmask.statistics.scores import decisions
from unmask.tables import framed, read_metadata, read_table, write_table
from unmask.terms import ORIGINAL, SHUFFLED

with job("model {wildcards.model}, benchmark {wildcards.benchmark}") as run:
    inputs, outputs, params = run.input, run.output, run.params
    place, entry, facts = dict(run.wildcards.items()), dict(params.entry), run.record()
    pairs, flaws = read_table(inputs.pairs, PAIRS), read_table(inputs.flaws, FLAWS)
    file = read_score_file(inputs.file, entry)
    matched = match(pairs, file, place["benchmark"])
    table = scores_table(pairs, matched, entry["measure"])
    digests = {
        "benchmark_sha256": read_metadata(inputs.pairs)["sha256"],
        "file_sha256": sha256_of_file(inputs.file),
    }
    origin = {"evidence": {entry["measure"]: place | digests}, **facts}
    write_table(outputs.scores, table, SCORES, {**place, "variant": ORIGINAL, **origin})
    none = {**place, "variant": SHUFFLED, "evidence": {}, **facts}
    write_table(outputs.shuffled_scores, framed([], SCORES), SCORES, none)
    facts = place | run.record([*inputs, outputs.scores, outputs.shuffled_scores])
    scores = read_scores(outputs.scores, [entry["measure"]])
    if outputs.get("frequency"):
        links = link_table(pairs, scores, inputs.ratios, params.options["confidence"])
        write_table(outputs.frequency, links, CORRELATIONS, facts)
    shown = shown_pairs(pairs, params.explored)
    write_facts(outputs.explored, facts | explored(shown, scores, [entry["measure"]]))
    original = decisions(pairs, scores)
    # of means over all tokens word choice has a band without evidence, too
    series = [each for each in original.series if each[0] in MEANS]
    words = dict.fromkeys(series, words_of_scores(pairs, matched.sides)) if series else None
    computed = compute(pairs, flaws, {ORIGINAL: original}, {}, params.options, words=words)
    stated = {"options": dict(params.options), **facts}
    for name in computed.keys() & outputs.keys():
        write_table(outputs[name], computed[name], SCHEMAS[name], stated)

"""What studies of before may state and Unmask no longer has, with what to do instead."""

from collections.abc import Sequence

_ELSEWHERE = "a model that was changed elsewhere is measured too (source: path)"
_BALANCED = "a world with every p .5 and every ratio 1 plants nothing in the text of its models"

RETIRED = {
    "associations.constructed": "no encoder with hand-set weights is shown",
    "associations.poolings.*.bare-first": "no pooling reads texts without special tokens",
    "associations.poolings.*.static": "input embeddings are no pooling",
    "associations.statistics.bootstrap": "intervals have 2,000 resamples",
    "associations.statistics.exact": "up to 99,999 partitions all are counted",
    "associations.statistics.permutations": "99,999 partitions are drawn where there are more",
    "associations.tests.*.format.planted": "nothing is planted but in worlds (key worlds)",
    "associations.tests.*.images": "encoders that see take features of regions (key features)",
    "associations.vectors.*.missing": "a word without a vector is refused (only: leaves its test out)",
    "benchmarks.*.format.arranged": "no benchmark is made from another one",
    "benchmarks.*.format.stereoset-intersentence": "a table may have texts that begin alike",
    "calibration": "the demonstration alone judges measures, in its table of what was planted and found",
    "corpora.*.format.wikimedia-xml": "wikiextractor makes texts of a dump (format: text)",
    "debiasing.bias_type": "scores are of the pairs about gender, where a benchmark has such",
    "debiasing.stereotypes": "at debiases the words of the paper's list, or of a world",
    "downstream.bias_type": "scores are of the pairs about gender; Table 2 has those of all pairs, too",
    "downstream.fine_tuning.frozen": "fine-tuning trains the encoder and the head",
    "downstream.tasks.*.fine_tuning.frozen": "fine-tuning trains the encoder and the head",
    "downstream.tasks.*.kind": "a published task is of one kind",
    "downstream.tasks.*.people": "a table of items of bias (files: bias) may be about others",
    "downstream.tasks.*.sample": "along a curve 10,000 items are predicted, and all at its end",
    "downstream.tasks.*.scrub": "a table of your own (format: table) may hide words of biographies",
    "downstream.words": "the tasks' gendered words are counted by the paper's list",
    "explorer.megabytes": "the page has all pairs of the models that explorer.models names",
    "frequency": "two pairs make a group word; the words of the paper stand beside those of its benchmark",
    "headline": "the first of measures is the headline",
    "measures.*.CSSSPrior": "it was CSSS, less StartAlone of the modified tokens",
    "measures.*.PLLWholeWord": "PLL hides one token at a time",
    "measures.*.PLLWordL2R": "PLL hides one token at a time",
    "measures.*.StereoSetLL": "LLMean is LL as a mean, behind one start token",
    "models.*.columns.difference": "a row has both scores (scores: [A, B])",
    "models.*.columns.score": "a row has both scores (scores: [A, B])",
    "models.*.columns.sentence": "a row has both sentences of a pair (sentences: [A, B])",
    "models.*.columns.tokens": "divide sums by them: means have a band of word choice (measure: LLMean)",
    "models.*.context": "exact models of worlds trust the words that they see",
    "models.*.corruption": "models of worlds are all trained alike",
    "models.*.hidden": "training on sentences about regions hides the region's name, as the paper does",
    "models.*.method.inlp": _ELSEWHERE,
    "models.*.method.sentence-debias": _ELSEWHERE,
    "models.*.reading": "it is called protocol",
    "models.*.reduction": "scores are sums, but those of LLMean and other means (measure: LLMean)",
    "models.*.source.adapted": "merge_and_unload of peft makes a model for source: path (docs/adding.md)",
    "models.*.source.classifier": "fine-tuned-classifier trains one on a labelled table of yours",
    "models.*.source.perturbed": _ELSEWHERE,
    "models.*.text": _BALANCED,
    "regional.planted": "nothing is planted but in worlds (key worlds)",
    "regional.prefixes.*.control": "the prefix that names no region says: this place",
    "regional.prefixes.*.leave_out": "leave the rows out of the table",
    "regional.prefixes.*.path": "it is files: {test: {path: …}}",
    "regional.prefixes.*.reviews": "prefixes are tried on a labelled table of yours (files)",
    "regional.reading": "a likelihood is the mean over the tokens of the text, as in the paper",
    "regional.resamples": "scores have the band of permuted vectors alone; intervals by words were too low",
    "regional.variants": "it is protocols",
    "runtime.gpu_manufacturer": "Snakemake sets it (--default-resources gpu_manufacturer=nvidia)",
    "runtime.gpus": "a job has one GPU; a larger model is scored elsewhere (source: scored)",
    "scoring.sample": "states of a model (dtype: [float32, bfloat16]) are compared on all pairs",
    "statistics.clusters.*.characters": "characters of a script without spaces are words",
    "statistics.clusters.*.template": "pairs vary together by words, target and writer",
    "statistics.pairing": "tables mark the test with pairs that share something varying together",
    "statistics.ratings": "as in Figure 1, a pair is positive from four votes; the score is its margin",
    "templates": "pairs of sentences (format: table) compare words in templates",
    "worlds.*.corruption": "of the tokens to predict 60 % are masked, 20 % kept and 20 % random",
    "worlds.*.longer": "lengths plants names of two subtokens",
}
"""By the place in a study: its keys, `*` for any, and behind them the value where that alone is gone."""


def retired(place: Sequence[object]) -> str | None:
    """What is said of a key or a value, the last of its place, that is no longer known.

    None where there never was one.
    """
    for pattern, advice in RETIRED.items():
        parts = pattern.split(".")
        if len(parts) == len(place) and all(
            part in ("*", str(each)) for part, each in zip(parts, place, strict=True)
        ):
            return f"{place[-1]} is no longer there: {advice}"
    return None

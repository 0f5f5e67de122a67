"""What studies of before name and Unmask no longer has, with what to do instead."""

RETIRED = {
    "adapted": "merge_and_unload of peft makes a model (docs/adding.md), which source: path reads",
    "arranged": "no benchmark is made from another one",
    "bare-first": "no pooling reads texts without special tokens",
    "calibration": "the demonstration alone judges measures, in its table of what was planted and found",
    "classifier": "fine-tuned-classifier trains one on a labelled table of yours",
    "constructed": "no encoder with hand-set weights is shown; the tests of Unmask have one",
    "context": "exact models of worlds trust the words that they see",
    "corruption": "models of worlds have that of their world",
    "CSSSPrior": "it was CSSS, less StartAlone of the modified tokens",
    "frozen": "fine-tuning trains the encoder and the head",
    "gpu_manufacturer": "Snakemake sets it (--default-resources gpu_manufacturer=nvidia)",
    "gpus": "a job has one GPU; a larger model is scored elsewhere (source: scored)",
    "hidden": "training on sentences about regions hides the region's name, as the paper does",
    "images": "encoders that see take features of regions (key features)",
    "inlp": "a model that was made elsewhere is measured too (source: path)",
    "longer": "lengths plants names of two subtokens",
    "pairing": "tables mark the test with pairs that share something varying together",
    "perturbed": "a model that was changed elsewhere is measured too (source: path)",
    "planted": "nothing is planted but in worlds (key worlds)",
    "PLLWholeWord": "PLL hides one token at a time",
    "PLLWordL2R": "PLL hides one token at a time",
    "resamples": "scores have the band of permuted vectors alone; intervals by words were too low",
    "reviews": "prefixes are tried on a labelled table of yours (path or files)",
    "scrub": "biographies are read as published; a table of your own (format: table) may hide words",
    "sentence-debias": "a model that was made elsewhere is measured too (source: path)",
    "static": "input embeddings are no pooling",
    "stereoset-intersentence": "stereoset reads the other part; a table may have texts that begin alike",
    "StereoSetLL": "LLMean is LL as a mean, behind one start token",
    "stereotypes": "at debiases the words of the paper's list, or of a world",
    "templates": "pairs of sentences (format: table) compare words in templates",
    "text": "a world with every p .5 and every ratio 1 plants nothing in the text of its models",
    "wikimedia-xml": "wikiextractor makes texts of a dump (format: text), and the hub has clean ones",
}
"""By the key, or by the value of a key, of a study."""


def retired(name: object) -> str | None:
    """What is said of a key or a value that is no longer known; None where there never was one."""
    advice = RETIRED.get(str(name))
    return None if advice is None else f"{name} is no longer there: {advice}"

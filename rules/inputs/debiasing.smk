# Functions that tell rules their inputs and outputs: debiased models.

from unmask.terms import PROTOCOLS

DEBIASING = config.get("debiasing", {})


def debiased_models():
    """The models that are made by debiasing, in the order of the study."""
    return models_of("debiased")


def check_debiasing():
    """Stop with one line where the study asks of debiasing what cannot be."""
    if debiased_models() and not DEBIASING:
        sys.exit(
            f"error: config key models.{debiased_models()[0]}: it needs the key debiasing, "
            "which the study lacks"
        )
    check_bases("debiased", "masked-lm")


def debiasing_corpus():
    """The entry of the corpus that models are debiased with."""
    return CORPORA[DEBIASING["corpus"]] if DEBIASING else {}


def debiasing_world():
    """The world whose corpus that is, if it is of one."""
    return debiasing_corpus().get("world")


def gendered_words():
    """The pairs of words that differ in gender: the user's, those of a world, or the paper's."""
    stated = DEBIASING.get("words", "published")
    if stated != "published":
        return outside(stated)
    return result("debiasing", "words.csv") if debiasing_world() else resource("gendered_words.yaml")


def debiasing_module(model):
    """The module that a model is debiased by."""
    return "at" if MODELS[model]["method"] == "at" else "masked_training"


def debiasing_parts(wildcards):
    """What a model is debiased with: the corpus, swapped where the method is that, words, and for a world's
    models sentences of stereotyped words without a gender, which its corpus lacks."""
    entry, of_world = MODELS[wildcards.model], debiasing_world()
    texts = f"swapped-{entry['protocol']}.txt" if entry["method"] == "cda" else "corpus.txt"
    parts = {"texts": result("debiasing", texts), "words": gendered_words()}
    if not of_world:
        return parts | {"stereotypes": resource("debiasing/stereotypes.yaml")}
    neutral = {"neutral": result("debiasing", "neutral.txt")} if entry["method"] == "at" else {}
    return parts | {"stereotypes": result("debiasing", "stereotypes.txt")} | neutral


def debiasing_entry(wildcards):
    """How a model is debiased."""
    entry = MODELS[wildcards.model]
    settings = {key: entry[key] for key in ("from", "method", "protocol", "seed", "options")}
    return settings | {"training": DEBIASING["training"] | entry["training"]}


def compared_models(benchmark):
    """The debiased models that are scored on a benchmark, and those that they come from."""
    debiased = [model for model in debiased_models() if model in scored_on(benchmark)]
    with_origins = {*debiased, *(MODELS[model]["from"] for model in debiased)}
    return [model for model in scored_on(benchmark) if model in with_origins]


def compared_on():
    """The benchmarks on which debiased models are compared with their origins."""
    return [benchmark for benchmark in BENCHMARKS if len(compared_models(benchmark)) > 1]


def debiasing_comparisons():
    """How the scores of debiased models differ from those of the models that they come from."""
    return [result("debiasing", "comparisons", f"{benchmark}.parquet") for benchmark in compared_on()]


def debiasing_inputs():
    """What debiased models are presented from."""
    scores = [
        results_of_all("scores", f"{ORIGINAL}.parquet", [benchmark], compared_models(benchmark))
        for benchmark in compared_on()
    ]
    return {
        "facts": [result("models", model, "facts.json") for model in debiased_models()],
        "comparisons": debiasing_comparisons(),
        "scores": sum(scores, []),
        "pairs": [result("benchmarks", f"{benchmark}.parquet") for benchmark in compared_on()],
        "captions": resource("debiasing/captions.yaml"),
    }


def debiasing_settings():
    """What the section needs to know of the study."""
    return {
        "models": [
            {"name": name, **{key: MODELS[name][key] for key in ("from", "method", "protocol")}}
            for name in debiased_models()
        ],
        "measures": MEASURES,
        "bias_type": DEBIASING.get("bias_type"),
        "alpha": config["statistics"]["alpha"],
        "confidence": config["statistics"]["confidence"],
    }

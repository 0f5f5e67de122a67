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


def debiasing_result(*parts):
    """A path among what models are debiased with."""
    return result("debiasing", *parts)


def debiasing_world():
    """The world whose corpus models are debiased with, if it is of one."""
    return CORPORA[DEBIASING["corpus"]].get("world") if DEBIASING else None


def world_of_debiasing():
    """What the files of that world depend on."""
    return {key: value for key, value in WORLDS[debiasing_world()].items() if key != "corruption"}


def debiasing_shards():
    """The files of the corpus."""
    return list(shards_of(DEBIASING["corpus"]).values()) if DEBIASING else []


def debiasing_corpus_format():
    """How its files are read."""
    entry = CORPORA[DEBIASING["corpus"]] if DEBIASING else {}
    return {key: entry[key] for key in ("format", "column") if key in entry}


def gendered_words():
    """The pairs of words that differ in gender: the user's, those of a world, or the paper's."""
    stated = DEBIASING.get("words", "published")
    if stated != "published":
        return outside(stated)
    return debiasing_result("words.csv") if debiasing_world() else resource("gendered_words.yaml")


def stereotyped_words():
    """The words that should tell of no gender: those of a world, or the paper's."""
    return (
        debiasing_result("stereotypes.txt") if debiasing_world() else resource("debiasing/stereotypes.yaml")
    )


def debiasing_module(model):
    """The module that a model is debiased by."""
    return "at" if MODELS[model]["method"] == "at" else "masked_training"


def debiasing_parts(wildcards):
    """What a model is debiased with: the corpus, swapped where the method is that, words, and for a world's
    models sentences of stereotyped words without a gender, which its corpus lacks."""
    entry = MODELS[wildcards.model]
    texts = f"swapped-{entry['protocol']}.txt" if entry["method"] == "cda" else "corpus.txt"
    needs_neutral = debiasing_world() and entry["method"] == "at"
    return {
        "texts": debiasing_result(texts),
        "words": gendered_words(),
        "stereotypes": stereotyped_words(),
        **({"neutral": debiasing_result("neutral.txt")} if needs_neutral else {}),
    }


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
    return [debiasing_result("comparisons", f"{benchmark}.parquet") for benchmark in compared_on()]


def debiasing_lists():
    """The sentences and words of the world that models are debiased with the corpus of."""
    names = ("neutral.txt", "stereotypes.txt", "words.csv")
    return [debiasing_result(name) for name in names] if debiased_models() and debiasing_world() else []


def compared_scores():
    """The scores of these models."""
    return [
        path
        for benchmark in compared_on()
        for path in results_of_all("scores", f"{ORIGINAL}.parquet", [benchmark], compared_models(benchmark))
    ]


def compared_benchmarks():
    """The pairs of these benchmarks."""
    return [result("benchmarks", f"{benchmark}.parquet") for benchmark in compared_on()]


def debiasing_figures():
    """The figure on debiased models, by its module's names; none where they are not scored on pairs."""
    if not debiasing_comparisons():
        return {}
    return {f"changes_{form}": result("figures", f"debiasing.{form}") for form in ("svg", "png")}


def debiasing_provenance():
    """Where the corpus of debiased models came from."""
    if not debiased_models():
        return []
    return [
        {
            "title": "Corpus of debiasing",
            "files": [debiasing_result("corpus.json")],
            "keys": [],
            "stated": licence(CORPORA[DEBIASING["corpus"]], made=debiasing_world() is not None),
        }
    ]


def debiasing_settings():
    """What the section needs to know of the study."""
    return {
        "models": [
            {"name": name, **{key: MODELS[name][key] for key in ("from", "method", "protocol")}}
            for name in debiased_models()
        ],
        "benchmarks": list(BENCHMARKS),
        "measures": MEASURES,
        "bias_type": DEBIASING.get("bias_type"),
        "alpha": config["statistics"]["alpha"],
        "confidence": config["statistics"]["confidence"],
    }

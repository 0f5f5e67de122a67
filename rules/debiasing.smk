# Debiasing: models made from models, by training them on, so that they should be less biased.
#
#   corpus, gendered words -> debiased models -> (scored as all others) -> comparisons with their origins

from unmask.terms import PROTOCOLS

DEBIASING = config.get("debiasing", {})
DEBIASED = MODELS.of("debiased")
# the corpus that models are debiased with, and the world that it is of, if it is of one
DEBIASING_CORPUS = CORPORA[DEBIASING["corpus"]] if DEBIASING else {}
DEBIASING_WORLD = DEBIASING_CORPUS.get("world")
# the study's pairs of words that differ in gender, those of its world, or the paper's
if DEBIASING.get("words", "published") != "published":
    GENDERED_WORDS = outside(DEBIASING["words"])
else:
    GENDERED_WORDS = result("debiasing/words.csv") if DEBIASING_WORLD else resource("gendered_words.csv")
# the module that a model is debiased by
DEBIASED_BY = {name: "at" if MODELS[name]["method"] == "at" else "masked_training" for name in DEBIASED}

with refusing():
    if DEBIASED and not DEBIASING:
        raise InputError(
            f"config key models.{DEBIASED[0]}: it needs the key debiasing, which the study lacks"
        )
    MODELS.check_bases("debiased")


rule read_debiasing_corpus:
    input:
        shards=list(SHARDS[DEBIASING["corpus"]].values()) if DEBIASING else [],
    output:
        text=result("debiasing/corpus.txt"),
        facts=result("debiasing/corpus.json"),
    log:
        log_of("debiasing/corpus.log"),
    params:
        entry={key: of for key, of in DEBIASING_CORPUS.items() if key in ("format", "column")},
    message:
        "Reading the corpus that models are debiased with"
    script:
        "../scripts/read_debiasing_corpus.py"


# the corpus of a world lacks sentences of stereotyped words without a gender
rule make_neutral:
    output:
        neutral=result("debiasing/neutral.txt"),
        stereotypes=result("debiasing/stereotypes.txt"),
        words=result("debiasing/words.csv"),
    log:
        log_of("debiasing/neutral.log"),
    params:
        name=DEBIASING_WORLD,
        entry=WORLDS.get(DEBIASING_WORLD),
    message:
        "Making sentences of occupations without a gender"
    script:
        "../scripts/make_neutral.py"


rule swap_corpus:
    input:
        text=rules.read_debiasing_corpus.output.text,
        words=GENDERED_WORDS,
        no_noun_phrase=resource("debiasing/no_noun_phrase.txt"),
    output:
        text=result("debiasing/swapped-{protocol}.txt"),
        facts=result("debiasing/swapped-{protocol}.json"),
    log:
        log_of("debiasing/swapping-{protocol}.log"),
    wildcard_constraints:
        protocol=any_of(PROTOCOLS),
    params:
        held_out=DEBIASING.get("held_out"),
    message:
        "Swapping the genders of the corpus ({wildcards.protocol})"
    script:
        "../scripts/swap_corpus.py"


makes(
    "debiased",
    lambda wildcards: {
        **{key: MODELS[wildcards.model][key] for key in ("from", "method", "protocol", "seed", "options")},
        "training": DEBIASING["training"] | MODELS[wildcards.model]["training"],
    },
    lambda wildcards: {
        "texts": (
            result("debiasing", f"swapped-{MODELS[wildcards.model]['protocol']}.txt")
            if MODELS[wildcards.model]["method"] == "cda"
            else result("debiasing/corpus.txt")
        ),
        "words": GENDERED_WORDS,
        "stereotypes": (
            result("debiasing/stereotypes.txt") if DEBIASING_WORLD else resource("debiasing/stereotypes.yaml")
        ),
        **(
            {"neutral": result("debiasing/neutral.txt")}
            if DEBIASING_WORLD and MODELS[wildcards.model]["method"] == "at"
            else {}
        ),
    },
    lambda wildcards: {"held_out": DEBIASING["held_out"], "module": DEBIASED_BY[wildcards.model]},
    lambda wildcards: [module_file("debiasing", DEBIASED_BY[wildcards.model])],
    memory=training_memory,
)


# by benchmark, what the debiased models that are scored on it are made from, where that is scored on it, too
ORIGINS_ON = {
    benchmark: {
        name: MODELS[name]["from"]
        for name in PAIRS.on(benchmark, DEBIASED)
        if MODELS[name]["from"] in PAIRS.on(benchmark)
    }
    for benchmark in BENCHMARKS
}
WITH_ORIGINS = {name: list(dict.fromkeys([*of, *of.values()])) for name, of in ORIGINS_ON.items()}


use rule compare_models as compare_debiased with:
    input:
        pairs=rules.read_benchmark.output.pairs,
        scores=lambda wildcards: expand(
            MEASURE_FILES["scores"],
            model=WITH_ORIGINS[wildcards.benchmark],
            benchmark=wildcards.benchmark,
        ),
    output:
        result("debiasing/comparisons/{benchmark}.parquet"),
    log:
        log_of("debiasing/comparisons/{benchmark}.log"),
    params:
        measures=MEASURES,
        options=COMPARING,
        what=lambda wildcards: f"benchmark {wildcards.benchmark}",
        about=lambda wildcards: {
            "benchmark": wildcards.benchmark,
            "models": WITH_ORIGINS[wildcards.benchmark],
            "origins": ORIGINS_ON[wildcards.benchmark],
        },
        bias_type="gender",
    message:
        "Comparing debiased models with their origins on {wildcards.benchmark}"


DEBIASED_COMPARED = collect(
    rules.compare_debiased.output, benchmark=[name for name, origins in ORIGINS_ON.items() if origins]
)

register(
    "debiasing",
    provenance=(
        [
            {
                "title": "Corpus of debiasing",
                "files": [result("debiasing/corpus.json")],
                "keys": [],
                "stated": licence(DEBIASING_CORPUS, made=DEBIASING_WORLD is not None),
            }
        ]
        if DEBIASED
        else []
    ),
    statistics=[
        *DEBIASED_COMPARED,
        *(rules.make_neutral.output if DEBIASED and DEBIASING_WORLD else []),
    ],
)

if DEBIASED:
    presents(
        "debiasing",
        {
            "facts": [result("models", model, "facts.json") for model in DEBIASED],
            "comparisons": DEBIASED_COMPARED,
            "captions": resource("debiasing/captions.yaml"),
        },
        # there is no figure where they are not scored on pairs
        (
            {f"changes_{form}": result("figures", f"debiasing.{form}") for form in ("svg", "png")}
            if DEBIASED_COMPARED
            else {}
        ),
        ["debiasing"],
        {
            "models": [
                {"name": name, **{key: MODELS[name][key] for key in ("from", "method", "protocol")}}
                for name in DEBIASED
            ],
            "measures": MEASURES,
            "alpha": config["statistics"]["alpha"],
            "confidence": config["statistics"]["confidence"],
        },
        what="debiased models",
    )

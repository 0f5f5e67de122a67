# Debiasing: models made from models, by training them on, so that they should be less biased.


include: "inputs/debiasing.smk"


check_debiasing()


DEBIASES = bool(debiased_models())
LISTS = [result("debiasing", name) for name in ("neutral.txt", "stereotypes.txt", "words.csv")]

register(
    "debiasing",
    provenance=(
        [
            {
                "title": "Corpus of debiasing",
                "files": [result("debiasing", "corpus.json")],
                "keys": [],
                "stated": licence(debiasing_corpus(), made=debiasing_world() is not None),
            }
        ]
        if DEBIASES
        else []
    ),
    statistics=[*debiasing_comparisons(), *(LISTS if DEBIASES and debiasing_world() else [])],
)


rule read_debiasing_corpus:
    input:
        shards=list(shards_of(DEBIASING["corpus"]).values()) if DEBIASING else [],
    output:
        text=result("debiasing", "corpus.txt"),
        facts=result("debiasing", "corpus.json"),
    log:
        log_of("debiasing", "corpus.log"),
    conda:
        "../envs/unmask.yaml"
    params:
        name=DEBIASING.get("corpus"),
        entry={key: of for key, of in debiasing_corpus().items() if key in ("format", "column")},
    message:
        "Reading the corpus that models are debiased with"
    script:
        "../scripts/read_debiasing_corpus.py"


rule make_neutral:
    output:
        neutral=LISTS[0],
        stereotypes=LISTS[1],
        words=LISTS[2],
    log:
        log_of("debiasing", "neutral.log"),
    conda:
        "../envs/unmask.yaml"
    params:
        name=debiasing_world(),
        entry=lambda wildcards: world_settings(debiasing_world()),
    message:
        "Making sentences of occupations without a gender"
    script:
        "../scripts/make_neutral.py"


rule swap_corpus:
    input:
        text=result("debiasing", "corpus.txt"),
        words=gendered_words(),
        no_noun_phrase=resource("debiasing/no_noun_phrase.txt"),
    output:
        text=result("debiasing", "swapped-{protocol}.txt"),
        facts=result("debiasing", "swapped-{protocol}.json"),
    log:
        log_of("debiasing", "swapping-{protocol}.log"),
    wildcard_constraints:
        protocol=any_of(PROTOCOLS),
    conda:
        "../envs/unmask.yaml"
    params:
        protocol=lambda wildcards: wildcards.protocol,
        held_out=DEBIASING.get("held_out"),
    message:
        "Swapping the genders of the corpus ({wildcards.protocol})"
    script:
        "../scripts/swap_corpus.py"


makes(
    "debiased",
    debiasing_entry,
    debiasing_parts,
    lambda wildcards: {"held_out": DEBIASING["held_out"], "module": debiasing_module(wildcards.model)},
    lambda wildcards: [module_file("debiasing", debiasing_module(wildcards.model))],
    memory=training_memory,
)


use rule compare_models as compare_debiased with:
    input:
        pairs=result("benchmarks", "{benchmark}.parquet"),
        scores=lambda wildcards: results_of_all(
            "scores", f"{ORIGINAL}.parquet", [wildcards.benchmark], compared_models(wildcards.benchmark)
        ),
    output:
        result("debiasing", "comparisons", "{benchmark}.parquet"),
    log:
        log_of("debiasing", "comparisons", "{benchmark}.log"),
    params:
        measures=MEASURES,
        options={key: config["statistics"].get(key) for key in ("confidence", "clusters")},
        what=lambda wildcards: f"benchmark {wildcards.benchmark}",
        about=lambda wildcards: {
            "benchmark": wildcards.benchmark,
            "models": compared_models(wildcards.benchmark),
        },
        bias_type=DEBIASING.get("bias_type"),
    message:
        "Comparing debiased models with their origins on {wildcards.benchmark}"


if DEBIASES:
    presents(
        "debiasing",
        debiasing_inputs(),
        # there is no figure where they are not scored on pairs
        (
            {f"changes_{form}": result("figures", f"debiasing.{form}") for form in ("svg", "png")}
            if debiasing_comparisons()
            else {}
        ),
        ["debiasing"],
        debiasing_settings(),
        what="debiased models",
    )

# Debiasing: models made from models, by training them on, so that they should be less biased.


include: "inputs/debiasing.smk"


check_debiasing()


register(
    "debiasing",
    provenance=debiasing_provenance(),
    statistics=[*debiasing_comparisons(), *debiasing_lists()],
)


rule read_debiasing_corpus:
    input:
        shards=debiasing_shards(),
    output:
        text=debiasing_result("corpus.txt"),
        facts=debiasing_result("corpus.json"),
    log:
        log_of("debiasing", "corpus.log"),
    conda:
        "../envs/unmask.yaml"
    params:
        name=DEBIASING.get("corpus"),
        entry=debiasing_corpus_format(),
    message:
        "Reading the corpus that models are debiased with"
    script:
        "../scripts/read_debiasing_corpus.py"


rule make_neutral:
    output:
        neutral=debiasing_result("neutral.txt"),
        stereotypes=debiasing_result("stereotypes.txt"),
        words=debiasing_result("words.csv"),
    log:
        log_of("debiasing", "neutral.log"),
    conda:
        "../envs/unmask.yaml"
    params:
        name=debiasing_world(),
        entry=lambda wildcards: world_of_debiasing(),
    message:
        "Making sentences of occupations without a gender"
    script:
        "../scripts/make_neutral.py"


rule swap_corpus:
    input:
        text=debiasing_result("corpus.txt"),
        words=gendered_words(),
        no_noun_phrase=resource("debiasing/no_noun_phrase.txt"),
    output:
        text=debiasing_result("swapped-{protocol}.txt"),
        facts=debiasing_result("swapped-{protocol}.json"),
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
        debiasing_result("comparisons", "{benchmark}.parquet"),
    log:
        log_of("debiasing", "comparisons", "{benchmark}.log"),
    params:
        measures=MEASURES,
        options={key: config["statistics"].get(key) for key in ("confidence", "clusters")},
        models=lambda wildcards: compared_models(wildcards.benchmark),
        benchmark=lambda wildcards: wildcards.benchmark,
        bias_type=DEBIASING.get("bias_type"),
    message:
        "Comparing debiased models with their origins on {wildcards.benchmark}"


if debiased_models():
    presents(
        "debiasing",
        {
            "facts": [result("models", model, "facts.json") for model in debiased_models()],
            "comparisons": debiasing_comparisons(),
            "scores": compared_scores(),
            "pairs": compared_benchmarks(),
            "captions": resource("debiasing/captions.yaml"),
        },
        debiasing_figures(),
        ["debiasing"],
        debiasing_settings(),
        what="debiased models",
    )

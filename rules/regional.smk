# Regional bias (HERB): how differently models speak of a region's regions, and what that does to classifiers.


include: "inputs/regional.smk"


check_regional()


wildcard_constraints:
    list=any_of(REGIONAL_WORDS),
    place=any_of(prefix_entries()),
    part="train|test",


register(
    "regional",
    statistics=[*of_regional_models("scores"), *prefix_tables()],
    provenance=regional_provenance(),
    removable=regional_removable(),
)


rule read_regional:
    input:
        **region_table(),
        published=resource("regional/words.yaml"),
        lists=own_word_lists(),
    output:
        regions=regional_result("regions.parquet"),
        words=regional_result("words.parquet"),
    log:
        log_of("regional", "reading.log"),
    conda:
        "../envs/unmask.yaml"
    params:
        regions=REGIONAL.get("regions"),
        words=REGIONAL_WORDS,
    message:
        "Reading the regions, and the words that they are described with"
    script:
        "../scripts/read_regional.py"


rule regional_likelihoods:
    input:
        **of_model(),
        regions=regional_result("regions.parquet"),
        words=regional_result("words.parquet"),
    output:
        regional_result("{model}", "likelihoods", "{list}.parquet"),
    log:
        log_of("regional", "{model}", "likelihoods", "{list}.log"),
    wildcard_constraints:
        model=any_of(regional_models()),
    conda:
        "../envs/unmask.yaml"
    threads: config["runtime"]["threads"]
    resources:
        **GPU,
        mem_mb=scoring_memory,
        runtime=regional_time,
    params:
        model=lambda wildcards: wildcards.model,
        list=lambda wildcards: wildcards.list,
        # a function, as its braces are no wildcards
        template=lambda wildcards: REGIONAL["template"],
        padded=False,
        dtype="float32",
    message:
        "Scoring sentences about regions with {wildcards.model} (words: {wildcards.list})"
    script:
        "../scripts/score_regions.py"


use rule regional_likelihoods as regional_padded with:
    output:
        regional_result("{model}", "padded", "{list}.parquet"),
    log:
        log_of("regional", "{model}", "padded", "{list}.log"),
    params:
        model=lambda wildcards: wildcards.model,
        list=lambda wildcards: wildcards.list,
        # a function, as its braces are no wildcards; its full stop is left out
        template=lambda wildcards: REGIONAL["template"],
        padded=True,
        dtype="float32",


rule embed_names:
    input:
        **of_model(),
        regions=regional_result("regions.parquet"),
    output:
        regional_result("{model}", "name_vectors.parquet"),
    log:
        log_of("regional", "{model}", "names.log"),
    wildcard_constraints:
        model=any_of(regional_models()),
    conda:
        "../envs/unmask.yaml"
    threads: config["runtime"]["threads"]
    resources:
        **GPU,
        mem_mb=scoring_memory,
        runtime=table_time,
    params:
        model=lambda wildcards: wildcards.model,
    message:
        "Embedding the names of regions with {wildcards.model}"
    script:
        "../scripts/embed_names.py"


rule score_hierarchy:
    input:
        regions=regional_result("regions.parquet"),
        words=regional_result("words.parquet"),
        likelihoods=lambda wildcards: likelihoods_of(wildcards.model),
        padded=lambda wildcards: padded_of(wildcards.model),
    output:
        regional_result("{model}", "scores.parquet"),
    log:
        log_of("regional", "{model}", "scores.log"),
    wildcard_constraints:
        model=any_of(regional_models()),
    conda:
        "../envs/unmask.yaml"
    resources:
        mem_mb=table_memory,
        runtime=table_time,
    params:
        model=lambda wildcards: wildcards.model,
        variants=REGIONAL.get("variants"),
        draws=REGIONAL.get("draws"),
        seed=REGIONAL.get("seed"),
        reading=REGIONAL.get("reading"),
        confidence=config["statistics"]["confidence"],
    message:
        "Scoring the regional bias of {wildcards.model}"
    script:
        "../scripts/score_hierarchy.py"


rule fetch_labelled:
    output:
        file=regional_result("tables", "{place}", "{part}"),
        facts=regional_result("tables", "{place}", "{part}.facts.json"),
    log:
        log_of("regional", "tables", "{place}", "{part}.fetching.log"),
    wildcard_constraints:
        place=any_of(fetched_tables()),
    localrule: True
    conda:
        "../envs/unmask.yaml"
    params:
        what=lambda wildcards: f"table {wildcards.place}",
        config_keys=lambda wildcards: ["regional", "prefixes", wildcards.place, "files", wildcards.part],
        source=table_source,
    message:
        "Fetching the part {wildcards.part} of {wildcards.place}"
    script:
        "../scripts/fetch_file.py"


rule fine_tune_classifier:
    input:
        **of_model(lambda wildcards: MODELS[wildcards.model]["from"]),
        table=training_table,
    output:
        **made_model(),
    log:
        log_of("models", "{model}", "training.log"),
    wildcard_constraints:
        model=any_of(models_of("fine-tuned-classifier")),
    conda:
        "../envs/unmask.yaml"
    threads: config["runtime"]["threads"]
    resources:
        **GPU,
        mem_mb=training_memory,
        runtime=classifier_time,
    params:
        manifest=lambda wildcards: about_model(wildcards.model),
        name=lambda wildcards: wildcards.model,
        labels=labels_to_learn,
        table_entry=lambda wildcards: reading_settings(MODELS[wildcards.model]["table"], "train"),
        entry=fine_tuning_keys,
    message:
        "Fine-tuning the classifier {wildcards.model}"
    script:
        "../scripts/fine_tune_classifier.py"


rule prefix_regions:
    input:
        **of_model(),
        regions=regional_result("regions.parquet"),
        table=lambda wildcards: labelled_table(wildcards.place),
    output:
        regional_result("prefixes", "{model}", "{place}.parquet"),
    log:
        log_of("regional", "prefixes", "{model}", "{place}.log"),
    wildcard_constraints:
        model=any_of(classifiers()),
    conda:
        "../envs/unmask.yaml"
    threads: config["runtime"]["threads"]
    resources:
        **GPU,
        mem_mb=scoring_memory,
        runtime=prefix_time,
    params:
        classifier=lambda wildcards: wildcards.model,
        table=lambda wildcards: wildcards.place,
        entry=prefix_settings,
        source=source_of_table,
        confidence=config["statistics"]["confidence"],
    message:
        "Reading {wildcards.place} with {wildcards.model} behind the names of regions"
    script:
        "../scripts/prefix_regions.py"


rule train_on_regions:
    input:
        **of_model(lambda wildcards: MODELS[wildcards.model]["from"]),
        likelihoods=lambda wildcards: first_likelihoods(MODELS[wildcards.model]["from"]),
        words=regional_result("words.parquet"),
    output:
        **made_model(),
    log:
        log_of("models", "{model}", "training.log"),
    wildcard_constraints:
        model=any_of(models_of("regional-sentences")),
    conda:
        "../envs/unmask.yaml"
    threads: 1
    resources:
        **GPU,
        mem_mb=scoring_memory,
        runtime=training_time,
    params:
        manifest=lambda wildcards: about_model(wildcards.model),
        name=lambda wildcards: wildcards.model,
        list=next(iter(REGIONAL_WORDS), None),
        entry=lambda wildcards: MODELS[wildcards.model],
    message:
        "Training {wildcards.model} on sentences about regions"
    script:
        "../scripts/train_on_regions.py"


if REGIONAL:
    presents(
        "regional",
        regional_inputs(),
        regional_table_files() | regional_figure_files(),
        ["regional"],
        regional_settings(),
        what="regional bias",
    )

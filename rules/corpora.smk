# Corpora: fetched where they are not on disk; the words of each shard counted, and the counts added up.


rule fetch_corpus:
    output:
        file=result("corpora", "{corpus}", "{shard}"),
        facts=result("corpora", "{corpus}", "{shard}.facts.json"),
    log:
        log_of("corpora", "{corpus}", "{shard}.fetching.log"),
    wildcard_constraints:
        corpus=any_of(fetched_corpora()),
        shard=r".+(?<!\.facts\.json)",
    localrule: True
    conda:
        "../envs/unmask.yaml"
    params:
        what=lambda wildcards: f"corpus {wildcards.corpus}",
        config_keys=lambda wildcards: ["corpora", wildcards.corpus],
        # how many files a corpus has does not matter to each of them
        source=lambda wildcards: fetched_from(CORPORA[wildcards.corpus])
        | {"file": fetched_shards(CORPORA[wildcards.corpus])[wildcards.shard]},
    message:
        "Fetching {wildcards.shard} of {wildcards.corpus}"
    script:
        "../scripts/fetch_file.py"


rule count_shard:
    input:
        shard=shard_file,
    output:
        result("frequency", "{corpus}", "shards", "{shard}.parquet"),
    log:
        log_of("frequency", "{corpus}", "{shard}.log"),
    conda:
        "../envs/unmask.yaml"
    params:
        entry=corpus_format,
    message:
        "Counting the words of {wildcards.shard} of {wildcards.corpus}"
    script:
        "../scripts/count_shard.py"


rule corpus_counts:
    input:
        counts=counts_of_shards,
        fetched=lambda wildcards: corpus_download_facts(wildcards.corpus),
    output:
        result("frequency", "{corpus}.parquet"),
    log:
        log_of("frequency", "{corpus}.log"),
    conda:
        "../envs/unmask.yaml"
    params:
        source=stated_source,
    message:
        "Word counts of {wildcards.corpus}"
    script:
        "../scripts/add_counts.py"

# Corpora: fetched where they are not on disk; the words of each shard counted, the counts merged in a tree.


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
        name=lambda wildcards: wildcards.corpus,
        entry=corpus_source,
        query=lambda wildcards: query_digest(CORPORA[wildcards.corpus]),
        shard=lambda wildcards: {"which": fetched_shards(CORPORA[wildcards.corpus])[wildcards.shard]},
    message:
        "Fetching {wildcards.shard} of {wildcards.corpus}"
    script:
        "../scripts/fetch_corpus.py"


rule count_shard:
    input:
        shard=shard_file,
    output:
        result("frequency", "{corpus}", "shards", "{shard}.parquet"),
    log:
        log_of("frequency", "{corpus}", "{shard}.log"),
    conda:
        "../envs/unmask.yaml"
    resources:
        runtime=counting_time,
    params:
        code=lambda wildcards: code(
            "count_shard.py", module_file("corpora/formats", CORPORA[wildcards.corpus]["format"])
        ),
        entry=corpus_format,
    message:
        "Counting the words of {wildcards.shard} of {wildcards.corpus}"
    script:
        "../scripts/count_shard.py"


rule merge_counts:
    input:
        counts=counts_to_merge,
    output:
        result("frequency", "{corpus}", "merged", "{level}-{number}.parquet"),
    log:
        log_of("frequency", "{corpus}", "merged-{level}-{number}.log"),
    wildcard_constraints:
        level=r"\d+",
        number=r"\d+",
    conda:
        "../envs/unmask.yaml"
    params:
        last=False,
        facts={},
    message:
        "Merging word counts of {wildcards.corpus} (level {wildcards.level}, {wildcards.number})"
    script:
        "../scripts/merge_counts.py"


rule corpus_counts:
    input:
        counts=last_counts_to_merge,
        fetched=lambda wildcards: corpus_download_facts(wildcards.corpus),
    output:
        result("frequency", "{corpus}.parquet"),
    log:
        log_of("frequency", "{corpus}.log"),
    conda:
        "../envs/unmask.yaml"
    params:
        last=True,
        facts=corpus_facts,
    message:
        "Word counts of {wildcards.corpus}"
    script:
        "../scripts/merge_counts.py"

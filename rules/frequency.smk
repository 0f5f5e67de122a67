# Word frequency: the group words of each benchmark, Table 2, and whether measures follow frequency.


include: "inputs/frequency.smk"


wildcard_constraints:
    corpus=any_of(CORPORA),
    shard=".+",


register(
    "frequency",
    keys=["corpora"],
    presents=(
        presentation(
            "word frequency",
            inputs=frequency_inputs(),
            files=link_table_files() | frequency_figure_files(),
            sections=["frequency"],
            settings=pairs_settings() | {"confidence": config["statistics"]["confidence"]},
            modules=measure_modules(),
            featured={
                "frequency_svg": ("Word frequency", "how often corpora use words"),
                "frequency_link_svg": ("Frequency and margins", "how margins go with frequency"),
            },
        )
        if with_corpora(BENCHMARKS)
        else None
    ),
    # the counts alone where no benchmark has a corpus
    files=word_table_files().values() if with_corpora(BENCHMARKS) else counts_of_corpora(),
    statistics=frequency_statistics(),
    provenance=[
        {"title": f"Corpus {corpus}", "files": [result("frequency", f"{corpus}.parquet")], "keys": []}
        for corpus in COUNTED
    ],
    removable=(
        [
            {
                "kind": "downloaded corpora, whose words are counted",
                "name": "{corpus}",
                # the facts about a download are small, and the counts are made from them too
                "files": r"corpora/{corpus}/{shard,.+(?<!\.facts\.json)}",
                "needed_by": "frequency/{corpus}.parquet",
                "again": True,
            }
        ]
        if fetched_corpora()
        else []
    ),
)


include: "corpora.smk"


rule group_words:
    input:
        pairs=result("benchmarks", "{benchmark}.parquet"),
        counts=counts_for,
        left_out=resource("frequency/left_out_words.yaml"),
        listed=listed_words_for,
    output:
        words=result("group_words", "{benchmark}", "words.parquet"),
        ratios=result("group_words", "{benchmark}", "ratios.parquet"),
    log:
        log_of("group_words", "{benchmark}.log"),
    conda:
        "../envs/analysis.yaml"
    params:
        code=code("count_group_words.py"),
        benchmark=lambda wildcards: wildcards.benchmark,
        corpora=lambda wildcards: corpora_for(wildcards.benchmark),
        min_pairs=FREQUENCY.get("min_pairs"),
        given=given(resource("frequency/left_out_words.yaml"), listed_words_for),
    message:
        "Looking up the group words of {wildcards.benchmark}"
    script:
        "../scripts/count_group_words.py"


# apart from the rest, as it needs no model
rule table2:
    input:
        words=group_words_of_all("words"),
        captions=resource("frequency/captions.yaml"),
    output:
        **with_shown(word_table_files(), table2_csv=("Table 2", "how often corpora name groups")),
    log:
        log_of("report", "table2.log"),
    conda:
        "../envs/analysis.yaml"
    params:
        code=presenting_code("frequency", []),
        family="frequency",
        settings=pairs_settings() | {"confidence": config["statistics"]["confidence"]},
        given=given(resource("frequency/captions.yaml")),
    message:
        "Making Table 2"
    script:
        "../scripts/present.py"

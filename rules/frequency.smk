# Word frequency: the group words of each benchmark, Table 2, and whether measures follow frequency.


include: "inputs/frequency.smk"


wildcard_constraints:
    corpus=any_of(CORPORA),
    shard=".+",


register(
    "frequency",
    keys=["corpora"],
    # where no benchmark has a corpus
    files=counts_of_corpora() if not with_corpora(BENCHMARKS) else (),
    statistics=frequency_statistics(),
    provenance=[
        {
            "title": f"Corpus {corpus}",
            "files": [result("frequency", f"{corpus}.parquet")],
            "keys": [],
            "stated": licence(CORPORA[corpus], made="world" in CORPORA[corpus]),
        }
        for corpus in COUNTED
    ],
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
        "../envs/unmask.yaml"
    params:
        benchmark=lambda wildcards: wildcards.benchmark,
        corpora=lambda wildcards: corpora_for(wildcards.benchmark),
    message:
        "Looking up the group words of {wildcards.benchmark}"
    script:
        "../scripts/count_group_words.py"


if with_corpora(BENCHMARKS):
    # apart from the rest, as it needs no model
    presents(
        "frequency",
        {"words": group_words_of_all("words"), "captions": resource("frequency/captions.yaml")},
        word_table_files(),
        settings=frequency_settings(),
        what="Table 2",
        name="table2",
    )

    presents(
        "frequency",
        frequency_inputs(),
        link_table_files() | frequency_figure_files(),
        ["frequency"],
        frequency_settings(),
        what="word frequency",
    )

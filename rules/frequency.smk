# Word frequency: the group words of each benchmark, Table 2, and whether measures follow frequency.


include: "inputs/frequency.smk"


wildcard_constraints:
    corpus=any_of(CORPORA),
    shard=".+",


register(
    "frequency",
    keys=["corpora"],
    files=frequency_files(),
    statistics=frequency_statistics(),
    provenance=[
        {"title": f"Corpus {corpus}", "files": [result("frequency", f"{corpus}.parquet")], "keys": []}
        for corpus in COUNTED
    ],
    sections=frequency_sections(),
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


rule table2:
    input:
        words=group_words_of_all("words"),
        captions=resource("frequency/captions.yaml"),
    output:
        table2_csv=shown(result("tables", "table2.csv"), "Table 2", "how often corpora name groups"),
        table2_md=result("tables", "table2.md"),
        table2_tex=result("tables", "table2.tex"),
        group_words_csv=result("tables", "group_words.csv"),
    log:
        log_of("report", "table2.log"),
    conda:
        "../envs/analysis.yaml"
    params:
        code=code("make_table2.py"),
        alpha=config["statistics"]["alpha"],
        given=given(resource("frequency/captions.yaml")),
    message:
        "Making Table 2"
    script:
        "../scripts/make_table2.py"


rule frequency_figure:
    input:
        words=group_words_of_all("words"),
    output:
        frequency_svg=shown(
            result("figures", "frequency.svg"), "Word frequency", "how often corpora use words"
        ),
        frequency_png=result("figures", "frequency.png"),
    log:
        log_of("report", "frequency_figure.log"),
    conda:
        "../envs/analysis.yaml"
    params:
        code=code("draw_frequencies.py", *measure_modules()),
    message:
        "Drawing the frequencies of group words"
    script:
        "../scripts/draw_frequencies.py"


rule link_table:
    input:
        link=links_of_all(),
        truths=truths(),
        planted_pairs=planted_pairs(),
        planted_ratios=planted_ratios(),
    output:
        result("tables", "frequency_link.csv"),
    log:
        log_of("report", "frequency_link.log"),
    conda:
        "../envs/analysis.yaml"
    params:
        code=code("make_link_table.py", *measure_modules()),
        models=as_listed(SCORED, MODELS),
        benchmarks=as_listed(BENCHMARKS, BENCHMARKS),
    message:
        "Making the table of links to word frequency"
    script:
        "../scripts/make_link_table.py"


rule link_figure:
    input:
        link=links_of_all(),
        truths=truths(),
        planted_pairs=planted_pairs(),
        planted_ratios=planted_ratios(),
    output:
        link_svg=shown(
            result("figures", "frequency_link.svg"), "Frequency and margins", "how margins go with frequency"
        ),
        link_png=result("figures", "frequency_link.png"),
    log:
        log_of("report", "link_figure.log"),
    conda:
        "../envs/analysis.yaml"
    params:
        code=code("draw_link.py", *measure_modules()),
        models=as_listed(SCORED, MODELS),
        benchmarks=as_listed(BENCHMARKS, BENCHMARKS),
    message:
        "Drawing margins against word frequency"
    script:
        "../scripts/draw_link.py"


rule frequency_sections:
    input:
        words=group_words_of_all("words"),
        link=links_of_all(),
        truths=truths(),
        planted_pairs=planted_pairs(),
        planted_ratios=planted_ratios(),
        scores=linked_scores(),
        ratios=group_words_of_all("ratios"),
        captions=resource("frequency/captions.yaml"),
    output:
        frequency=section_file("frequency"),
    log:
        log_of("report", "sections", "frequency.log"),
    conda:
        "../envs/analysis.yaml"
    params:
        code=sections_code("frequency", ["frequency"], *measure_modules()),
        family="frequency",
        settings={**pairs_settings(), "confidence": config["statistics"]["confidence"]},
        given=given(resource("frequency/captions.yaml")),
    message:
        "Writing the section on word frequency"
    script:
        "../scripts/write_sections.py"

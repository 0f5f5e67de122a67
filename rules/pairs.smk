# Pairs of sentences: which one a masked language model prefers, how surely, and how that looks in the report.


include: "inputs/pairs.smk"


wildcard_constraints:
    benchmark=any_of(BENCHMARKS),
    variant=any_of([ORIGINAL, SHUFFLED]),


check_benchmarks()
check_explorer()

register(
    "pairs",
    keys=["benchmarks"],
    files=[*table_files().values(), *figure_files().values()] if SCORED else [],
    statistics=pairs_statistics(),
    provenance=pairs_provenance(),
    sections=pairs_sections(),
    programs=["pairs/explorer"] if EXPLORER else [],
    removable=removable_evidence(),
)


include: "benchmarks.smk"
include: "evidence.smk"
include: "measures.smk"
include: "explorer.smk"


rule tables:
    input:
        **pairs_results(),
        near_ties=statistics_of_all("near_ties"),
    output:
        **table_files()
        | {
            "table1_csv": shown(result("tables", "table1.csv"), "Table 1", "token accuracy"),
            "table3_csv": shown(result("tables", "table3.csv"), "Table 3", "bias scores by direction"),
            "table4_csv": shown(result("tables", "table4.csv"), "Table 4", "accuracy under controls"),
            "table5_csv": shown(result("tables", "table5.csv"), "Table 5", "bias scores"),
        },
    log:
        log_of("report", "tables.log"),
    conda:
        "../envs/analysis.yaml"
    params:
        code=code("make_tables.py", *measure_modules()),
        alpha=config["statistics"]["alpha"],
        models=as_listed(SCORED, MODELS),
        benchmarks=as_listed(BENCHMARKS, BENCHMARKS),
        given=given(*pairs_results().values()),
    message:
        "Making the tables"
    script:
        "../scripts/make_tables.py"


rule figures:
    input:
        bias=statistics_of_all("bias"),
        agreement=statistics_of_all("agreement"),
        roc=statistics_of_all("roc"),
        roc_bands=statistics_of_all("roc_bands"),
        published=resource("pairs/published.yaml"),
    output:
        **figure_files()
        | {
            "figure1_svg": shown(
                result("figures", "figure1.svg"), "Figure 1", "agreement with human raters"
            ),
            "bias_svg": shown(result("figures", "bias.svg"), "Bias scores", "bias scores with intervals"),
        },
    log:
        log_of("report", "figures.log"),
    conda:
        "../envs/analysis.yaml"
    params:
        code=code("draw_figures.py", *measure_modules()),
        models=as_listed(SCORED, MODELS),
        benchmarks=as_listed(BENCHMARKS, BENCHMARKS),
        given=given(resource("pairs/published.yaml")),
    message:
        "Drawing the figures"
    script:
        "../scripts/draw_figures.py"


rule pairs_sections:
    input:
        **pairs_results(),
        roc=statistics_of_all("roc"),
        roc_bands=statistics_of_all("roc_bands"),
        precision=precision_tables(),
        scores=all_scores(),
        flaws=flaws_of(),
    output:
        **{name: section_file(name) for name in sections_of_results()},
    log:
        log_of("report", "sections", "pairs.log"),
    conda:
        "../envs/analysis.yaml"
    params:
        code=sections_code("pairs", sections_of_results(), *measure_modules()),
        family="pairs",
        settings=pairs_settings(),
        given=given(*pairs_results().values()),
    message:
        "Writing the sections on pairs of sentences"
    script:
        "../scripts/write_sections.py"


rule disagreement_section:
    input:
        **pairs_results(),
    output:
        disagreement=section_file("disagreement"),
    log:
        log_of("report", "sections", "disagreement.log"),
    conda:
        "../envs/analysis.yaml"
    params:
        code=sections_code("pairs", ["disagreement"], *measure_modules()),
        family="pairs",
        settings=pairs_settings() | {"explorer": explorer_settings()},
        given=given(*pairs_results().values()),
    message:
        "Writing the section on where measures disagree"
    script:
        "../scripts/write_sections.py"

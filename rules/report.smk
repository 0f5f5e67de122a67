# The report: tables, figures and one page, over all models and benchmarks of the study.


rule tables:
    input:
        bias=statistics_of_all("bias"),
        near_ties=statistics_of_all("near_ties"),
        accuracy=statistics_of_all("accuracy"),
        tests=statistics_of_all("tests"),
        agreement=statistics_of_all("agreement"),
        published=resource("published.yaml"),
        captions=resource("captions.yaml"),
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
        code=code("make_tables.py"),
        alpha=config["statistics"]["alpha"],
        models=as_listed(MODELS),
        benchmarks=as_listed(BENCHMARKS),
    message:
        "Making the tables"
    script:
        "../scripts/make_tables.py"


rule figures:
    input:
        bias=statistics_of_all("bias"),
        agreement=statistics_of_all("agreement"),
        roc=statistics_of_all("roc"),
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
        code=code("draw_figures.py"),
        models=as_listed(MODELS),
        benchmarks=as_listed(BENCHMARKS),
    message:
        "Drawing the figures"
    script:
        "../scripts/draw_figures.py"


rule provenance:
    input:
        manifests=[result("models", model, "manifest.json") for model in MODELS],
        downloads=download_facts(),
        benchmarks=[result("benchmarks", f"{benchmark}.parquet") for benchmark in BENCHMARKS],
        scores=all_scores(),
        statistics=statistics_of_all("bias"),
        precision=precision_tables(),
        counts=[result("frequency", f"{corpus}.parquet") for corpus in CORPORA],
    output:
        result("report", "provenance.json"),
    log:
        log_of("report", "provenance.log"),
    conda:
        "../envs/analysis.yaml"
    params:
        code=code("gather_provenance.py"),
        study=settings(),
    message:
        "Gathering where everything came from"
    script:
        "../scripts/gather_provenance.py"


rule report:
    input:
        **frequency_report(),
        bias=statistics_of_all("bias"),
        accuracy=statistics_of_all("accuracy"),
        tests=statistics_of_all("tests"),
        agreement=statistics_of_all("agreement"),
        published=resource("published.yaml"),
        captions=resource("captions.yaml"),
        figure1=result("figures", "figure1.svg"),
        bias_figure=result("figures", "bias.svg"),
        provenance=result("report", "provenance.json"),
        truth=planted_truth(),
        scores=planted_scores(),
    output:
        shown(result("report", "index.html"), "Report", "the whole study on one page"),
    log:
        log_of("report", "report.log"),
    conda:
        "../envs/analysis.yaml"
    params:
        code=code("write_report.py"),
        page=page_template(),
        title=config["title"],
        alpha=config["statistics"]["alpha"],
        models=as_listed(MODELS),
        benchmarks=as_listed(BENCHMARKS),
    message:
        "Writing the report"
    script:
        "../scripts/write_report.py"


rule checksums:
    input:
        final_files(),
        statistics_files(),
    output:
        result("SHA256SUMS"),
    log:
        log_of("report", "checksums.log"),
    localrule: True
    conda:
        "../envs/analysis.yaml"
    params:
        code=code("write_checksums.py"),
    message:
        "Writing down checksums"
    script:
        "../scripts/write_checksums.py"

# What is shown of measures over sentence pairs: tables, figures and sections of the report.

if MODELS and BENCHMARKS:
    register(
        "pairs",
        files=[*table_files().values(), *figure_files().values()],
        statistics=pairs_statistics(),
        sections=pairs_sections(),
    )


rule tables:
    input:
        **pairs_results(),
        near_ties=statistics_of_all("near_ties"),
    output:
        **table_files(),
    log:
        log_of("report", "tables.log"),
    conda:
        "../envs/analysis.yaml"
    params:
        code=code("make_tables.py", *measure_modules()),
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
        **figure_files(),
    log:
        log_of("report", "figures.log"),
    conda:
        "../envs/analysis.yaml"
    params:
        code=code("draw_figures.py", *measure_modules()),
        models=as_listed(MODELS),
        benchmarks=as_listed(BENCHMARKS),
    message:
        "Drawing the figures"
    script:
        "../scripts/draw_figures.py"


rule section_summary:
    input:
        **pairs_results(),
        bias_figure=result("figures", "bias.svg"),
    output:
        section_file("summary"),
    log:
        log_of("report", "sections", "summary.log"),
    conda:
        "../envs/analysis.yaml"
    params:
        code=section_code("pairs/sections", "summary", *measure_modules()),
        folder="pairs/sections",
        section="summary",
        settings=pairs_settings(),
    message:
        "Summing up"
    script:
        "../scripts/write_section.py"


rule section_paper_tables:
    input:
        **pairs_results(),
    output:
        section_file("paper-tables"),
    log:
        log_of("report", "sections", "paper-tables.log"),
    conda:
        "../envs/analysis.yaml"
    params:
        code=section_code("pairs/sections", "paper-tables", *measure_modules()),
        folder="pairs/sections",
        section="paper-tables",
        settings=pairs_settings(),
    message:
        "Showing the tables of the paper"
    script:
        "../scripts/write_section.py"


rule section_accuracy:
    input:
        **pairs_results(),
    output:
        section_file("accuracy"),
    log:
        log_of("report", "sections", "accuracy.log"),
    conda:
        "../envs/analysis.yaml"
    params:
        code=section_code("pairs/sections", "accuracy", *measure_modules()),
        folder="pairs/sections",
        section="accuracy",
        settings=pairs_settings(),
    message:
        "Showing token accuracies and their tests"
    script:
        "../scripts/write_section.py"


rule section_controls:
    input:
        **pairs_results(),
    output:
        section_file("controls"),
    log:
        log_of("report", "sections", "controls.log"),
    conda:
        "../envs/analysis.yaml"
    params:
        code=section_code("pairs/sections", "controls", *measure_modules()),
        folder="pairs/sections",
        section="controls",
        settings=pairs_settings(),
    message:
        "Showing the controls"
    script:
        "../scripts/write_section.py"


rule section_agreement:
    input:
        **pairs_results(),
        figure1=result("figures", "figure1.svg"),
    output:
        section_file("agreement"),
    log:
        log_of("report", "sections", "agreement.log"),
    conda:
        "../envs/analysis.yaml"
    params:
        code=section_code("pairs/sections", "agreement", *measure_modules()),
        folder="pairs/sections",
        section="agreement",
        settings=pairs_settings(),
    message:
        "Showing the agreement with human raters"
    script:
        "../scripts/write_section.py"


rule section_precision:
    input:
        precision=precision_tables(),
        captions=resource("pairs/captions.yaml"),
    output:
        section_file("precision"),
    log:
        log_of("report", "sections", "precision.log"),
    conda:
        "../envs/analysis.yaml"
    params:
        code=section_code("pairs/sections", "precision", *measure_modules()),
        folder="pairs/sections",
        section="precision",
        settings={**pairs_settings(), "dtype": config["scoring"]["dtype"]},
    message:
        "Showing what the arithmetic changes"
    script:
        "../scripts/write_section.py"

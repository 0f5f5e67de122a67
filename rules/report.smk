# The report: the sections that families have registered, on one page; it names none of them.

if not [*registered("files"), *registered("sections")]:
    sys.exit(
        "error: this study comes to nothing: no family has all that it needs (rules/schemas says of each which "
        "keys these are; a list of measures may be empty)"
    )


rule provenance:
    input:
        provenance_files(),
    output:
        section_file("provenance"),
    log:
        log_of("report", "sections", "provenance.log"),
    conda:
        "../envs/analysis.yaml"
    params:
        code=code("write_provenance.py"),
        settings=settings(),
        entries=registered("provenance"),
    message:
        "Gathering where everything came from"
    script:
        "../scripts/write_provenance.py"


rule report:
    input:
        section_files(),
    output:
        page=shown(result("report", "index.html"), "Report", "the whole study on one page"),
        summary=result("report", "summary.txt"),
    log:
        log_of("report", "report.log"),
    conda:
        "../envs/analysis.yaml"
    params:
        code=code("write_report.py"),
        page=page_parts(),
        programs=page_programs(),
        # a function, as Snakemake takes braces in a text for wildcards
        title=lambda wildcards: config["title"],
    message:
        "Writing the report"
    script:
        "../scripts/write_report.py"


rule checksums:
    input:
        final_files(),
        section_files(),
        registered("statistics"),
        result("register.json"),
    output:
        result("SHA256SUMS"),
    log:
        log_of("report", "checksums.log"),
    localrule: True
    conda:
        "../envs/analysis.yaml"
    params:
        code=code("write_checksums.py"),
        settings=stated(config),
    message:
        "Writing down checksums"
    script:
        "../scripts/write_checksums.py"


rule study_settings:
    input:
        finished_study,
    output:
        result("settings.json"),
    log:
        log_of("report", "settings.log"),
    localrule: True
    conda:
        "../envs/analysis.yaml"
    params:
        code=code("write_settings.py"),
        settings=stated(config),
    message:
        "Writing down the study's settings"
    script:
        "../scripts/write_settings.py"


rule register:
    output:
        result("register.json"),
    log:
        log_of("report", "register.log"),
    localrule: True
    conda:
        "../envs/analysis.yaml"
    params:
        code=code("write_register.py"),
        patterns=registered("removable"),
    message:
        "Writing down what may be removed"
    script:
        "../scripts/write_register.py"

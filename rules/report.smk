# What families have registered, presented: one job a family, and then one page of all sections, which names no
# family. And what a study's results say of themselves.

if not [*registered("files"), *registered("sections")]:
    sys.exit(
        "error: this study comes to nothing: no family has all that it needs (rules/schemas says of each which "
        "keys these are; a list of measures may be empty)"
    )


for _presents in registered("presents"):

    rule:
        name:
            f"present_{_presents['family']}"
        input:
            **_presents["inputs"],
        output:
            **with_shown(_presents["files"], **_presents["featured"]),
            **section_outputs(_presents["sections"]),
        log:
            log_of("report", f"{_presents['family']}.log"),
        conda:
            "../envs/analysis.yaml"
        params:
            code=presenting_code(_presents["family"], _presents["sections"], *_presents["modules"]),
            family=_presents["family"],
            settings=_presents["settings"],
            given=given(*_presents["inputs"].values()),
        message:
            f"Presenting {_presents['title']}"
        script:
            "../scripts/present.py"


rule report:
    input:
        sections=section_files(),
        origins=provenance_files(),
    output:
        provenance=section_file("provenance"),
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
        settings=settings(),
        entries=registered("provenance"),
    message:
        "Writing the report"
    script:
        "../scripts/write_report.py"


rule finish:
    input:
        finished_study,
    output:
        register=result("register.json"),
        checksums=result("SHA256SUMS"),
        settings=result("settings.json"),
    log:
        log_of("report", "finish.log"),
    localrule: True
    conda:
        "../envs/analysis.yaml"
    params:
        code=code("finish.py"),
        patterns=registered("removable"),
        settings=stated(config),
    message:
        "Writing down checksums, settings and what may be removed"
    script:
        "../scripts/finish.py"

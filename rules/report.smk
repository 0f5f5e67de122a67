# What families present, one job each; then one page of all their sections, which names no family. And what
# a study's results say of themselves.

if not [*registered("files"), *registered("sections")]:
    sys.exit(
        "error: this study has no results: no family has all that it needs (docs/keys.md says of each "
        "which keys these are; a list of measures may be empty)"
    )


# present_FAMILY, or the name that is given to `presents`: its inputs stand in the family's file
for presented in PRESENTED:

    rule:
        name:
            presented["rule"]
        input:
            **presented["inputs"],
        output:
            **presented["outputs"],
        log:
            log_of("report", f"{presented['rule'].removeprefix('present_')}.log"),
        params:
            code=presented["code"],
            family=presented["family"],
            settings=presented["settings"],
            study=config["study"],
        message:
            f"Presenting {presented['what']}"
        script:
            "../scripts/present.py"


rule report:
    input:
        sections=section_files(),
        origins=provenance_files(),
    output:
        provenance=section_file("provenance"),
        page=result("report", "index.html"),
        summary=result("report", "summary.txt"),
    log:
        log_of("report", "report.log"),
    params:
        page=page_parts(),
        programs=page_programs(),
        # a function, as Snakemake takes braces in a text for wildcards
        title=lambda wildcards: config["title"],
        settings=stated_settings(),
        entries=registered("provenance"),
    message:
        "Writing the report"
    script:
        "../scripts/write_report.py"


rule finish:
    input:
        finished_study,
    output:
        checksums=result("SHA256SUMS"),
        settings=result("settings.json"),
    log:
        log_of("report", "finish.log"),
    localrule: True
    params:
        settings=stated(config),
    message:
        "Writing down settings and checksums"
    script:
        "../scripts/finish.py"

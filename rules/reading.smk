# How to read measures over sentence pairs: after the sections of all families.

if MODELS and BENCHMARKS:
    register("pairs", sections=["reading"])


rule section_reading:
    output:
        section_file("reading"),
    log:
        log_of("report", "sections", "reading.log"),
    conda:
        "../envs/analysis.yaml"
    params:
        code=section_code("pairs/sections", "reading"),
        folder="pairs/sections",
        section="reading",
        settings={},
    message:
        "Saying how to read the report"
    script:
        "../scripts/write_section.py"

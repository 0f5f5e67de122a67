# The explorer: every pair of sentences in the report, with what each token adds to its margin.


rule explorer_section:
    input:
        pairs=[result("benchmarks", f"{benchmark}.parquet") for benchmark in explored_benchmarks()],
        flaws=flaws_of(explored_benchmarks()),
        labels=[path for name in explored_benchmarks() for path in labels_files(name)],
        explored=explored_tables(),
    output:
        pairs=section_file("pairs"),
    log:
        log_of("report", "sections", "explorer.log"),
    conda:
        "../envs/analysis.yaml"
    params:
        code=sections_code("pairs", ["pairs"], *measure_modules()),
        family="pairs",
        settings=explorer_settings() | {"measures": MEASURES},
    message:
        "Writing the section of every pair"
    script:
        "../scripts/write_sections.py"

# Benchmarks: downloaded where they have a url, and read into the Pairs table.


rule fetch_benchmark:
    output:
        file=result("downloads", "{benchmark}", "{file}"),
        facts=result("downloads", "{benchmark}", "{file}.facts.json"),
    log:
        log_of("downloads", "{benchmark}", "{file}.log"),
    wildcard_constraints:
        benchmark=any_of([name for name, entry in BENCHMARKS.items() if "url" in entry]),
        file=any_of([file_name(entry["url"]) for entry in BENCHMARKS.values() if "url" in entry]),
    localrule: True
    conda:
        "../envs/unmask.yaml"
    params:
        what=lambda wildcards: f"benchmark {wildcards.benchmark}",
        config_keys=lambda wildcards: ["benchmarks", wildcards.benchmark],
        source=lambda wildcards: fetched_from(BENCHMARKS[wildcards.benchmark]),
        limits={"seconds": 3600.0, "largest": 1 << 32},
    message:
        "Fetching {wildcards.benchmark}"
    script:
        "../scripts/fetch_file.py"


rule read_benchmark:
    input:
        benchmark_file,
    output:
        **benchmark_tables(),
    log:
        log_of("benchmarks", "{benchmark}.log"),
    wildcard_constraints:
        benchmark=any_of([name for name in BENCHMARKS if name not in labelled_benchmarks()]),
    localrule: True
    conda:
        "../envs/unmask.yaml"
    params:
        code=lambda wildcards: code("read_benchmark.py", *reader_modules(wildcards.benchmark)),
        name=lambda wildcards: wildcards.benchmark,
        entry=read_settings,
    message:
        "Reading {wildcards.benchmark}"
    script:
        "../scripts/read_benchmark.py"


# the same of those whose source may have labels of single sentences
use rule read_benchmark as read_labelled_benchmark with:
    output:
        **benchmark_tables(),
        labels=result("quality", "{benchmark}", "labels.parquet"),
    wildcard_constraints:
        benchmark=any_of(labelled_benchmarks()),

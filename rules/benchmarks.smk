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
        pairs=result("benchmarks", "{benchmark}.parquet"),
        labels=result("quality", "{benchmark}", "labels.parquet"),
        flaws=result("quality", "{benchmark}", "flaws.parquet"),
    log:
        log_of("benchmarks", "{benchmark}.log"),
    localrule: True
    conda:
        "../envs/unmask.yaml"
    params:
        code=lambda wildcards: code("read_benchmark.py"),
        name=lambda wildcards: wildcards.benchmark,
        entry=read_settings,
    message:
        "Reading {wildcards.benchmark}"
    script:
        "../scripts/read_benchmark.py"

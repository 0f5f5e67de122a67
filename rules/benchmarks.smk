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
        "../envs/scoring.yaml"
    params:
        code=code("fetch_benchmark.py"),
        name=lambda wildcards: wildcards.benchmark,
        entry=lambda wildcards: {
            key: value
            for key, value in as_shown(BENCHMARKS[wildcards.benchmark]).items()
            if key in ("url", "sha256", "git_blob")
        },
        query=lambda wildcards: query_digest(BENCHMARKS[wildcards.benchmark]),
    message:
        "Fetching {wildcards.benchmark}"
    script:
        "../scripts/fetch_benchmark.py"


rule read_benchmark:
    input:
        benchmark_file,
    output:
        result("benchmarks", "{benchmark}.parquet"),
    log:
        log_of("benchmarks", "{benchmark}.log"),
    localrule: True
    conda:
        "../envs/analysis.yaml"
    params:
        code=lambda wildcards: code(
            "read_benchmark.py", module_file("benchmarks/formats", BENCHMARKS[wildcards.benchmark]["format"])
        ),
        name=lambda wildcards: wildcards.benchmark,
        entry=read_settings,
        given=given(benchmark_file),
    message:
        "Reading {wildcards.benchmark}"
    script:
        "../scripts/read_benchmark.py"


rule read_labels:
    input:
        benchmark_file,
    output:
        result("quality", "{benchmark}", "labels.parquet"),
    log:
        log_of("quality", "{benchmark}", "labels.log"),
    wildcard_constraints:
        benchmark=any_of(labelled_benchmarks()),
    localrule: True
    conda:
        "../envs/analysis.yaml"
    params:
        code=lambda wildcards: code("read_labels.py", *label_modules(wildcards.benchmark)),
        name=lambda wildcards: wildcards.benchmark,
        format=lambda wildcards: BENCHMARKS[wildcards.benchmark]["format"],
        given=given(benchmark_file),
    message:
        "Reading the labels of {wildcards.benchmark}"
    script:
        "../scripts/read_labels.py"


rule find_flaws:
    input:
        unpack(labels_of),
        pairs=result("benchmarks", "{benchmark}.parquet"),
    output:
        result("quality", "{benchmark}", "flaws.parquet"),
    log:
        log_of("quality", "{benchmark}", "flaws.log"),
    localrule: True
    conda:
        "../envs/analysis.yaml"
    params:
        code=code("find_flaws.py"),
        name=lambda wildcards: wildcards.benchmark,
    message:
        "Looking for flaws in {wildcards.benchmark}"
    script:
        "../scripts/find_flaws.py"

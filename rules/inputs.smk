# Functions that tell rules their inputs and outputs: models, benchmarks, evidence, statistics, report.

from unmask.files import sha256_of_file

MANIFEST_KEYS = [
    "entry",
    "model_type",
    "parameters",
    "vocab_size",
    "max_length",
    "mask_token",
    "weights_digest",
    "tokenizer_digest",
    "files",
]


WORLD_BENCHMARKS = {"crows-pairs": "crows_pairs.csv", "stereoset": "stereoset.json"}


def world_file(entry, name):
    """A file of the world that a model, benchmark or corpus names."""
    return result("planted", entry["world"], name)


def benchmark_file(wildcards):
    """The benchmark as its source has it: on disk, of a world or downloaded."""
    entry = BENCHMARKS[wildcards.benchmark]
    if "path" in entry:
        return entry["path"]
    if "world" in entry:
        return world_file(entry, WORLD_BENCHMARKS[entry["format"]])
    return result("downloads", wildcards.benchmark, Path(entry["url"]).name)


def model_directory(wildcards):
    """Where a model's files lie."""
    entry = MODELS[wildcards.model]
    return entry["path"] if entry["source"] == "path" else result("models", wildcards.model, "files")


def model_files(wildcards):
    """What tells that a model has changed: its own files, or the facts of the rule that made it."""
    if MODELS[wildcards.model]["source"] != "path":
        return result("models", wildcards.model, "facts.json")
    return files_in(model_directory(wildcards))


def tokenizer_files(wildcards):
    """The files of the tokenizer that an untrained model takes."""
    return files_in(MODELS[wildcards.model]["tokenizer"])


def files_in(directory):
    """The files that lie in a directory."""
    return sorted(str(path) for path in Path(directory).iterdir() if path.is_file())


def maskings_on(variant):
    """The maskings that the measures on a variant need."""
    return maskings_of(measures_on(variant))


def evidence_tables(variant):
    """The evidence of one model on one variant of a benchmark, by masking, as patterns.

    A study that scores nothing has a pattern all the same.
    """
    folder = ("evidence", "{model}", "{benchmark}", "{variant}")
    return {
        masking.replace("-", "_"): result(*folder, f"{masking}.parquet")
        for masking in maskings_on(variant) or [NONE]
    }


def scoring_code(wildcards):
    """What each table of evidence depends on: one digest a masking, so that one may change by itself."""
    return {
        masking: code("score_evidence.py", module_file("evidence/maskings", masking))
        for masking in maskings_on(wildcards.variant)
    }


def evidence_files(wildcards):
    """The evidence that the measures on a variant read, by masking."""
    place = {"variant": ORIGINAL, **wildcards}
    return {masking: table.format(**place) for masking, table in evidence_tables(place["variant"]).items()}


def statistics_inputs(wildcards):
    """Pairs, scores and evidence of one model on one benchmark."""
    place = (wildcards.model, wildcards.benchmark)
    inputs = {
        "pairs": result("benchmarks", f"{wildcards.benchmark}.parquet"),
        "scores": result("scores", *place, f"{ORIGINAL}.parquet"),
        **evidence_files(wildcards),
    }
    if shuffles():
        inputs["shuffled_scores"] = result("scores", *place, f"{SHUFFLED}.parquet")
        inputs["shuffled"] = result("evidence", *place, SHUFFLED, "none.parquet")
    return inputs


def statistics_of_all(table):
    """One table of statistics for every model and benchmark, in the order of the configuration."""
    return [
        result("statistics", model, benchmark, f"{table}.parquet")
        for model in MODELS
        for benchmark in BENCHMARKS
    ]


def as_listed(entries):
    """What the report says of each model or benchmark, in the order of the configuration."""
    keys = ("published", "source", "world", "format")
    return [{"name": name, **{key: entry.get(key) for key in keys}} for name, entry in entries.items()]


def page_template():
    """A digest of the report's page, as a parameter of its rule."""
    return sha256_of_file(ROOT / "scripts/unmask/report/page.html.jinja")


def table_files():
    """The report's tables by the name that their script gives them."""
    tidy = ("bias", "near_ties", "accuracy", "tests", "agreement")
    paper = ("table1", "table3", "table4", "table5")
    files = [(table, "csv") for table in (*tidy, *paper)] + [(t, s) for t in paper for s in ("md", "tex")]
    return {f"{table}_{suffix}": result("tables", f"{table}.{suffix}") for table, suffix in files}


def figure_files():
    """The report's figures by the name that their script gives them."""
    files = [(figure, suffix) for figure in ("figure1", "bias") for suffix in ("svg", "png")]
    return {f"{figure}_{suffix}": result("figures", f"{figure}.{suffix}") for figure, suffix in files}


def benchmark_facts(benchmark):
    """The files that say where a benchmark comes from: itself, and what its download has noted."""
    url = BENCHMARKS[benchmark].get("url")
    noted = [result("downloads", benchmark, f"{Path(url).name}.facts.json")] if url else []
    return [result("benchmarks", f"{benchmark}.parquet"), *noted]


def all_scores():
    """All scores of the study."""
    return [
        result("scores", model, benchmark, f"{variant}.parquet")
        for model in MODELS
        for benchmark in BENCHMARKS
        for variant in variants()
    ]


def precision_tables():
    """What an arithmetic other than float32 changes, for every model and benchmark."""
    if config["scoring"]["dtype"] == "float32":
        return []
    return [
        result("statistics", model, benchmark, "precision.parquet")
        for model in MODELS
        for benchmark in BENCHMARKS
    ]


def final_files():
    """What a study comes to: the report, and what every family has."""
    return [result("report", "index.html"), *registered("files")]


def section_files():
    """The sections of the report in their order."""
    return [section_file(name) for name in [*registered("sections"), "provenance"]]


def provenance_files():
    """The files that say where numbers come from."""
    return [file for entry in registered("provenance") for file in entry["files"]]


def pairs_results():
    """All that tables and sections over sentence pairs are made from."""
    return {
        **{table: statistics_of_all(table) for table in ("bias", "accuracy", "tests", "agreement")},
        "published": resource("pairs/published.yaml"),
        "captions": resource("pairs/captions.yaml"),
    }


def pairs_settings():
    """What sections over sentence pairs need to know of the study."""
    return {
        "models": as_listed(MODELS),
        "benchmarks": as_listed(BENCHMARKS),
        "alpha": config["statistics"]["alpha"],
    }


def pairs_sections():
    """The sections over sentence pairs that have something to show."""
    controls = ["controls"] if shuffles() else []
    precision = ["precision"] if precision_tables() else []
    return ["summary", "paper-tables", "accuracy", *controls, "agreement", *precision]


def pairs_statistics():
    """All statistics over sentence pairs."""
    return [path for table in STATISTICS for path in statistics_of_all(table)] + precision_tables()


def benchmarks_of_worlds():
    """The benchmarks that worlds make."""
    return [name for name, entry in BENCHMARKS.items() if "world" in entry]


def truths():
    """The truth about every world that makes a benchmark."""
    files = [world_file(BENCHMARKS[benchmark], "truth.json") for benchmark in benchmarks_of_worlds()]
    return list(dict.fromkeys(files))


def planted_scores():
    """The scores on the benchmarks of worlds."""
    return [
        result("scores", model, benchmark, f"{ORIGINAL}.parquet")
        for model in MODELS
        for benchmark in benchmarks_of_worlds()
    ]

# Functions that tell rules their inputs and outputs: models, benchmarks, evidence, statistics, report.

from unmask.files import sha256_of_file

STATISTICS = ("bias", "near_ties", "accuracy", "tests", "agreement", "roc")


def planted_benchmarks():
    """The files of the planted world that stand for benchmarks, by format."""
    return {"crows-pairs": "crows_pairs.csv", "stereoset": "stereoset.json"}


def benchmark_file(wildcards):
    """The benchmark as its source has it: on disk, planted or downloaded."""
    entry = BENCHMARKS[wildcards.benchmark]
    if "path" in entry:
        return entry["path"]
    if "planted" in entry:
        return result("planted", planted_benchmarks()[entry["planted"]])
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


def evidence_files(wildcards):
    """The evidence that the measures on a variant read, by masking."""
    variant = getattr(wildcards, "variant", ORIGINAL)
    return {
        masking.replace("-", "_"): result(
            "evidence", wildcards.model, wildcards.benchmark, variant, f"{masking}.parquet"
        )
        for masking in maskings_of(measures_on(variant))
    }


def evidence_tables(variant):
    """The tables of one model on one variant of a benchmark. A study that scores nothing has the pattern of one."""
    maskings = maskings_of(measures_on(variant)) or [NONE]
    return [
        result("evidence", "{model}", "{benchmark}", "{variant}", f"{masking}.parquet")
        for masking in maskings
    ]


def scoring_code(wildcards):
    """What each table of evidence depends on: a digest for each masking, so that one may change by itself."""
    return {masking: code("score_evidence.py") for masking in maskings_of(measures_on(wildcards.variant))}


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
    keys = ("published", "source", "planted")
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


def download_facts():
    """What the downloads of benchmarks have noted."""
    return [
        result("downloads", name, f"{Path(entry['url']).name}.facts.json")
        for name, entry in BENCHMARKS.items()
        if "url" in entry
    ]


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
        result("statistics", model, benchmark, "precision.csv")
        for model in MODELS
        for benchmark in BENCHMARKS
    ]


def final_files():
    """What a study comes to: the report, the tables and the figures."""
    tables_and_figures = [*table_files().values(), *figure_files().values(), *frequency_files()]
    return [result("report", "index.html"), result("report", "provenance.json"), *tables_and_figures]


def statistics_files():
    """All statistics, which the tables and figures are made from."""
    tables = [path for table in STATISTICS for path in statistics_of_all(table)]
    return [*tables, *links_of_all(), *group_words_of_all("words"), *precision_tables()]


def planted_truth():
    """The truth about the planted world, where a benchmark is planted."""
    return result("planted", "truth.json") if planted() else []


def planted_scores():
    """The scores on planted benchmarks."""
    return [
        result("scores", model, benchmark, f"{ORIGINAL}.parquet")
        for model in MODELS
        for benchmark in planted()
    ]

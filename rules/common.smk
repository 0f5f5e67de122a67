# The study's configuration, where its results lie, and functions that tell rules their inputs.

import itertools
import math
import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(workflow.basedir) / "scripts"))

from unmask.corpora.shards import fetched_shards, files_of
from unmask.errors import InputError
from unmask.files import sha256_of_file
from unmask.measures.registry import MEASURES, maskings_of
from unmask.provenance import code_digest
from unmask.study import check_files, choose_study, complete, read_config
from unmask.tables import ORIGINAL, SHUFFLED

ROOT = Path(workflow.basedir)

try:
    _chosen = choose_study(config, ROOT, [str(path) for path in workflow.configfiles])
    _chosen = complete(_chosen, read_config(ROOT / "rules/schemas/config.schema.yaml"))
    if workflow.is_main_process:
        check_files(_chosen)
except InputError as error:
    sys.exit(f"error: {error}")
config.clear()
config.update(_chosen)

STUDY = f"results/{config['study']}"
MODELS, BENCHMARKS, CORPORA = config["models"], config["benchmarks"], config["corpora"]
MERGED_AT_ONCE = 16
SHUFFLED_MEASURES = [name for name in config["measures"] if MEASURES[name].maskings == ("none",)]


def result(*parts):
    """A path in the study's folder of results."""
    return "/".join([STUDY, *parts])


def log_of(*parts):
    """A path in the study's folder of logs."""
    return result("logs", *parts)


def any_of(names):
    """A wildcard constraint: one of the names."""
    return "|".join(map(re.escape, names)) or "(?!)"


def models_of(source):
    """The models that come from one source."""
    return [name for name, entry in MODELS.items() if entry["source"] == source]


def code(script):
    """A digest of a script and of the library modules that it imports, as a parameter of its rule."""
    return code_digest(ROOT / "scripts" / script)


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


def variants():
    """The variants of the sentences that this study scores."""
    return [ORIGINAL, SHUFFLED] if shuffles() else [ORIGINAL]


def shuffles():
    """Whether this study has the control of shuffled tokens."""
    return config["controls"]["shuffled"] is not None and bool(SHUFFLED_MEASURES)


def measures_on(variant):
    """The measures that are computed on a variant of the sentences."""
    return config["measures"] if variant == ORIGINAL else SHUFFLED_MEASURES


def evidence_files(wildcards):
    """The evidence that the measures on a variant read, by masking."""
    variant = getattr(wildcards, "variant", ORIGINAL)
    return {
        masking.replace("-", "_"): result(
            "evidence", wildcards.model, wildcards.benchmark, variant, f"{masking}.parquet"
        )
        for masking in maskings_of(measures_on(variant))
    }


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


def resource(name):
    """A hand-kept file of facts that comes with the workflow."""
    return os.path.relpath(ROOT / "resources" / name)


def page_template():
    """A digest of the report's page, as a parameter of its rule."""
    return sha256_of_file(ROOT / "scripts/unmask/report/page.html.jinja")


def table_files():
    """The report's tables by the name that their script gives them."""
    tidy = ("bias", "accuracy", "tests", "agreement")
    paper = ("table1", "table3", "table4", "table5")
    files = [(table, "csv") for table in (*tidy, *paper)] + [(t, s) for t in paper for s in ("md", "tex")]
    return {f"{table}_{suffix}": result("tables", f"{table}.{suffix}") for table, suffix in files}


def figure_files():
    """The report's figures by the name that their script gives them."""
    files = [(figure, suffix) for figure in ("figure1", "bias") for suffix in ("svg", "png")]
    return {f"{figure}_{suffix}": result("figures", f"{figure}.{suffix}") for figure, suffix in files}


def made_model_facts():
    """What the rules that make models have noted."""
    return [
        result("models", name, "facts.json") for name, entry in MODELS.items() if entry["source"] != "path"
    ]


def download_facts():
    """What the downloads of benchmarks have noted."""
    return [
        result("downloads", name, f"{Path(entry['url']).name}.facts.json")
        for name, entry in BENCHMARKS.items()
        if "url" in entry
    ]


def all_evidence():
    """All evidence of the study."""
    return [
        result("evidence", model, benchmark, variant, f"{masking}.parquet")
        for model in MODELS
        for benchmark in BENCHMARKS
        for variant in variants()
        for masking in maskings_of(measures_on(variant))
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


def planted():
    """The benchmarks that the planted world makes."""
    return [name for name, entry in BENCHMARKS.items() if "planted" in entry]


def fetched_corpora():
    """The corpora that are fetched."""
    return [name for name, entry in CORPORA.items() if "url" in entry or "repo" in entry]


def corpus_source(wildcards):
    """Where a fetched corpus comes from; how many of its shards does not matter to each of them."""
    entry = CORPORA[wildcards.corpus]
    return {key: entry[key] for key in ("url", "sha256", "repo", "revision", "subset") if key in entry}


def corpus_format(wildcards):
    """How the files of a corpus are read."""
    entry = CORPORA[wildcards.corpus]
    return {key: entry[key] for key in ("format", "column") if key in entry}


def corpus_facts(wildcards):
    """What the counts of a corpus say about where it is from."""
    return {"source": CORPORA[wildcards.corpus]}


def shards_of(corpus):
    """The files of a corpus by the names of its shards."""
    entry = CORPORA[corpus]
    if "path" in entry:
        return files_of(entry["path"])
    if "planted" in entry:
        return {"corpus.txt": result("planted", "corpus.txt")}
    return {name: result("corpora", corpus, name) for name in fetched_shards(entry)}


def shard_file(wildcards):
    """The file of a shard."""
    return shards_of(wildcards.corpus)[wildcards.shard]


def merge_level(corpus, level):
    """The tables of counts of a corpus after so many merges, MERGED_AT_ONCE at a time; its shards' at first."""
    if level == 0:
        return [result("frequency", corpus, "shards", f"{shard}.parquet") for shard in shards_of(corpus)]
    groups = math.ceil(len(merge_level(corpus, level - 1)) / MERGED_AT_ONCE)
    return [result("frequency", corpus, "merged", f"{level}-{number}.parquet") for number in range(groups)]


def counts_to_merge(wildcards):
    """The tables that one of the merges before the last puts together."""
    start = int(wildcards.number) * MERGED_AT_ONCE
    return merge_level(wildcards.corpus, int(wildcards.level) - 1)[start : start + MERGED_AT_ONCE]


def last_counts_to_merge(wildcards):
    """The tables that the last merge of a corpus puts together."""
    return next(
        tables
        for tables in (merge_level(wildcards.corpus, level) for level in itertools.count())
        if len(tables) <= MERGED_AT_ONCE
    )


def corpus_download_facts(corpus):
    """What the downloads of a corpus have noted."""
    shards = shards_of(corpus) if corpus in fetched_corpora() else []
    return [result("corpora", corpus, f"{shard}.facts.json") for shard in shards]


def corpora_for(benchmark):
    """The corpora for a benchmark's words: planted ones for a planted benchmark, the others for any other."""
    planted_one = benchmark in planted()
    return [name for name, entry in CORPORA.items() if bool(entry.get("planted")) == planted_one]


def counts_for(wildcards):
    """The word counts for a benchmark's words."""
    return [result("frequency", f"{corpus}.parquet") for corpus in corpora_for(wildcards.benchmark)]


def with_corpora(benchmarks):
    """Those benchmarks that have a corpus."""
    return [benchmark for benchmark in benchmarks if corpora_for(benchmark)]


def group_words_of_all(table):
    """The group words, or the log frequency ratios, of every benchmark that has a corpus."""
    return [result("group_words", benchmark, f"{table}.parquet") for benchmark in with_corpora(BENCHMARKS)]


def links_of_all():
    """What links each model's margins to word frequency."""
    return [
        result("statistics", model, benchmark, "frequency.parquet")
        for model in MODELS
        for benchmark in with_corpora(BENCHMARKS)
    ]


def linked_scores():
    """The scores that are linked to word frequency."""
    return [
        result("scores", model, benchmark, f"{ORIGINAL}.parquet")
        for model in MODELS
        for benchmark in with_corpora(BENCHMARKS)
    ]


def planted_pairs():
    """The planted benchmarks whose words are counted."""
    return [result("benchmarks", f"{benchmark}.parquet") for benchmark in with_corpora(planted())]


def planted_ratios():
    """The log frequency ratios of planted benchmarks."""
    return [result("group_words", benchmark, "ratios.parquet") for benchmark in with_corpora(planted())]


def frequency_files():
    """The tables and figures on word frequency; none where no benchmark has a corpus."""
    tables = [("table2", "csv"), ("table2", "md"), ("table2", "tex"), ("group_words", "csv")]
    files = [result("tables", f"{name}.{suffix}") for name, suffix in [*tables, ("frequency_link", "csv")]]
    figures = [
        result("figures", f"{name}.{s}") for name in ("frequency", "frequency_link") for s in ("svg", "png")
    ]
    return [*files, *figures] if with_corpora(BENCHMARKS) else []


def frequency_report():
    """What the report's section on word frequency is made from; nothing where no benchmark has a corpus."""
    if not with_corpora(BENCHMARKS):
        return {}
    return {
        "group_words": group_words_of_all("words"),
        "link": links_of_all(),
        "planted_pairs": planted_pairs(),
        "planted_ratios": planted_ratios(),
        "frequency_figure": result("figures", "frequency.svg"),
        "link_figure": result("figures", "frequency_link.svg"),
    }


def settings():
    """The study's settings that the report states; models, benchmarks and corpora have sections of their own."""
    elsewhere = {"models", "benchmarks", "corpora", "runtime", "data"}
    unused = set() if CORPORA else {"frequency"}
    return {key: value for key, value in config.items() if key not in elsewhere | unused}


wildcard_constraints:
    model=any_of(MODELS),
    benchmark=any_of(BENCHMARKS),
    corpus=any_of(CORPORA),
    shard=".+",
    variant=any_of([ORIGINAL, SHUFFLED]),

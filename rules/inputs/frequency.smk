# Functions that tell rules their inputs and outputs: corpora and word frequency.

from unmask.corpora.shards import fetched_shards, files_of


def fetched_corpora():
    """The corpora that are fetched."""
    return [name for name, entry in CORPORA.items() if "url" in entry or "repo" in entry]


def corpus_format(wildcards):
    """How the files of a corpus are read."""
    entry = CORPORA[wildcards.corpus]
    return {key: entry[key] for key in ("format", "column") if key in entry}


def stated_source(wildcards):
    """Where a corpus is from, as its counts state it."""
    entry = as_shown(CORPORA[wildcards.corpus])
    return {key: value for key, value in entry.items() if key != "counted"}


def shards_of(corpus):
    """The files of a corpus by the names of its shards."""
    entry = CORPORA[corpus]
    if "path" in entry:
        return {name: outside(path) for name, path in files_of(entry["path"]).items()}
    if "world" in entry:
        return {"corpus.txt": world_file(entry, "corpus.txt")}
    return {name: result("corpora", corpus, name) for name in fetched_shards(entry)}


def shard_file(wildcards):
    """The file of a shard."""
    return shards_of(wildcards.corpus)[wildcards.shard]


def counts_of_shards(wildcards):
    """The word counts of all shards of a corpus."""
    corpus = wildcards.corpus
    return [result("frequency", corpus, "shards", f"{shard}.parquet") for shard in shards_of(corpus)]


def corpus_download_facts(corpus):
    """What the downloads of a corpus have noted."""
    shards = shards_of(corpus) if corpus in fetched_corpora() else []
    return [result("corpora", corpus, f"{shard}.facts.json") for shard in shards]


def counts_for(wildcards):
    """The word counts for a benchmark's words."""
    return [result("frequency", f"{corpus}.parquet") for corpus in corpora_for(wildcards.benchmark)]


def listed_words_for(wildcards):
    """The file of the paper's group words, for its benchmark; nothing for others."""
    named = BENCHMARKS[wildcards.benchmark].get("published")
    real = wildcards.benchmark not in benchmarks_of_worlds()
    return resource("frequency/table2_words.yaml") if named == "crows-pairs" and real else []


def with_corpora(benchmarks):
    """Those benchmarks that have a corpus."""
    return [benchmark for benchmark in benchmarks if corpora_for(benchmark)]


def group_words_of_all(table):
    """The group words, or the log frequency ratios, of every benchmark that has a corpus."""
    return [result("group_words", benchmark, f"{table}.parquet") for benchmark in with_corpora(BENCHMARKS)]


def links_of_all():
    """What links each model's margins to word frequency."""
    return results_of_all("statistics", "frequency.parquet", with_corpora(BENCHMARKS))


def word_table_files():
    """The tables of group words, by the names that their module gives them."""
    return table_outputs(["table2"]) | table_outputs(["group_words"], forms=["csv"])


def link_table_files():
    """The table of what follows word frequency, by the name that its module gives it."""
    return table_outputs(["frequency_link"], forms=["csv"]) if SCORED else {}


def frequency_figure_files():
    """The figures on word frequency by the names that their module gives them."""
    return figure_outputs(["frequency", *(["frequency_link"] if SCORED else [])])


def frequency_inputs():
    """All that tables, figures and the section are made from."""
    return {
        "words": group_words_of_all("words"),
        "link": links_of_all(),
        "captions": resource("frequency/captions.yaml"),
    }


def frequency_settings():
    """What tables, figures and the section need to know of the study."""
    levels = {key: config["statistics"][key] for key in ("alpha", "confidence")}
    return pairs_settings() | levels


def counts_of_corpora():
    """The words of each corpus, counted."""
    return [result("frequency", f"{corpus}.parquet") for corpus in COUNTED]


def frequency_statistics():
    """The statistics on word frequency."""
    return [*links_of_all(), *group_words_of_all("words")]

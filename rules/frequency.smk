# Word frequency: the words of corpora counted, the group words of each benchmark among them (Table 2), and
# whether measures follow frequency.
#
#   corpora -> counts -> group words, log frequency ratios -> (measuring pairs) links

from unmask.corpora.shards import fetched_shards, files_of

COUNTED = [name for name, entry in CORPORA.items() if entry["counted"]]
DOWNLOADED_CORPORA = {
    name: {shard: result("corpora", name, shard) for shard in fetched_shards(entry)}
    for name, entry in CORPORA.items()
    if "url" in entry or "repo" in entry
}
# the files of each corpus by the names of its shards
SHARDS = DOWNLOADED_CORPORA | {
    name: (
        {shard: outside(path) for shard, path in files_of(entry["path"]).items()}
        if "path" in entry
        else {"corpus.txt": result("planted", entry["world"], "corpus.txt")}
    )
    for name, entry in CORPORA.items()
    if name not in DOWNLOADED_CORPORA
}
# the group words of the paper, for its benchmark
LISTED = {
    name: resource("frequency/table2_words.yaml")
    for name, entry in BENCHMARKS.items()
    if entry.get("published") == "crows-pairs" and "world" not in entry
}


wildcard_constraints:
    corpus=any_of(CORPORA),
    shard=".+",


rule fetch_corpus:
    output:
        file=result("corpora/{corpus}/{shard}"),
        facts=result("corpora/{corpus}/{shard}.facts.json"),
    log:
        log_of("corpora/{corpus}/{shard}.fetching.log"),
    wildcard_constraints:
        corpus=any_of(DOWNLOADED_CORPORA),
        shard=r".+(?<!\.facts\.json)",
    localrule: True
    params:
        what=lambda wildcards: f"corpus {wildcards.corpus}",
        config_keys=lambda wildcards: ["corpora", wildcards.corpus],
        # how many files a corpus has does not matter to each of them
        source=lambda wildcards: fetched_from(CORPORA[wildcards.corpus])
        | {"file": fetched_shards(CORPORA[wildcards.corpus])[wildcards.shard]},
    message:
        "Fetching {wildcards.shard} of {wildcards.corpus}"
    script:
        "../scripts/fetch_file.py"


rule count_shard:
    input:
        shard=lambda wildcards: SHARDS[wildcards.corpus][wildcards.shard],
    output:
        result("frequency/{corpus}/shards/{shard}.parquet"),
    log:
        log_of("frequency/{corpus}/{shard}.log"),
    params:
        entry=lambda wildcards: {
            key: of for key, of in CORPORA[wildcards.corpus].items() if key in ("format", "column")
        },
    message:
        "Counting the words of {wildcards.shard} of {wildcards.corpus}"
    script:
        "../scripts/count_shard.py"


rule corpus_counts:
    input:
        counts=lambda wildcards: expand(
            rules.count_shard.output, corpus=wildcards.corpus, shard=SHARDS[wildcards.corpus]
        ),
        fetched=lambda wildcards: [
            f"{file}.facts.json" for file in DOWNLOADED_CORPORA.get(wildcards.corpus, {}).values()
        ],
    output:
        result("frequency/{corpus}.parquet"),
    log:
        log_of("frequency/{corpus}.log"),
    params:
        source=lambda wildcards: {
            key: of for key, of in as_shown(CORPORA[wildcards.corpus]).items() if key != "counted"
        },
    message:
        "Word counts of {wildcards.corpus}"
    script:
        "../scripts/add_counts.py"


rule group_words:
    input:
        pairs=rules.read_benchmark.output.pairs,
        counts=lambda wildcards: expand(
            rules.corpus_counts.output, corpus=PAIRS.corpora_for(wildcards.benchmark)
        ),
        left_out=resource("frequency/left_out_words.yaml"),
        listed=lambda wildcards: LISTED.get(wildcards.benchmark, []),
    output:
        words=result("group_words/{benchmark}/words.parquet"),
        ratios=result("group_words/{benchmark}/ratios.parquet"),
    log:
        log_of("group_words/{benchmark}.log"),
    params:
        benchmark=lambda wildcards: wildcards.benchmark,
        corpora=lambda wildcards: PAIRS.corpora_for(wildcards.benchmark),
    message:
        "Looking up the group words of {wildcards.benchmark}"
    script:
        "../scripts/count_group_words.py"


GROUP_WORDS = collect(rules.group_words.output.words, benchmark=RATIOS)
LINKS = collect(MEASURE_FILES.get("frequency", []), zip, **PAIRS.places(benchmarks=RATIOS))

register(
    "frequency",
    keys=["corpora"],
    # where no benchmark has a corpus
    files=collect(rules.corpus_counts.output, corpus=[] if RATIOS else COUNTED),
    statistics=[*LINKS, *GROUP_WORDS],
    provenance=[
        {
            "title": f"Corpus {corpus}",
            "files": [result("frequency", f"{corpus}.parquet")],
            "keys": [],
            "stated": licence(CORPORA[corpus], made="world" in CORPORA[corpus]),
        }
        for corpus in COUNTED
    ],
)

if RATIOS:
    _settings = PAIRS_SETTINGS | {key: config["statistics"][key] for key in ("alpha", "confidence")}
    # apart from the rest, as it needs no model
    presents(
        "frequency",
        {"words": GROUP_WORDS, "captions": resource("frequency/captions.yaml")},
        table_outputs(["table2"]) | table_outputs(["group_words"], forms=["csv"]),
        settings=_settings,
        what="Table 2",
        name="table2",
    )
    presents(
        "frequency",
        {"words": GROUP_WORDS, "link": LINKS, "captions": resource("frequency/captions.yaml")},
        table_outputs(["frequency_link"] if SCORED else [], forms=["csv"])
        | figure_outputs(["frequency", *(["frequency_link"] if SCORED else [])]),
        ["frequency"],
        _settings,
        what="word frequency",
    )

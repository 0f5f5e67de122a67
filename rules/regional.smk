# Regional bias (HERB): how differently models speak of a region's regions, and what that does to classifiers.
#
#   regions, words -> likelihoods (per model and list of words) -> scores
#   labelled tables -> classifiers -> prefixes

from unmask.regional import study as regional_study

REGIONAL = config.get("regional", {})
REGIONAL_WORDS = REGIONAL.get("words", {})
FIRST_LIST = next(iter(REGIONAL_WORDS), None)
LABELLED_TABLES = REGIONAL.get("prefixes", {})
OWN_REGIONS = {"table": outside(REGIONAL["regions"]["path"])} if "path" in REGIONAL.get("regions", {}) else {}
OWN_WORDS = [outside(path) for path in REGIONAL_WORDS.values() if path != "published"]
# the sentences of the paper, and those of the released code where its protocol is wanted
SENTENCES = ["likelihoods", *(["released"] if "published" in REGIONAL.get("protocols", []) else [])]
GEONAMES_LICENCE = "CC BY 4.0"
CLASSIFIERS = MODELS.of_kind("text-classification")
HAS_MAPS = bool(REGIONAL) and regional_study.has_maps(REGIONAL)

with refusing():
    MEASURED_ON_REGIONS = regional_study.measured_models(REGIONAL, MODELS)
    MODELS.check_bases("regional-sentences")
    MODELS.check_bases("fine-tuned-classifier")
    regional_study.check_study(REGIONAL, MEASURED_ON_REGIONS, MODELS, CLASSIFIERS)

REGIONAL_SERIES = regional_study.series_of(MEASURED_ON_REGIONS, MODELS)
# the files of labelled tables by table and part, and those that are fetched
SOURCES = {
    (table, part): source
    for table, entry in LABELLED_TABLES.items()
    for part, source in entry["files"].items()
}
FETCHED_PARTS = [part for part, source in SOURCES.items() if "path" not in source]
PARTS = {
    part: outside(source["path"]) if "path" in source else result("regional/tables", *part)
    for part, source in SOURCES.items()
}


wildcard_constraints:
    list=any_of(REGIONAL_WORDS),
    sentences="likelihoods|released",
    table=any_of(LABELLED_TABLES),
    part="train|test",


rule read_regional:
    input:
        **OWN_REGIONS,
        published=resource("regional/words.yaml"),
        lists=OWN_WORDS,
    output:
        regions=result("regional/regions.parquet"),
        words=result("regional/words.parquet"),
    log:
        log_of("regional/reading.log"),
    params:
        regions=REGIONAL.get("regions"),
        words=REGIONAL_WORDS,
        maps=HAS_MAPS,
        mapped_word=REGIONAL.get("mapped_word"),
    message:
        "Reading the regions, and the words that they are described with"
    script:
        "../scripts/read_regional.py"


rule regional_likelihoods:
    input:
        manifest=result("models/{model}/manifest.json"),
        regions=rules.read_regional.output.regions,
        words=rules.read_regional.output.words,
    output:
        # which Snakemake leaves where it is: what is there of just these sentences is not read again
        update(result("regional/{model}/{sentences}/{list}.parquet")),
    log:
        log_of("regional/{model}/{sentences}/{list}.log"),
    wildcard_constraints:
        model=any_of(MEASURED_ON_REGIONS),
    threads: config["runtime"]["threads"]
    resources:
        **GPU,
        mem_mb=scoring_memory,
    params:
        model=lambda wildcards: wildcards.model,
        list=lambda wildcards: wildcards.list,
        released=lambda wildcards: wildcards.sentences == "released",
        # a function, as its braces are no wildcards
        template=lambda wildcards: REGIONAL["template"],
        dtype="float32",
    message:
        "Scoring sentences about regions with {wildcards.model} ({wildcards.sentences}, {wildcards.list})"
    script:
        "../scripts/score_regions.py"


rule embed_names:
    input:
        manifest=result("models/{model}/manifest.json"),
        regions=rules.read_regional.output.regions,
    output:
        result("regional/{model}/name_vectors.parquet"),
    log:
        log_of("regional/{model}/names.log"),
    wildcard_constraints:
        model=any_of(MEASURED_ON_REGIONS),
    threads: config["runtime"]["threads"]
    resources:
        **GPU,
        mem_mb=scoring_memory,
    params:
        model=lambda wildcards: wildcards.model,
    message:
        "Embedding the names of regions with {wildcards.model}"
    script:
        "../scripts/embed_names.py"


rule score_hierarchy:
    input:
        **{
            each: collect(
                rules.regional_likelihoods.output, sentences=each, list=REGIONAL_WORDS, allow_missing=True
            )
            for each in SENTENCES
        },
        regions=rules.read_regional.output.regions,
        words=rules.read_regional.output.words,
    output:
        result("regional/{model}/scores.parquet"),
    log:
        log_of("regional/{model}/scores.log"),
    wildcard_constraints:
        model=any_of(MEASURED_ON_REGIONS),
    resources:
        mem_mb=table_memory,
    params:
        **{key: REGIONAL.get(key) for key in ("protocols", "draws", "seed")},
        model=lambda wildcards: wildcards.model,
        confidence=config["statistics"]["confidence"],
    message:
        "Scoring the regional bias of {wildcards.model}"
    script:
        "../scripts/score_hierarchy.py"


rule fetch_labelled:
    output:
        file=result("regional/tables/{table}/{part}"),
        facts=result("regional/tables/{table}/{part}.facts.json"),
    log:
        log_of("regional/tables/{table}/{part}.fetching.log"),
    wildcard_constraints:
        table=any_of(table for table, part in FETCHED_PARTS),
    localrule: True
    params:
        what=lambda wildcards: f"table {wildcards.table}",
        config_keys=lambda wildcards: ["regional", "prefixes", wildcards.table, "files", wildcards.part],
        source=lambda wildcards: fetched_from(SOURCES[wildcards.table, wildcards.part]),
    message:
        "Fetching the part {wildcards.part} of {wildcards.table}"
    script:
        "../scripts/fetch_file.py"


makes(
    "fine-tuned-classifier",
    lambda wildcards: entry_with("from", "table", "batch", "learning_rate", "epochs", "max_length", "seed")(
        wildcards
    )
    | {
        # in the order of the classifier's outputs
        "labels": list(LABELLED_TABLES[MODELS[wildcards.model]["table"]]["labels"]),
        "columns": regional_study.reading_settings(
            LABELLED_TABLES[MODELS[wildcards.model]["table"]], "train"
        ),
    },
    lambda wildcards: {"table": PARTS[MODELS[wildcards.model]["table"], "train"]},
    memory=training_memory,
)


rule prefix_regions:
    input:
        manifest=result("models/{model}/manifest.json"),
        regions=rules.read_regional.output.regions,
        table=lambda wildcards: PARTS[wildcards.table, "test"],
    output:
        update(result("regional/prefixes/{model}/{table}.parquet")),
    log:
        log_of("regional/prefixes/{model}/{table}.log"),
    wildcard_constraints:
        model=any_of(CLASSIFIERS),
    threads: config["runtime"]["threads"]
    resources:
        **GPU,
        mem_mb=scoring_memory,
    params:
        classifier=lambda wildcards: wildcards.model,
        table=lambda wildcards: wildcards.table,
        entry=lambda wildcards: {
            key: LABELLED_TABLES[wildcards.table][key] for key in ("positive", "prefixes")
        }
        | regional_study.reading_settings(LABELLED_TABLES[wildcards.table], "test"),
        source=lambda wildcards: regional_study.shown_source(LABELLED_TABLES[wildcards.table]),
    message:
        "Reading {wildcards.table} with {wildcards.model} behind the names of regions"
    script:
        "../scripts/prefix_regions.py"


makes(
    "regional-sentences",
    lambda wildcards: entry_with("from", "epochs", "top", "learning_rate", "seed")(wildcards)
    | {"list": FIRST_LIST},
    lambda wildcards: {
        "likelihoods": result(
            "regional", MODELS[wildcards.model]["from"], f"likelihoods/{FIRST_LIST}.parquet"
        ),
        "words": str(rules.read_regional.output.words),
    },
    memory=scoring_memory,
)


REGIONAL_SCORES = collect(rules.score_hierarchy.output, model=MEASURED_ON_REGIONS)
FIRST_LIKELIHOODS = collect(
    rules.regional_likelihoods.output, model=MEASURED_ON_REGIONS, sentences="likelihoods", list=FIRST_LIST
)
NAME_VECTORS = (
    collect(rules.embed_names.output, model=MEASURED_ON_REGIONS) if REGIONAL.get("name_vectors") else []
)
PREFIXES = [
    result("regional/prefixes", model, f"{table}.parquet")
    for table, entry in LABELLED_TABLES.items()
    for model in entry["classifiers"]
]


# title: files, keys of what is stated in them, and the entry that has the licence
REGIONAL_ORIGINS = {
    "Regions": (rules.read_regional.output[:1], [], REGIONAL if OWN_REGIONS else {LICENCE: GEONAMES_LICENCE}),
    "Words about regions": (rules.read_regional.output[1:], [], REGIONAL if OWN_WORDS else {}),
    "Sentences about regions": (FIRST_LIKELIHOODS, ["template", "device", "dtype", *VERSION_KEYS], None),
    **({"Texts behind regions' names": (PREFIXES, ["source", *VERSION_KEYS], None)} if PREFIXES else {}),
    **{f"Texts {table}": ([], [], entry) for table, entry in LABELLED_TABLES.items() if PREFIXES},
}

register(
    "regional",
    statistics=[*REGIONAL_SCORES, *PREFIXES],
    provenance=[
        {"title": title, "files": list(map(str, files)), "keys": keys}
        | ({} if entry is None else {"stated": licence(entry)})
        for title, (files, keys, entry) in REGIONAL_ORIGINS.items()
        if REGIONAL
    ],
)

if REGIONAL:
    _charts = {
        "scores": True,
        "word_map": HAS_MAPS and REGIONAL["mapped_word"],
        "names": NAME_VECTORS,
        "series": REGIONAL_SERIES,
        "positive_map": HAS_MAPS and PREFIXES,
    }
    presents(
        "regional",
        {
            "regions": rules.read_regional.output.regions,
            "scores": REGIONAL_SCORES,
            "likelihoods": FIRST_LIKELIHOODS,
            "prefixes": PREFIXES,
            "name_vectors": NAME_VECTORS,
            "captions": resource("regional/captions.yaml"),
            "published": resource("regional/published.csv"),
            "borders": resource("regional/countries-110m.json") if HAS_MAPS else [],
        },
        table_outputs([f"table{number}" for number in range(1, 7)], "regional_")
        | figure_outputs([name for name, wanted in _charts.items() if wanted], "regional_"),
        ["regional"],
        {
            "models": display_metadata(MEASURED_ON_REGIONS, MODELS),
            "alpha": config["statistics"]["alpha"],
            "confidence": config["statistics"]["confidence"],
            "word": REGIONAL["mapped_word"],
            "series": REGIONAL_SERIES,
        },
        what="regional bias",
    )

# Pairs of sentences: which one a language model prefers, how surely, and how that looks in the report.
#
#   benchmarks -> evidence (per model, read once) -> scores, statistics -> comparisons
#   files of scores made elsewhere ----------------^
#   corpora -> log frequency ratios (frequency.smk) --^

from unmask.pairs.elsewhere import check_score_files
from unmask.pairs.keys import MEASURES as KNOWN_MEASURES
from unmask.pairs.study import PairsStudy
from unmask.statistics import STATISTICS
from unmask.terms import ORIGINAL, SHUFFLED
from unmask.urls import file_name

# what the study says of pairs: which models have untrained networks beside them (key controls), which are
# read in another arithmetic (key dtype), and which corpora count the words of a benchmark. places() is
# {"model": […], "benchmark": […]}, side by side; on(benchmark) are the models that are scored on it
PAIRS = PairsStudy(config, MODELS)
# the models that are scored on pairs, and the measures of the study
SCORED, MEASURES = PAIRS.models, PAIRS.measures
EXPLORED = PAIRS.explored_models
SCORING = config.get("scoring", {})
# alpha is left out on purpose: only the tables compare with it
OPTIONS = {key: value for key, value in config["statistics"].items() if key != "alpha"}
COMPARING = {key: OPTIONS.get(key) for key in ("confidence", "clusters")}
# models after fine-tuning are in no table of pairs, but are measured as the others
MEASURED_MODELS = [name for name in MODELS if name in SCORED or (SCORED and MODELS.kind(name) == MASKED_LM)]

with refusing():
    PAIRS.check()
    if workflow.is_main_process:
        # of source "scored": a file of scores in place of a model
        check_score_files({name: MODELS[name] for name in MODELS.of("scored")}, KNOWN_MEASURES)


wildcard_constraints:
    benchmark=any_of(BENCHMARKS),
    series=any_of(PAIRS.series),


# Benchmarks, on disk, of a world or downloaded, are read into a table of pairs.

WORLD_FILES = {"crows-pairs": "crows_pairs.csv", "stereoset": "stereoset.json"}
ON_DISK = {name: outside(entry["path"]) for name, entry in BENCHMARKS.items() if "path" in entry}
OF_WORLDS = {
    name: result("planted", entry["world"], WORLD_FILES[entry["format"]])
    for name, entry in BENCHMARKS.items()
    if "world" in entry
}
DOWNLOADED = {
    name: result("downloads", name, file_name(entry["url"]))
    for name, entry in BENCHMARKS.items()
    if "url" in entry
}
# what the pairs do not depend on: checksums, which are checked before, and what is only shown
NOT_READ = ("sha256", "git_blob", "licence", "published")


rule fetch_benchmark:
    output:
        file=result("downloads/{benchmark}/{file}"),
        facts=result("downloads/{benchmark}/{file}.facts.json"),
    log:
        log_of("downloads/{benchmark}/{file}.log"),
    wildcard_constraints:
        benchmark=any_of(DOWNLOADED),
        file=any_of(path.rpartition("/")[2] for path in DOWNLOADED.values()),
    localrule: True
    params:
        what=lambda wildcards: f"benchmark {wildcards.benchmark}",
        config_keys=lambda wildcards: ["benchmarks", wildcards.benchmark],
        source=lambda wildcards: fetched_from(BENCHMARKS[wildcards.benchmark]),
    message:
        "Fetching {wildcards.benchmark}"
    script:
        "../scripts/fetch_file.py"


rule read_benchmark:
    input:
        lambda wildcards: (ON_DISK | OF_WORLDS | DOWNLOADED)[wildcards.benchmark],
    output:
        pairs=result("benchmarks/{benchmark}.parquet"),
        flaws=result("quality/{benchmark}/flaws.parquet"),
    log:
        log_of("benchmarks/{benchmark}.log"),
    localrule: True
    params:
        name=lambda wildcards: wildcards.benchmark,
        entry=lambda wildcards: {
            key: value
            for key, value in as_shown(BENCHMARKS[wildcards.benchmark]).items()
            if key not in NOT_READ
        },
    message:
        "Reading {wildcards.benchmark}"
    script:
        "../scripts/read_benchmark.py"


# Evidence: one job runs a model over a benchmark, every variant under every masking that the measures need.
# Its output for Snakemake is the list of its tables, which Snakemake leaves where it is while the job runs:
# so a job that is started again, for one masking more or after a kill, keeps the tables that are there. The
# manifest stands for the model's files, whose digests it has.


rule evidence:
    input:
        manifest=result("models/{model}/manifest.json"),
        pairs=rules.read_benchmark.output.pairs,
    output:
        update(result("evidence/{model}/{benchmark}/digests.json")),
    log:
        log_of("evidence/{model}/{benchmark}.log"),
    wildcard_constraints:
        model=any_of(WITH_FILES),
    threads: config["runtime"]["threads"]
    resources:
        **GPU,
        mem_mb=scoring_memory,
    params:
        wanted=lambda wildcards: PAIRS.evidence_of(wildcards.model),
        dtype=lambda wildcards: PAIRS.dtype(wildcards.model),
        unknown_tokens=SCORING.get("unknown_tokens"),
    message:
        "Reading {wildcards.benchmark} with {wildcards.model}"
    script:
        "../scripts/score_evidence.py"


rule untrained:
    input:
        manifest=result("models/{model}/manifest.json"),
        pairs=rules.read_benchmark.output.pairs,
    output:
        update(result("untrained/{model}/{benchmark}/digests.json")),
    log:
        log_of("untrained/{model}/{benchmark}.log"),
    wildcard_constraints:
        model=any_of(WITH_FILES),
    threads: config["runtime"]["threads"]
    resources:
        **GPU,
        mem_mb=scoring_memory,
    params:
        seeds=PAIRS.seeds,
        measures=lambda wildcards: PAIRS.measures_of(wildcards.model, ORIGINAL),
        dtype=lambda wildcards: PAIRS.dtype(wildcards.model),
        unknown_tokens=SCORING.get("unknown_tokens"),
    message:
        "Scoring {wildcards.benchmark} with untrained networks like {wildcards.model}"
    script:
        "../scripts/score_untrained.py"


# An oracle knows its world: its evidence is computed.


rule oracle_manifest:
    output:
        result("models/{model}/manifest.json"),
    log:
        log_of("models/{model}/oracle.log"),
    wildcard_constraints:
        model=any_of(MODELS.of("oracle")),
    localrule: True
    params:
        entry=lambda wildcards: MODELS[wildcards.model],
        settings=lambda wildcards: WORLDS[MODELS[wildcards.model]["world"]],
    message:
        "Describing {wildcards.model}, which knows its world"
    script:
        "../scripts/make_oracle.py"


rule oracle_evidence:
    input:
        manifest=result("models/{model}/manifest.json"),
        pairs=rules.read_benchmark.output.pairs,
    output:
        update(result("evidence/{model}/{benchmark}/digests.json")),
    log:
        log_of("evidence/{model}/{benchmark}.log"),
    wildcard_constraints:
        model=any_of(MODELS.of("oracle")),
    params:
        maskings=lambda wildcards: [each["masking"] for each in PAIRS.evidence_of(wildcards.model)],
        entry=lambda wildcards: MODELS[wildcards.model],
        settings=lambda wildcards: WORLDS[MODELS[wildcards.model]["world"]],
    message:
        "Computing what {wildcards.model} knows of {wildcards.benchmark}"
    script:
        "../scripts/score_oracle.py"


# Measures: evidence, or a file of scores in its place, becomes scores in both protocols, and what they say,
# and how surely. What a model lacks is a table without rows; what the study lacks is no table.

# the list of scores of untrained networks like a model, and the log frequency ratios of a benchmark's pairs,
# which group_words (frequency.smk) makes for those that have a corpus
UNTRAINED = {
    model: result("untrained", PAIRS.untrained_like(model), "{benchmark}/digests.json")
    for model in MEASURED_MODELS
    if PAIRS.has_untrained(model)
}
RATIOS = {
    name: [result("group_words", name, "ratios.parquet")] for name in BENCHMARKS if PAIRS.corpora_for(name)
}
# a rule has the same files for every benchmark: these are left out where no benchmark of the study has rows
LACKING = [
    *([] if PAIRS.any_has("ratings") else ["agreement", "roc"]),
    *([] if PAIRS.any_has("unrelated") else ["lms"]),
]
MEASURE_FILES = {
    "scores": result("scores/{model}/{benchmark}/original.parquet"),
    "shuffled_scores": result("scores/{model}/{benchmark}/shuffled.parquet"),
    "explored": result("explorer/{model}/{benchmark}/pairs.json"),
    **{
        name: result("statistics/{model}/{benchmark}", f"{name}.parquet")
        for name in [*STATISTICS, *(["frequency"] if RATIOS else [])]
        if name not in LACKING
    },
}


rule measure_pairs:
    input:
        pairs=rules.read_benchmark.output.pairs,
        flaws=rules.read_benchmark.output.flaws,
        evidence=result("evidence/{model}/{benchmark}/digests.json"),
        untrained=lambda wildcards: expand(UNTRAINED.get(wildcards.model, []), **wildcards),
        ratios=lambda wildcards: RATIOS.get(wildcards.benchmark, []),
    output:
        **MEASURE_FILES,
    log:
        log_of("measures/{model}/{benchmark}.log"),
    wildcard_constraints:
        model=any_of(name for name in MEASURED_MODELS if name not in PAIRS.made_elsewhere),
    resources:
        mem_mb=table_memory,
    params:
        measures=lambda wildcards: PAIRS.measures_for(wildcards.model),
        scored_measures=lambda wildcards: PAIRS.measures_of(wildcards.model, ORIGINAL),
        shuffled_measures=lambda wildcards: PAIRS.measures_of(wildcards.model, SHUFFLED),
        options=OPTIONS,
        explored=lambda wildcards: PAIRS.explorer["pairs"] if wildcards.model in EXPLORED else 0,
    message:
        "Measuring {wildcards.model} on {wildcards.benchmark}"
    script:
        "../scripts/measure_pairs.py"


rule describe_score_file:
    input:
        lambda wildcards: outside(MODELS[wildcards.model]["path"]),
    output:
        result("models/{model}/manifest.json"),
    log:
        log_of("models/{model}/reading.log"),
    wildcard_constraints:
        model=any_of(MODELS.of("scored")),
    localrule: True
    params:
        entry=entry_with("path", "type", "delimiter", "quotes", "columns", "measure"),
    message:
        "Reading the scores of {wildcards.model}"
    script:
        "../scripts/describe_score_file.py"


rule match_scores:
    input:
        pairs=rules.read_benchmark.output.pairs,
        flaws=rules.read_benchmark.output.flaws,
        file=lambda wildcards: outside(MODELS[wildcards.model]["path"]),
        ratios=lambda wildcards: RATIOS.get(wildcards.benchmark, []),
    output:
        **MEASURE_FILES,
    log:
        log_of("measures/{model}/{benchmark}.log"),
    wildcard_constraints:
        model=any_of(PAIRS.made_elsewhere),
    resources:
        mem_mb=table_memory,
    params:
        entry=entry_with("path", "type", "delimiter", "quotes", "columns", "measure"),
        options=OPTIONS,
        explored=lambda wildcards: PAIRS.explorer["pairs"] if wildcards.model in EXPLORED else 0,
    message:
        "Matching the scores of {wildcards.model} with {wildcards.benchmark}"
    script:
        "../scripts/match_scores.py"


# Comparisons: of models on a benchmark, of a benchmark with the one that it is a version of, and of the
# states of a series.


rule compare_models:
    input:
        pairs=rules.read_benchmark.output.pairs,
        scores=lambda wildcards: expand(
            MEASURE_FILES["scores"], model=PAIRS.on(wildcards.benchmark), benchmark=wildcards.benchmark
        ),
    output:
        result("comparisons/{benchmark}.parquet"),
    log:
        log_of("comparisons/{benchmark}.log"),
    resources:
        mem_mb=table_memory,
    params:
        measures=MEASURES,
        options=COMPARING,
        what=lambda wildcards: f"benchmark {wildcards.benchmark}",
        about=lambda wildcards: {
            "benchmark": wildcards.benchmark,
            "models": PAIRS.on(wildcards.benchmark),
        },
    message:
        "Comparing the models on {wildcards.benchmark}"
    script:
        "../scripts/compare_scores.py"


rule compare_versions:
    input:
        pairs=rules.read_benchmark.output.pairs,
        original_pairs=lambda wildcards: result(
            "benchmarks", f"{PAIRS.versions[wildcards.benchmark]}.parquet"
        ),
        scores=lambda wildcards: expand(
            MEASURE_FILES["scores"],
            model=PAIRS.on_versions(wildcards.benchmark),
            benchmark=wildcards.benchmark,
        ),
        original_scores=lambda wildcards: expand(
            MEASURE_FILES["scores"],
            model=PAIRS.on_versions(wildcards.benchmark),
            benchmark=PAIRS.versions[wildcards.benchmark],
        ),
    output:
        result("versions/{benchmark}.parquet"),
    log:
        log_of("versions/{benchmark}.log"),
    wildcard_constraints:
        benchmark=any_of(PAIRS.versions),
    resources:
        mem_mb=table_memory,
    params:
        measures=MEASURES,
        options=COMPARING,
        what=lambda wildcards: (
            f"config key benchmarks.{wildcards.benchmark}.version_of: {PAIRS.versions[wildcards.benchmark]}"
        ),
        about=lambda wildcards: {
            "benchmark": wildcards.benchmark,
            "original": PAIRS.versions[wildcards.benchmark],
            "models": PAIRS.on_versions(wildcards.benchmark),
        },
    message:
        "Comparing {wildcards.benchmark} with what it is a version of"
    script:
        "../scripts/compare_scores.py"


rule compare_states:
    input:
        pairs=rules.read_benchmark.output.pairs,
        scores=lambda wildcards: expand(
            MEASURE_FILES["scores"],
            model=PAIRS.states_on(**wildcards).values(),
            benchmark=wildcards.benchmark,
        ),
    output:
        result("series/{series}/{benchmark}.parquet"),
    log:
        log_of("series/{series}/{benchmark}.log"),
    resources:
        mem_mb=table_memory,
    params:
        measures=MEASURES,
        options=COMPARING,
        what=lambda wildcards: f"series {wildcards.series}, benchmark {wildcards.benchmark}",
        about=lambda wildcards: dict(wildcards.items()) | {"states": list(PAIRS.states_on(**wildcards))},
    message:
        "Comparing the states of {wildcards.series} on {wildcards.benchmark}"
    script:
        "../scripts/compare_scores.py"


# What the study has of all this, and what the report shows.

PAIR_TABLES = collect(rules.read_benchmark.output.pairs, benchmark=BENCHMARKS)
FLAWS = collect(rules.read_benchmark.output.flaws, benchmark=BENCHMARKS)
OF_ALL = {name: collect(path, zip, **PAIRS.places()) for name, path in MEASURE_FILES.items()}
ALL_STATISTICS = {name: OF_ALL.get(name, []) for name in STATISTICS}
ALL_SCORES = OF_ALL["scores"] + collect(
    MEASURE_FILES["shuffled_scores"], zip, **PAIRS.places(PAIRS.shuffled_models)
)
ALL_UNTRAINED = [
    result("untrained", PAIRS.untrained_like(model), benchmark, "digests.json")
    for model in SCORED
    if model in UNTRAINED
    for benchmark in PAIRS.places([model])["benchmark"]
]
MODELS_COMPARED = collect(
    rules.compare_models.output, benchmark=[name for name in BENCHMARKS if len(PAIRS.on(name)) > 1]
)
VERSIONS_COMPARED = collect(
    rules.compare_versions.output, benchmark=[name for name in PAIRS.versions if PAIRS.on_versions(name)]
)
STATES_COMPARED = [
    result("series", series, f"{benchmark}.parquet")
    for series in PAIRS.series
    for benchmark in BENCHMARKS
    if len(PAIRS.states_on(series, benchmark)) > 1
]
TRUTHS = list(
    dict.fromkeys(
        result("planted", entry["world"], "truth.json") for entry in BENCHMARKS.values() if "world" in entry
    )
)
COMPARISONS = [*MODELS_COMPARED, *VERSIONS_COMPARED, *STATES_COMPARED]
# what sections over sentence pairs need to know of the study
PAIRS_SETTINGS = {
    "models": display_metadata(SCORED, MODELS),
    "benchmarks": display_metadata(BENCHMARKS, BENCHMARKS),
    "dtypes": sorted({PAIRS.dtype(model) for model in SCORED} - {None, "float32"}),
}
SCORING_STEPS = {
    # scores keep the facts of their evidence
    "Scoring": {
        "files": ALL_SCORES,
        "within": "evidence",
        "keys": ["device", "dtype", *VERSION_KEYS, "shuffle_seed"],
    },
    "Untrained networks": {
        "files": list(dict.fromkeys(ALL_UNTRAINED)),
        "keys": ["device", "dtype", *VERSION_KEYS],
    },
    "Measures": {"files": ALL_SCORES, "keys": VERSION_KEYS},
    "Statistics": {"files": [*OF_ALL["bias"], *COMPARISONS], "keys": VERSION_KEYS},
}

register(
    "pairs",
    keys=["benchmarks"],
    statistics=[
        *(FLAWS if SCORED else []),
        *(path for paths in ALL_STATISTICS.values() for path in paths),
        *COMPARISONS,
    ],
    provenance=[
        *(
            {
                "title": f"Benchmark {name}",
                "files": [
                    result("benchmarks", f"{name}.parquet"),
                    *([f"{DOWNLOADED[name]}.facts.json"] if name in DOWNLOADED else []),
                ],
                "keys": [],
                "stated": licence(entry, made="world" in entry)
                | {key: entry[key] for key in ("without",) if key in entry},
            }
            for name, entry in BENCHMARKS.items()
        ),
        *({"title": title, **step} for title, step in SCORING_STEPS.items() if SCORED and step["files"]),
    ],
    programs=["pairs/explorer"] if PAIRS.explorer else [],
)

if SCORED:
    presents(
        "pairs",
        {
            **ALL_STATISTICS,
            "models_compared": MODELS_COMPARED,
            "versions": VERSIONS_COMPARED,
            "states": STATES_COMPARED,
            "pairs": PAIR_TABLES,
            "published": resource("pairs/published.csv"),
            "captions": resource("pairs/captions.yaml"),
            "flaws": FLAWS,
            "explored": collect(MEASURE_FILES["explored"], zip, **PAIRS.places(EXPLORED)),
            "truths": TRUTHS,
        },
        table_outputs(
            [
                *("bias", "leverage", "accuracy", "tests", "quality", "compared"),
                *(name for name in ("agreement", "lms") if name not in LACKING),
                *(["planted"] if OF_WORLDS else []),
            ],
            forms=["csv"],
        )
        # of tables of one's own the paper has none
        | table_outputs(["table1", "table3", "table4", "table5"] if PAIRS.in_papers_form else [])
        | figure_outputs(
            [
                "bias",
                *(["figure1"] if PAIRS.in_papers_form else []),
                *(["series"] if STATES_COMPARED else []),
                *(["planted"] if OF_WORLDS else []),
            ]
        ),
        ["pairs"],
        PAIRS_SETTINGS
        | {
            "measures": MEASURES,
            "series": PAIRS.series,
            # what they prefer was planted
            "judged": [name for name in MODELS.of("train") if MODELS[name].get("steps") != 0],
            "own_code": [model for model in SCORED if MODELS.runs_own_code(model)],
            "explorer": {
                "models": EXPLORED,
                "benchmarks": PAIRS.explored_benchmarks,
                "licences": {
                    name: BENCHMARKS[name].get("licence") or NOT_STATED
                    for name in PAIRS.explored_benchmarks
                    if name not in OF_WORLDS
                },
                "most": PAIRS.explorer.get("pairs"),
            },
        },
        what="pairs of sentences",
    )

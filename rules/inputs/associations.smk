# Inputs and parameters of the rules of the same name.


def tested_models(*kinds):
    """The models of some kinds that are tested, in the order of the study; not those that a family makes for
    measures of its own."""
    chosen = ASSOCIATIONS.get("models")
    return [
        name
        for name in (models_with_files() if ASSOCIATIONS else [])
        if kind_of(name) in kinds
        and SOURCES[MODELS[name]["source"]].on_pairs
        and (chosen is None or name in chosen)
    ]


def encoders_of(suite):
    """The encoders that read a suite."""
    chosen = SUITES[suite]["encoders"]
    able = VISION_MODELS if suite in GROUNDED_SUITES else [*TEXT_MODELS, *VECTORS]
    return [name for name in able if chosen is None or name in chosen]


def test_files(suite):
    """The files of the tests of a suite."""
    return list(files_of_pattern(SUITES[suite]["path"]).values())


def suite_files(wildcards):
    """The files that a suite is read from, by name."""
    entry = SUITES[wildcards.suite]
    files = {"tests": list(map(outside, test_files(wildcards.suite)))}
    return files | ({"words": outside(entry["words"])} if entry["words"] else {})


def suite_settings(wildcards):
    """How a suite is read."""
    entry = SUITES[wildcards.suite]
    return {key: entry[key] for key in ("format", "only", "repeated_keys") if key in entry}


def suite_pictures(wildcards):
    """The features of the pictures of a suite; nothing where it has none."""
    entry = SUITES[wildcards.suite]
    return {"features": outside(entry["features"])} if "features" in entry else {}


def suite_poolings(wildcards):
    """How the encoders of a suite make one vector of what they read."""
    return list(GROUNDED) if wildcards.suite in GROUNDED_SUITES else ASSOCIATIONS["poolings"]


def association_tables():
    """The results of every encoder and suite that it can read."""
    return [
        result("associations", encoder, suite, "associations.parquet")
        for suite in SUITES
        for encoder in encoders_of(suite)
    ]


def associations_provenance():
    """Where tests and word vectors came from."""
    keys = ["versions", "code"]
    suites = [
        {
            "title": f"Association tests {suite}",
            "files": [result("associations", "suites", f"{suite}.parquet")],
            "keys": ["format", "source", *keys],
            "stated": licence(entry),
        }
        for suite, entry in SUITES.items()
    ]
    vectors = [
        {
            "title": f"Word vectors {name}",
            "files": [
                result("associations", name, suite, "associations.parquet")
                for suite in SUITES
                if name in encoders_of(suite)
            ][:1],
            "keys": ["embedded", *keys],
            "stated": licence(entry),
        }
        for name, entry in VECTORS.items()
    ]
    return [*suites, *vectors]

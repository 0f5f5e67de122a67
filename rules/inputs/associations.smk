# Functions that tell rules their inputs and outputs: association tests.

from unmask.associations.published import COLUMNS as PUBLISHED_ASSOCIATIONS
from unmask.associations.shown import FIGURES as ASSOCIATION_FIGURES
from unmask.associations.shown import TABLES as ASSOCIATION_TABLES
from unmask.associations.study import check_study as check_study_of_associations
from unmask.associations.terms import GROUNDED, GROUNDED_FORMAT
from unmask.corpora.shards import files_of as files_of_pattern
from unmask.report.published import published_rows

ASSOCIATIONS = config.get("associations", {})
SUITES = ASSOCIATIONS.get("tests", {})
VECTORS = ASSOCIATIONS.get("vectors", {})


def wanted_models(kinds):
    """The models of some kinds that are tested, in the order of the study; not those that a family makes for
    measures of its own."""
    able = [
        name
        for name in models_with_files()
        if kind_of(name) in kinds and SOURCES[MODELS[name]["source"]].get("pairs", True)
    ]
    chosen = ASSOCIATIONS.get("models") or able
    return [name for name in able if name in chosen] if ASSOCIATIONS else []


def models_of_text():
    """The models that embed texts."""
    return wanted_models(["masked-lm", "text-encoder"])


def seeing_models():
    """The models that embed texts with pictures."""
    return wanted_models(["vision-and-language"])


def embedding_models():
    """All models that are tested."""
    return [*models_of_text(), *seeing_models()]


def check_associations():
    """Stop with one line where the study asks of association tests what cannot be."""
    try:
        check_study_of_associations(
            ASSOCIATIONS, MODELS, embedding_models(), encoders_of, test_files, published_names
        )
    except InputError as error:
        sys.exit(f"error: {error}")


def published_names():
    """What there are published values of, by the names of the literature's models."""
    rows = published_rows(resource("associations/published.csv"), PUBLISHED_ASSOCIATIONS)
    return {row["model"] for row in rows} - {None}


def association_encoders():
    """What is tested, in the order of the study: models, and word vectors."""
    return [*embedding_models(), *VECTORS]


def has_pictures(suite):
    """Whether the texts of a suite have pictures."""
    return SUITES[suite]["format"] == GROUNDED_FORMAT


def encoders_of(suite):
    """The encoders that read a suite."""
    chosen = SUITES[suite]["encoders"]
    able = seeing_models() if has_pictures(suite) else [*models_of_text(), *VECTORS]
    return [name for name in able if chosen is None or name in chosen]


def reading_of(suite):
    """All that the stimuli of a suite, and how they are embedded, depend on."""
    excluded = ("path", "encoders", "published", "licence")
    reading = {key: value for key, value in SUITES[suite].items() if key not in excluded}
    return reading | {"files": test_files(suite)}


def embedded_as(encoder, suite):
    """The suite whose embeddings by an encoder serve a suite: the first of those that are read alike."""
    reading = reading_of(suite)
    return next(other for other in SUITES if encoder in encoders_of(other) and reading_of(other) == reading)


def suite_embeddings(wildcards):
    """The embeddings that the tests of a suite are made with."""
    suite = embedded_as(wildcards.encoder, wildcards.suite)
    return associations_result(wildcards.encoder, suite, "embeddings.parquet")


def associations_result(*parts):
    """A path among the results on associations."""
    return result("associations", *parts)


def of_encoders(name):
    """A table of every encoder and suite that it can read."""
    return [
        associations_result(encoder, suite, f"{name}.parquet")
        for suite in SUITES
        for encoder in encoders_of(suite)
    ]


def suite_tables():
    """The stimuli of every suite."""
    return [associations_result("suites", f"{suite}.parquet") for suite in SUITES]


def test_files(suite):
    """The files of the tests of a suite."""
    return list(files_of_pattern(SUITES[suite]["path"]).values())


def suite_files(wildcards):
    """The files that a suite is read from, by name."""
    entry = SUITES[wildcards.suite]
    facts = resource("associations/words.yaml")
    files = {"tests": list(map(outside, test_files(wildcards.suite))), "facts": facts}
    return files | ({"words": outside(entry["words"])} if entry["words"] else {})


def suite_settings(wildcards):
    """How a suite is read."""
    excluded = ("path", "words", "features", "encoders", "published", "licence")
    return {key: value for key, value in SUITES[wildcards.suite].items() if key not in excluded}


def suite_pictures(wildcards):
    """The files of the pictures of a suite, by name; nothing where it has none."""
    entry = SUITES[wildcards.suite]
    return {"features": outside(entry["features"])} if "features" in entry else {}


def vectors_file(wildcards):
    """The file of an encoder's word vectors."""
    return outside(VECTORS[wildcards.encoder]["path"])


def suite_poolings(wildcards):
    """How the encoders of a suite make one vector of what they read."""
    return list(GROUNDED) if has_pictures(wildcards.suite) else ASSOCIATIONS["poolings"]


def association_table_files():
    """The tables on associations by the names that their module gives them."""
    return table_outputs(ASSOCIATION_TABLES, "associations_")


def association_figure_files():
    """The figures on associations by the names that their module gives them."""
    grounded = [suite for suite in SUITES if has_pictures(suite)]
    needed = {
        "tests_figure": len(SUITES) > len(grounded),
        "grounded_figure": grounded,
        "poolings_figure": len(SUITES) > len(grounded),
        "pairs_figure": SCORED,
    }
    return figure_outputs([name for name in ASSOCIATION_FIGURES if needed[name]], "associations_")


def association_settings():
    """What tables, figures and the section need to know of the study."""
    vectors = {name: {"source": "vectors"} for name in VECTORS}
    return {
        "encoders": display_metadata(association_encoders(), MODELS | vectors),
        "released": [suite for suite, entry in SUITES.items() if entry.get("published")],
        "alpha": config["statistics"]["alpha"],
        "confidence": config["statistics"]["confidence"],
        "poolings": ASSOCIATIONS.get("poolings"),
        "published": ASSOCIATIONS.get("published"),
        "pairs": config.get("measures", [])[:2],
    }


def association_inputs():
    """All that tables, figures and the section are made from."""
    return {
        "associations": of_encoders("associations"),
        "truths": suite_tables(),
        "bias": statistics_of_all("bias") if SCORED else [],
        "captions": resource("associations/captions.yaml"),
        "published": resource("associations/published.csv"),
    }


def associations_removable():
    """Embeddings, which only tests are made of."""
    if not ASSOCIATIONS:
        return []
    return [
        {
            "kind": "embeddings",
            "name": "{encoder} of the texts of {suite}",
            "files": "associations/{encoder}/{suite}/embeddings.parquet",
            "needed_by": "associations/{encoder}/{suite}/associations.parquet",
        }
    ]


def associations_provenance():
    """Where tests came from."""
    keys = ["versions", "code"]
    suites = [
        {
            "title": f"Association tests {suite}",
            "files": [associations_result("suites", f"{suite}.parquet")],
            "keys": ["format", "source", *keys],
            "stated": licence(SUITES[suite]),
        }
        for suite in SUITES
    ]
    vectors = [
        {
            "title": f"Word vectors {name}",
            "files": [
                associations_result(name, suite, "associations.parquet")
                for suite in SUITES
                if name in encoders_of(suite)
            ][:1],
            "keys": ["embedded", *keys],
            "stated": licence(VECTORS[name]),
        }
        for name in VECTORS
    ]
    return [*suites, *vectors]


def embedding_time(wildcards, input, attempt):
    """Three times what one core takes for short texts, with room for pictures."""
    each = 1e-9 if has_pictures(wildcards.suite) else 2e-11
    return round(20 + each * layers_weights(input) * rows(input.stimuli)) * attempt

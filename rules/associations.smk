# Association tests (WEAT, SEAT, grounded): how much nearer one set of words is to an attribute than another.


from unmask.associations import study as associations_study
from unmask.associations.terms import GROUNDED

ASSOCIATIONS = config.get("associations", {})
SUITES = ASSOCIATIONS.get("tests", {})
VECTORS = ASSOCIATIONS.get("vectors", {})
GROUNDED_SUITES = [suite for suite, entry in SUITES.items() if entry["format"] == "grounded"]
TESTED = associations_study.all_tested(ASSOCIATIONS, MODELS)
ENCODERS = [*TESTED, *VECTORS]
READERS = associations_study.encoders_of(ASSOCIATIONS, MODELS)
# the features of the pictures of those that have some
FEATURES = {suite: [outside(entry["features"])] for suite, entry in SUITES.items() if "features" in entry}

with refusing():
    associations_study.check_study(ASSOCIATIONS, MODELS, resource("associations/published.csv"))


wildcard_constraints:
    suite=any_of(SUITES),
    encoder=any_of(ENCODERS),


rule read_associations:
    input:
        tests=lambda wildcards: list(map(outside, associations_study.test_files(SUITES[wildcards.suite]))),
        words=lambda wildcards: (
            [outside(SUITES[wildcards.suite]["words"])] if SUITES[wildcards.suite]["words"] else []
        ),
        facts=resource("associations/words.yaml"),
    output:
        result("associations/suites/{suite}.parquet"),
    log:
        log_of("associations", "suites", "{suite}.log"),
    localrule: True
    params:
        suite=lambda wildcards: wildcards.suite,
        entry=lambda wildcards: {
            key: of
            for key, of in SUITES[wildcards.suite].items()
            if key in ("format", "only", "repeated_keys")
        },
        source=lambda wildcards: SUITES[wildcards.suite]["path"],
    message:
        "Reading the association tests {wildcards.suite}"
    script:
        "../scripts/read_associations.py"


rule embed_stimuli:
    input:
        manifest=result("models/{encoder}/manifest.json"),
        features=lambda wildcards: FEATURES.get(wildcards.suite, []),
        stimuli=result("associations/suites/{suite}.parquet"),
        facts=resource("associations/words.yaml"),
    output:
        result("associations/{encoder}/{suite}/embeddings.parquet"),
    log:
        log_of("associations", "{encoder}", "{suite}", "embedding.log"),
    wildcard_constraints:
        encoder=any_of(TESTED),
    threads: config["runtime"]["threads"]
    resources:
        **GPU,
        mem_mb=scoring_memory,
    params:
        encoder=lambda wildcards: wildcards.encoder,
        suite=lambda wildcards: wildcards.suite,
        poolings=lambda wildcards: (
            list(GROUNDED) if wildcards.suite in GROUNDED_SUITES else ASSOCIATIONS["poolings"]
        ),
    message:
        "Embedding the texts of {wildcards.suite} with {wildcards.encoder}"
    script:
        "../scripts/embed_stimuli.py"


rule embed_vectors:
    input:
        stimuli=result("associations/suites/{suite}.parquet"),
        vectors=lambda wildcards: outside(VECTORS[wildcards.encoder]["path"]),
    output:
        result("associations/{encoder}/{suite}/embeddings.parquet"),
    log:
        log_of("associations", "{encoder}", "{suite}", "embedding.log"),
    wildcard_constraints:
        encoder=any_of(VECTORS),
    params:
        encoder=lambda wildcards: wildcards.encoder,
        suite=lambda wildcards: wildcards.suite,
    message:
        "Looking the words of {wildcards.suite} up in {wildcards.encoder}"
    script:
        "../scripts/embed_vectors.py"


rule compute_associations:
    input:
        stimuli=result("associations/suites/{suite}.parquet"),
        embeddings=result("associations/{encoder}/{suite}/embeddings.parquet"),
    output:
        result("associations/{encoder}/{suite}/associations.parquet"),
    log:
        log_of("associations", "{encoder}", "{suite}", "testing.log"),
    resources:
        mem_mb=table_memory,
    params:
        encoder=lambda wildcards: wildcards.encoder,
        suite=lambda wildcards: wildcards.suite,
        seed=ASSOCIATIONS.get("statistics", {}).get("seed", 0),
        confidence=config["statistics"]["confidence"],
    message:
        "Testing the associations of {wildcards.encoder} ({wildcards.suite})"
    script:
        "../scripts/compute_associations.py"


# by encoder and suite
ASSOCIATION_TABLES = {
    (encoder, suite): result("associations", encoder, suite, "associations.parquet")
    for suite in SUITES
    for encoder in READERS[suite]
}

register(
    "associations",
    statistics=list(ASSOCIATION_TABLES.values()),
    provenance=[
        *(
            {
                "title": f"Association tests {suite}",
                "files": [result("associations", "suites", f"{suite}.parquet")],
                "keys": ["format", "source", *VERSION_KEYS],
                "stated": licence(entry),
            }
            for suite, entry in SUITES.items()
        ),
        *(
            {
                "title": f"Word vectors {name}",
                "files": [path for (encoder, _), path in ASSOCIATION_TABLES.items() if encoder == name][:1],
                "keys": ["embedded", *VERSION_KEYS],
                "stated": licence(entry),
            }
            for name, entry in VECTORS.items()
        ),
    ],
)

if ASSOCIATIONS:
    presents(
        "associations",
        {
            "associations": list(ASSOCIATION_TABLES.values()),
            "suites": collect(rules.read_associations.output, suite=SUITES),
            "captions": resource("associations/captions.yaml"),
            "published": resource("associations/published.csv"),
        },
        table_outputs(["tests", "experiments", "cells", "published", "sets"], "associations_")
        | figure_outputs(
            [
                *(["tests"] if len(SUITES) > len(GROUNDED_SUITES) else []),
                *(["grounded"] if GROUNDED_SUITES else []),
            ],
            "associations_",
        ),
        ["associations"],
        {
            "encoders": display_metadata(
                ENCODERS, MODELS | {name: {"source": "vectors"} for name in VECTORS}
            ),
            "released": [suite for suite, entry in SUITES.items() if entry["published"]],
            "alpha": config["statistics"]["alpha"],
            "confidence": config["statistics"]["confidence"],
            "poolings": ASSOCIATIONS["poolings"],
            "published": ASSOCIATIONS["published"],
        },
        what="association tests",
    )

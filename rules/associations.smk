# Association tests (WEAT, SEAT, grounded): how much nearer one set of words is to an attribute than another.


include: "inputs/associations.smk"


from unmask.associations.study import check_study as check_study_of_associations
from unmask.associations.terms import GROUNDED
from unmask.corpora.shards import files_of as files_of_pattern

ASSOCIATIONS = config.get("associations", {})
SUITES = ASSOCIATIONS.get("tests", {})
VECTORS = ASSOCIATIONS.get("vectors", {})
GROUNDED_SUITES = [suite for suite, entry in SUITES.items() if entry["format"] == "grounded"]


TEXT_MODELS = tested_models("masked-lm", "text-encoder")
VISION_MODELS = tested_models("vision-and-language")
ENCODERS = [*TEXT_MODELS, *VISION_MODELS, *VECTORS]


try:
    check_study_of_associations(
        ASSOCIATIONS,
        MODELS,
        [*TEXT_MODELS, *VISION_MODELS],
        encoders_of,
        test_files,
        resource("associations/published.csv"),
    )
except InputError as error:
    sys.exit(f"error: {error}")


wildcard_constraints:
    suite=any_of(SUITES),
    encoder=any_of(ENCODERS),


register(
    "associations",
    statistics=association_tables(),
    provenance=associations_provenance(),
)


rule read_associations:
    input:
        unpack(suite_files),
        facts=resource("associations/words.yaml"),
    output:
        result("associations", "suites", "{suite}.parquet"),
    log:
        log_of("associations", "suites", "{suite}.log"),
    localrule: True
    conda:
        "../envs/unmask.yaml"
    params:
        suite=lambda wildcards: wildcards.suite,
        entry=suite_settings,
        source=lambda wildcards: SUITES[wildcards.suite]["path"],
    message:
        "Reading the association tests {wildcards.suite}"
    script:
        "../scripts/read_associations.py"


rule embed_stimuli:
    input:
        unpack(suite_pictures),
        **of_model(lambda wildcards: wildcards.encoder),
        stimuli=result("associations", "suites", "{suite}.parquet"),
        facts=resource("associations/words.yaml"),
    output:
        result("associations", "{encoder}", "{suite}", "embeddings.parquet"),
    log:
        log_of("associations", "{encoder}", "{suite}", "embedding.log"),
    wildcard_constraints:
        encoder=any_of([*TEXT_MODELS, *VISION_MODELS]),
    conda:
        "../envs/unmask.yaml"
    threads: config["runtime"]["threads"]
    resources:
        **GPU,
        mem_mb=scoring_memory,
    params:
        encoder=lambda wildcards: wildcards.encoder,
        suite=lambda wildcards: wildcards.suite,
        poolings=suite_poolings,
    message:
        "Embedding the texts of {wildcards.suite} with {wildcards.encoder}"
    script:
        "../scripts/embed_stimuli.py"


rule embed_vectors:
    input:
        stimuli=result("associations", "suites", "{suite}.parquet"),
        vectors=lambda wildcards: outside(VECTORS[wildcards.encoder]["path"]),
    output:
        result("associations", "{encoder}", "{suite}", "embeddings.parquet"),
    log:
        log_of("associations", "{encoder}", "{suite}", "embedding.log"),
    wildcard_constraints:
        encoder=any_of(VECTORS),
    conda:
        "../envs/unmask.yaml"
    params:
        encoder=lambda wildcards: wildcards.encoder,
        suite=lambda wildcards: wildcards.suite,
    message:
        "Looking the words of {wildcards.suite} up in {wildcards.encoder}"
    script:
        "../scripts/embed_vectors.py"


rule compute_associations:
    input:
        stimuli=result("associations", "suites", "{suite}.parquet"),
        embeddings=result("associations", "{encoder}", "{suite}", "embeddings.parquet"),
    output:
        result("associations", "{encoder}", "{suite}", "associations.parquet"),
    log:
        log_of("associations", "{encoder}", "{suite}", "testing.log"),
    conda:
        "../envs/unmask.yaml"
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


if ASSOCIATIONS:
    presents(
        "associations",
        {
            "associations": association_tables(),
            "suites": [result("associations", "suites", f"{suite}.parquet") for suite in SUITES],
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

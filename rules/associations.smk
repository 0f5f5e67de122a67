# Association tests (WEAT, SEAT, grounded): how much nearer one set of words is to an attribute than another.


include: "inputs/associations.smk"


check_associations()


wildcard_constraints:
    suite=any_of(SUITES),
    encoder=any_of(association_encoders()),


register(
    "associations",
    statistics=[*of_encoders("associations")],
    provenance=associations_provenance(),
    removable=associations_removable(),
)


rule read_associations:
    input:
        unpack(suite_files),
    output:
        associations_result("suites", "{suite}.parquet"),
    log:
        log_of("associations", "suites", "{suite}.log"),
    localrule: True
    conda:
        "../envs/unmask.yaml"
    params:
        code=lambda wildcards: code(
            "read_associations.py", module_file("associations/formats", SUITES[wildcards.suite]["format"])
        ),
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
        stimuli=associations_result("suites", "{suite}.parquet"),
        facts=resource("associations/words.yaml"),
    output:
        associations_result("{encoder}", "{suite}", "embeddings.parquet"),
    log:
        log_of("associations", "{encoder}", "{suite}", "embedding.log"),
    wildcard_constraints:
        encoder=any_of(embedding_models()),
    conda:
        "../envs/unmask.yaml"
    threads: config["runtime"]["threads"]
    resources:
        **GPU,
        mem_mb=scoring_memory,
        runtime=embedding_time,
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
        stimuli=associations_result("suites", "{suite}.parquet"),
        vectors=vectors_file,
    output:
        associations_result("{encoder}", "{suite}", "embeddings.parquet"),
    log:
        log_of("associations", "{encoder}", "{suite}", "embedding.log"),
    wildcard_constraints:
        encoder=any_of(VECTORS),
    conda:
        "../envs/unmask.yaml"
    resources:
        mem_mb=lambda wildcards, input, attempt: round(4000 + 2 * sizes_mb([input.vectors])) * attempt,
    params:
        encoder=lambda wildcards: wildcards.encoder,
        suite=lambda wildcards: wildcards.suite,
    message:
        "Looking the words of {wildcards.suite} up in {wildcards.encoder}"
    script:
        "../scripts/embed_vectors.py"


rule compute_associations:
    input:
        stimuli=associations_result("suites", "{suite}.parquet"),
        embeddings=suite_embeddings,
    output:
        associations_result("{encoder}", "{suite}", "associations.parquet"),
    log:
        log_of("associations", "{encoder}", "{suite}", "testing.log"),
    conda:
        "../envs/unmask.yaml"
    resources:
        mem_mb=table_memory,
        runtime=table_time,
    params:
        encoder=lambda wildcards: wildcards.encoder,
        suite=lambda wildcards: wildcards.suite,
        options={**ASSOCIATIONS.get("statistics", {}), "confidence": config["statistics"]["confidence"]},
    message:
        "Testing the associations of {wildcards.encoder} ({wildcards.suite})"
    script:
        "../scripts/compute_associations.py"


if ASSOCIATIONS:
    presents(
        "associations",
        association_inputs(),
        association_table_files() | association_figure_files(),
        ["associations"],
        association_settings(),
        measure_modules(),
        what="association tests",
    )

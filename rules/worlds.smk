# Synthetic worlds: a corpus and two benchmarks each whose bias is known, and models trained on them.


include: "inputs/worlds.smk"


wildcard_constraints:
    world=any_of(WORLDS),


register(
    "worlds",
    provenance=[
        {"title": f"World {world}", "files": [truth], "keys": ["settings", "versions", "code"]}
        for world, truth in used_worlds().items()
    ],
)


rule make_world:
    output:
        corpus=result("planted", "{world}", "corpus.txt"),
        crows_pairs=result("planted", "{world}", "crows_pairs.csv"),
        stereoset=result("planted", "{world}", "stereoset.json"),
        truth=result("planted", "{world}", "truth.json"),
    log:
        log_of("planted", "{world}.log"),
    conda:
        "../envs/unmask.yaml"
    params:
        name=lambda wildcards: wildcards.world,
        entry=lambda wildcards: world_settings(wildcards.world),
    message:
        "Making the world {wildcards.world}"
    script:
        "../scripts/make_world.py"


makes(
    "train",
    lambda wildcards: MODELS[wildcards.model] | {"settings": training_settings(wildcards)},
    lambda wildcards: {"corpus": world_file(MODELS[wildcards.model], "corpus.txt")},
)

# Synthetic worlds: a corpus and two benchmarks each whose bias is known, and models trained on them.

# what training on the text of a world depends on
TRAINING_SETTINGS = {
    name: {key: value for key, value in entry.items() if key != "pairs"} for name, entry in WORLDS.items()
}
USED_WORLDS = {
    entry["world"]
    for entry in [*MODELS.values(), *BENCHMARKS.values(), *CORPORA.values()]
    if "world" in entry
}


wildcard_constraints:
    world=any_of(WORLDS),


register(
    "worlds",
    provenance=[
        {
            "title": f"World {world}",
            "files": [result("planted", world, "truth.json")],
            "keys": ["settings", "versions", "code"],
        }
        for world in WORLDS
        if world in USED_WORLDS
    ],
)


rule make_world:
    output:
        corpus=result("planted/{world}/corpus.txt"),
        crows_pairs=result("planted/{world}/crows_pairs.csv"),
        stereoset=result("planted/{world}/stereoset.json"),
        truth=result("planted/{world}/truth.json"),
    log:
        log_of("planted/{world}.log"),
    params:
        entry=lambda wildcards: WORLDS[wildcards.world],
    message:
        "Making the world {wildcards.world}"
    script:
        "../scripts/make_world.py"


makes(
    "train",
    lambda wildcards: {
        **MODELS[wildcards.model],
        "settings": TRAINING_SETTINGS[MODELS[wildcards.model]["world"]],
    },
    lambda wildcards: {"corpus": result("planted", MODELS[wildcards.model]["world"], "corpus.txt")},
)

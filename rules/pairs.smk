# Pairs of sentences: which one a masked language model prefers, how surely, and how that looks in the report.


include: "inputs/pairs.smk"


wildcard_constraints:
    benchmark=any_of(BENCHMARKS),
    variant=any_of([ORIGINAL, SHUFFLED]),
    series=any_of(config.get("series", {})),


check_benchmarks()
check_measures()
check_explorer()
check_scored()
check_series()

register(
    "pairs",
    keys=["benchmarks"],
    statistics=pairs_statistics(),
    provenance=pairs_provenance(),
    programs=["pairs/explorer"] if EXPLORER else [],
)


include: "benchmarks.smk"
include: "evidence.smk"
include: "measures.smk"
include: "scored.smk"


if SCORED:
    presents(
        "pairs",
        pairs_inputs(),
        pairs_files(),
        ["pairs"],
        pairs_settings()
        | {
            "measures": MEASURES,
            "headline": config.get("headline"),
            "series": config.get("series", {}),
            "judged": judged_models(),
            "own_code": [model for model in SCORED if runs_own_code(model)],
            "explorer": explorer_settings(),
        },
        what="pairs of sentences",
    )

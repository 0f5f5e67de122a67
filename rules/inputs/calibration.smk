# Functions that tell rules their inputs and outputs: calibration.

from unmask.calibration.artifacts import FIGURES as CALIBRATION_FIGURES
from unmask.calibration.artifacts import TABLES as CALIBRATION_TABLES

CALIBRATION = config.get("calibration") or {}
# what is computed of the scores, by table
CALIBRATED = ("doses", "merits", "controls", "kept")


def calibration_result(*parts):
    """A path among the results on calibration."""
    return result("calibration", *parts)


for _model in models_of("oracle"):
    if kind_of(_model) == CAUSAL_LM and MODELS[_model].get("context") == "corrupted":
        sys.exit(
            f"error: config key models.{_model}.context: corrupted is what training does to masked-lm models, and "
            "this one is a causal-lm model (key kind)"
        )


def oracles(kind):
    """The perfect models of a kind."""
    return [name for name in models_of("oracle") if kind_of(name) == kind]


def oracle_code(wildcards):
    """A digest of what makes the evidence of a perfect model, by masking."""
    modules = masking_modules(kind=kind_of(wildcards.model))
    return {masking: code("score_oracle.py", module) for masking, module in modules.items()}


def exact_code():
    """A digest of what asks perfect models of either kind."""
    maskings = [*masking_modules().values(), *masking_modules(kind=CAUSAL_LM).values()]
    return code("compute_exact.py", *measure_modules(), *maskings)


def oracle_settings(wildcards):
    """What an oracle knows: its world, and how models of that are trained."""
    return dict(WORLDS[MODELS[wildcards.model]["world"]])


def calibrating_models():
    """The language models of synthetic worlds."""
    return [name for name in SCORED if MODELS[name]["source"] in ("oracle", "train")]


def calibrating_benchmarks():
    """The benchmarks of worlds, and what is arranged from them."""
    return [name for name in BENCHMARKS if "world" in origin_entry(name)]


def calibrating_scores():
    """The scores of these models on these benchmarks; none where the study calibrates nothing."""
    models = calibrating_models() if CALIBRATION else []
    return results_of_all("scores", f"{ORIGINAL}.parquet", calibrating_benchmarks(), models)


def is_calibrating():
    """Whether the study has models whose truth is known, and benchmarks of worlds."""
    return all([CALIBRATION, calibrating_models(), calibrating_benchmarks()])


def exact_world():
    """The world whose oracle is asked what training does to it: that of the first model."""
    return MODELS[calibrating_models()[0]]["world"] if is_calibrating() else None


def explained_tables():
    """What word frequency explains of the scores of models of no world on benchmarks of none."""
    if not CALIBRATION:
        return []
    models = [
        name for name in SCORED if inherited(name, "world") is None and MODELS[name]["source"] != "random"
    ]
    benchmarks = [name for name in with_corpora(BENCHMARKS) if name not in calibrating_benchmarks()]
    return [
        calibration_result(model, benchmark, "explained.parquet")
        for model in models
        for benchmark in benchmarks
        if is_scored_on(model, benchmark)
    ]


def has_calibration():
    """Whether the study has anything to show of it."""
    return is_calibrating() or bool(explained_tables())


def exact_tables():
    """What is asked of exact models alone, by the name that the script gives it."""
    asks_of_kept = CALIBRATION.get("kept_rates") and of_kind(MEASURES, MASKED_LM)
    names = ["drawn", "kept_exact"] if asks_of_kept else ["drawn"]
    return {name: calibration_result(f"{name}.parquet") for name in names}


def calibrating_tables():
    """All that is computed of worlds whose bias is known, by table; nothing where the study has none."""
    computed = {name: calibration_result(f"{name}.parquet") for name in CALIBRATED}
    return computed | judged_table() | exact_tables() if is_calibrating() else {}


def debiased_of_worlds():
    """The debiased models of synthetic worlds."""
    return [name for name in SCORED if name in debiased_models() and inherited(name, "world") is not None]


def judged_models():
    """These models and those that they come from, if the study calibrates anything."""
    origins = {MODELS[name]["from"] for name in debiased_of_worlds()} if is_calibrating() else set()
    return [name for name in SCORED if is_calibrating() and (name in origins or name in debiased_of_worlds())]


def judged_scores():
    """The scores of these models on the benchmarks of worlds."""
    return results_of_all("scores", f"{ORIGINAL}.parquet", calibrating_benchmarks(), judged_models())


def judged_entries():
    """What is known of these models."""
    keys = ("source", "seed", "text", "steps", "corruption", "from", "method", "reading")
    return [
        {
            "name": name,
            **{key: inherited(name, key) for key in ("world", "architecture", "kind")},
            **{key: MODELS[name].get(key) for key in keys},
        }
        for name in judged_models()
    ]


def judged_table():
    """What debiasing leaves of associations; nothing where no such model is debiased."""
    return {"debiased": calibration_result("debiased.parquet")} if judged_models() else {}


def calibration_inputs():
    """All that tables, figures and the section are made from; an empty list for what the study lacks."""
    return {
        **{
            name: calibrating_tables().get(name, [])
            for name in (*CALIBRATED, "drawn", "debiased", "kept_exact")
        },
        "explained": explained_tables(),
        "captions": resource("calibration/captions.yaml"),
    }


def calibration_models():
    """What is known of the models of synthetic worlds."""
    keys = ("source", "kind", "world", "architecture", "seed", "text", "steps", "corruption", "context")
    return [{"name": name, **{key: MODELS[name].get(key) for key in keys}} for name in calibrating_models()]


def calibration_benchmarks():
    """What is known of the benchmarks of worlds."""
    keys = ("format", "world", "of", "as")
    return [
        {"name": name, **{key: BENCHMARKS[name].get(key) for key in keys}}
        for name in calibrating_benchmarks()
    ]


def calibration_settings():
    """What tables, figures and the section need to know of the study."""
    return {
        "models": display_metadata(SCORED, MODELS),
        "benchmarks": display_metadata(BENCHMARKS, BENCHMARKS),
        "measures": MEASURES,
        "alpha": config["statistics"]["alpha"],
        "confidence": config["statistics"]["confidence"],
        "power": CALIBRATION.get("power"),
    }


def calibration_table_files():
    """The tables on calibration by the names that their module gives them."""
    return table_outputs(CALIBRATION_TABLES, "calibration_")


def calibration_figure_files():
    """The figures on calibration by the names that their module gives them."""
    needed = {"explained_figure": explained_tables(), "debiased_figure": judged_table()}
    names = [name for name in CALIBRATION_FIGURES if needed.get(name, is_calibrating())]
    return figure_outputs(names, "calibration_")


def calibration_statistics():
    """The tables of numbers."""
    return [*calibrating_tables().values(), *explained_tables()]


def calibration_provenance():
    """How these numbers were made."""
    measured = {"title": "Calibration", "files": calibration_statistics(), "keys": ["versions", "code"]}
    return [measured] if has_calibration() else []

# Functions that tell rules their inputs and outputs: calibration.

from unmask.calibration.shown import FIGURES as CALIBRATION_FIGURES
from unmask.calibration.shown import TABLES as CALIBRATION_TABLES

# defaults are filled in, so it is empty where a study has no such key alone
CALIBRATION = config.get("calibration") or {}
# what is computed of the scores, by table
CALIBRATED = ("doses", "merits", "controls", "kept")


def calibration_result(*parts):
    """A path among the results on calibration."""
    return result("calibration", *parts)


def oracle_settings(wildcards):
    """What an oracle knows: its world, and how models of that are trained."""
    return dict(WORLDS[MODELS[wildcards.model]["world"]])


def calibrating_models():
    """The models that are trained on synthetic worlds, or know one."""
    return [name for name in SCORED if MODELS[name]["source"] in ("oracle", "train")]


def calibrating_benchmarks():
    """The benchmarks of worlds, and what is arranged from them."""
    return [name for name in BENCHMARKS if "world" in origin_entry(name)]


def is_calibrating():
    """Whether the study has models whose truth is known, and scores of them."""
    return bool(CALIBRATION and calibrating_models() and calibrating_benchmarks())


def exact_world():
    """The world of which exact models are computed: that of the first model."""
    return MODELS[calibrating_models()[0]]["world"] if is_calibrating() else None


def calibrating_scores():
    """The scores of these models on these benchmarks."""
    return of_all("scores", f"{ORIGINAL}.parquet", calibrating_benchmarks(), calibrating_models())


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
    ]


def is_calibration():
    """Whether the study has anything to show."""
    return is_calibrating() or bool(explained_tables())


def exact_tables():
    """What is computed with exact models alone, by the name that the script gives it."""
    names = ["drawn", "kept_exact"] if CALIBRATION.get("kept_rates") else ["drawn"]
    return {name: calibration_result(f"{name}.parquet") for name in names}


def calibration_inputs():
    """All that tables, figures and the section are made from; an empty list for what the study lacks."""
    computed = {name: calibration_result(f"{name}.parquet") for name in CALIBRATED} | exact_tables()
    names = (*CALIBRATED, "drawn", "kept_exact")
    files = {name: computed.get(name, []) if is_calibrating() else [] for name in names}
    return files | {"explained": explained_tables(), "captions": resource("calibration/captions.yaml")}


def calibration_models():
    """What calibration reads of the entries of these models."""
    keys = ("source", "world", "architecture", "seed", "text", "steps", "corruption", "context")
    return [{"name": name, **{key: MODELS[name].get(key) for key in keys}} for name in calibrating_models()]


def calibration_benchmarks():
    """What calibration reads of the entries of these benchmarks."""
    keys = ("format", "world", "of", "as")
    return [
        {"name": name, **{key: BENCHMARKS[name].get(key) for key in keys}}
        for name in calibrating_benchmarks()
    ]


def calibration_settings():
    """What tables, figures and the section need to know of the study."""
    return {
        "models": as_listed(SCORED, MODELS),
        "benchmarks": as_listed(BENCHMARKS, BENCHMARKS),
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
    present = {"explained_figure": explained_tables()}
    return {
        f"{name}_{form}": result("figures", f"calibration_{name.removesuffix('_figure')}.{form}")
        for name in CALIBRATION_FIGURES
        for form in ("svg", "png")
        if present.get(name, is_calibrating())
    }


def calibration_statistics():
    """The tables of numbers."""
    computed = [calibration_result(f"{name}.parquet") for name in CALIBRATED]
    return [*(computed + list(exact_tables().values()) if is_calibrating() else []), *explained_tables()]

# Functions that tell rules what worlds make.

from unmask.worlds.grammar import World
from unmask.worlds.pairs import Counts
from unmask.worlds.recipe import Corruption

try:
    for _name, _entry in WORLDS.items():
        World.from_config(_name, _entry)
        Corruption.from_config(_name, _entry)
        Counts.from_config(_name, _entry)
    for _model in models_of("train"):
        if MODELS[_model].get("steps") == 0 and MODELS[_model].get("gate", True):
            raise InputError(f"models.{_model}.steps: 0 leaves a network untrained, which wants gate: false")
except InputError as error:
    sys.exit(f"error: config key {error}")


def world_settings(name):
    """What the files of a world depend on; corruption is of training alone."""
    return {key: value for key, value in WORLDS[name].items() if key != "corruption"}


def training_settings(wildcards):
    """What training on a world depends on beside its text: the words, and the corruption."""
    settings = WORLDS[MODELS[wildcards.model]["world"]]
    return {key: value for key, value in settings.items() if key != "pairs"}


def world_file(entry, name):
    """A file of the world that a model, benchmark or corpus names."""
    return result("planted", entry["world"], name)


def benchmarks_of_worlds():
    """The benchmarks that worlds make."""
    return [name for name, entry in BENCHMARKS.items() if "world" in entry]


def used_worlds():
    """The worlds that something of the study is of, with the truth about each."""
    entries = [*MODELS.values(), *BENCHMARKS.values(), *CORPORA.values()]
    used = {entry["world"] for entry in entries if "world" in entry}
    return {world: result("planted", world, "truth.json") for world in WORLDS if world in used}


def truths():
    """The truth about every world that makes a benchmark."""
    files = [world_file(BENCHMARKS[benchmark], "truth.json") for benchmark in benchmarks_of_worlds()]
    return list(dict.fromkeys(files))


def judged_models():
    """The models that were trained on the text of a world: what they prefer was planted."""
    return [model for model in models_of("train") if MODELS[model].get("steps") != 0]


def oracle_settings(wildcards):
    """What an oracle knows: its world, and how models of that are trained."""
    return dict(WORLDS[MODELS[wildcards.model]["world"]])

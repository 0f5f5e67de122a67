# The study's configuration, where its results lie, and what it consists of.

import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(workflow.basedir) / "scripts"))

from unmask.errors import InputError
from unmask.measures.registry import MEASURES, maskings_of
from unmask.code_digest import code_digest
from unmask.runlock import hold_run_lock
from unmask.configuration import check_files, choose_study, complete, read_config
from unmask.terms import ORIGINAL, SHUFFLED

ROOT = Path(workflow.basedir)

try:
    _chosen = choose_study(config, ROOT, [str(path) for path in workflow.configfiles])
    _chosen = complete(_chosen, read_config(ROOT / "rules/schemas/config.schema.yaml"))
    if workflow.is_main_process:
        check_files(_chosen)
except InputError as error:
    sys.exit(f"error: {error}")
config.clear()
config.update(_chosen)

STUDY = f"results/{config['study']}"
MODELS, BENCHMARKS, CORPORA = config["models"], config["benchmarks"], config["corpora"]
SHUFFLED_MEASURES = [name for name in config["measures"] if MEASURES[name].maskings == ("none",)]


def result(*parts):
    """A path in the study's folder of results."""
    return "/".join([STUDY, *parts])


def hold_results():
    """Keep other runs out of the study's results while this one lasts."""
    try:
        hold_run_lock(STUDY)
    except InputError as error:
        sys.exit(f"error: {error}")


def log_of(*parts):
    """A path in the study's folder of logs."""
    return result("logs", *parts)


def any_of(names):
    """A wildcard constraint: one of the names."""
    return "|".join(map(re.escape, names)) or "(?!)"


def models_of(source):
    """The models that come from one source."""
    return [name for name, entry in MODELS.items() if entry["source"] == source]


def code(script):
    """A digest of a script and of the library modules that it imports, as a parameter of its rule."""
    return code_digest(ROOT / "scripts" / script)


def resource(name):
    """A hand-kept file of facts that comes with the workflow."""
    return os.path.relpath(ROOT / "resources" / name)


def shown(path, name, shows):
    """An output that Snakemake's own report (--report) shows, with resources/snakemake_report/{stem}.rst below it."""
    caption = ROOT / "resources/snakemake_report" / f"{Path(path).stem}.rst"
    category = Path(path).parent.name.capitalize()
    return report(path, caption=str(caption), category=category, labels={"result": name, "shows": shows})


def variants():
    """The variants of the sentences that this study scores."""
    return [ORIGINAL, SHUFFLED] if shuffles() else [ORIGINAL]


def shuffles():
    """Whether this study has the control of shuffled tokens."""
    return config["controls"]["shuffled"] is not None and bool(SHUFFLED_MEASURES)


def measures_on(variant):
    """The measures that are computed on a variant of the sentences."""
    return config["measures"] if variant == ORIGINAL else SHUFFLED_MEASURES


def planted():
    """The benchmarks that the planted world makes."""
    return [name for name, entry in BENCHMARKS.items() if "planted" in entry]


def settings():
    """The study's settings that the report states; models, benchmarks and corpora have sections of their own."""
    elsewhere = {"models", "benchmarks", "corpora", "runtime", "data"}
    unused = set() if CORPORA else {"frequency"}
    return {key: value for key, value in config.items() if key not in elsewhere | unused}


wildcard_constraints:
    model=any_of(MODELS),
    benchmark=any_of(BENCHMARKS),
    corpus=any_of(CORPORA),
    shard=".+",
    variant=any_of([ORIGINAL, SHUFFLED]),

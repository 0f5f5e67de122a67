# The study's configuration, where its results lie, and what it consists of.

import functools
import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(workflow.basedir) / "scripts"))

from unmask.by_name import module_file
from unmask.code_digest import code_digest
from unmask.configuration import choose_study
from unmask.errors import InputError
from unmask.measures.registry import FORMULAS, maskings_of, measure
from unmask.results.register import write_register
from unmask.runlock import hold_run_lock
from unmask.schemas import alternative, check_files, complete, read_families
from unmask.terms import NONE, ORIGINAL, SHUFFLED, STATISTICS

ROOT = Path(workflow.basedir)

try:
    _chosen = choose_study(config, ROOT, [str(path) for path in workflow.configfiles])
    FAMILIES = read_families(ROOT / "rules/schemas")
    _chosen = complete(_chosen, FAMILIES)
    if workflow.is_main_process:
        check_files(_chosen, FAMILIES)
except InputError as error:
    sys.exit(f"error: {error}")
config.clear()
config.update(_chosen)

STUDY = f"results/{config['study']}"
MODELS, BENCHMARKS, CORPORA, WORLDS = (
    config.get(key, {}) for key in ("models", "benchmarks", "corpora", "worlds")
)
SHUFFLED_MEASURES = [name for name in config.get("measures", []) if measure(name).maskings == (NONE,)]

REGISTER = []


def result(*parts):
    """A path in the study's folder of results."""
    return "/".join([STUDY, *parts])


def register(family, keys=(), files=(), statistics=(), provenance=(), sections=(), evidence=()):
    """Tell what a family comes to in this study; nothing where the study has not got it.

    keys: of the study, which its provenance states by itself; files: what the study comes to; statistics:
    tables beside these that get checksums; provenance: where things came from (unmask.report.provenance);
    sections: of the report, by name; evidence: what may be cleaned away (unmask.results.register).
    """
    REGISTER.append(
        {
            "family": family,
            "keys": list(keys),
            "files": list(files),
            "statistics": list(statistics),
            "provenance": list(provenance),
            "sections": list(sections),
            "evidence": list(evidence),
        }
    )


def registered(what):
    """What all families have registered of one thing, in the order of the report."""
    return [each for family in REGISTER for each in family[what]]


def begin_run():
    """Keep other runs out of the study's results while this one lasts, and leave the register in them."""
    try:
        hold_run_lock(STUDY)
        write_register(STUDY, registered("evidence"))
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


def kind_of(model):
    """What a model is; one that is made from another is what that one is."""
    entry = MODELS[model]
    return kind_of(entry["from"]) if "from" in entry else entry.get("kind", "masked-lm")


def models_with_files():
    """The models that lie in a directory."""
    sources = {entry["source"] for entry in MODELS.values()}
    with_files = {
        source for source in sources if alternative(FAMILIES, "model", source).get("directory", True)
    }
    return [name for name, entry in MODELS.items() if entry["source"] in with_files]


def masked_language_models():
    """The models that are scored on pairs of sentences."""
    return [name for name in MODELS if kind_of(name) == "masked-lm"]


@functools.cache
def code(script, *modules):
    """A digest of a script, of modules that it loads by name, and of all that these import, as a parameter
    of its rule."""
    return code_digest(ROOT / "scripts" / script, *modules)


def resource(name):
    """A hand-kept file of facts that comes with the workflow."""
    return os.path.relpath(ROOT / "resources" / name)


def section_file(name):
    """A section of the report."""
    return result("report", "sections", f"{name}.json")


def section_code(folder, name, *modules):
    """A digest of what makes a section of the report, and of modules that it loads by name, as a parameter
    of its rule."""
    return code("write_section.py", module_file(folder, name), *modules)


def variants():
    """The variants of the sentences that this study scores."""
    return [ORIGINAL, SHUFFLED] if shuffles() else [ORIGINAL]


def shuffles():
    """Whether this study has the control of shuffled tokens."""
    return config.get("controls", {}).get("shuffled") is not None and bool(SHUFFLED_MEASURES)


def measures_on(variant):
    """The measures that are computed on a variant of the sentences."""
    return config.get("measures", []) if variant == ORIGINAL else SHUFFLED_MEASURES


def measure_modules(variant=ORIGINAL):
    """The modules of the measures that are computed on a variant of the sentences."""
    return [module_file(FORMULAS, name) for name in measures_on(variant)]


def settings():
    """The study's settings, without those that families state by themselves."""
    elsewhere = {*registered("keys"), "runtime", "data"}
    return {key: value for key, value in config.items() if key not in elsewhere}


wildcard_constraints:
    model=any_of(MODELS),
    benchmark=any_of(BENCHMARKS),
    corpus=any_of(CORPORA),
    shard=".+",
    variant=any_of([ORIGINAL, SHUFFLED]),

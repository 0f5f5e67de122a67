# The study's configuration, where its results lie, and what it consists of.

import contextlib
import functools
import gc
import os
import re
import sys
from pathlib import Path

from snakemake.io import IOFile

# what is planned lives until the end: the usual looking for garbage in it takes a tenth of planning
gc.set_threshold(50_000)

# the folder above this file's, as the main Snakefile may be another workflow's, of which this one is a module
ROOT = Path(str(workflow.current_basedir)).parent
if not (ROOT / "rules/common.smk").is_file():
    sys.exit(
        f"error: {workflow.current_basedir} is not on this machine; use Unmask's workflow/Snakefile there"
    )
# in a checkout beside the scripts; of an installed wheel the package that the workflow lies in
_beside = ROOT / "scripts"
LIBRARY = str(_beside if (_beside / "unmask").is_dir() else ROOT.parents[1])
sys.path.insert(0, LIBRARY)
# jobs too run the library beside their scripts, whichever is installed
os.environ |= {"PYTHONPATH": os.pathsep.join(filter(None, [LIBRARY, os.getenv("PYTHONPATH")]))}

from unmask.plugins import module_file
from unmask.plugins import names as names_in
from unmask.digests import DigestCache, code_digest
from unmask.errors import InputError
from unmask.files import sha256_of_file
from unmask.models.keys import Models
from unmask.job import hold_run_lock
from unmask.results.settings import CHECKSUMS, check_layout, other_settings, shown_settings, stated
from unmask.study import choose_study, complete
from unmask.terms import LICENCE, NOT_STATED
from unmask.urls import as_shown

DIGESTS = DigestCache(".snakemake/digests.jsonl")


RESULTS = "results"
if os.path.lexists(RESULTS) and not os.path.isdir(RESULTS):
    sys.exit(f"error: {RESULTS}: not a folder, or a link that leads nowhere; move it away and run again")
if workflow.modifier.path_modifier.modify(f"{RESULTS}/") != f"{RESULTS}/":
    sys.exit("error: Unmask as a module takes no `prefix` and no `replace_prefix`")


@contextlib.contextmanager
def refusing():
    """End the run with one line where the study is not as it has to be."""
    try:
        yield
    except InputError as error:
        sys.exit(f"error: {error}")


with refusing():
    if set("{}") & set(str(ROOT)):
        raise InputError(
            f"{ROOT}: Snakemake takes braces in a path for wildcards; move Unmask to a folder without them"
        )
    _chosen = choose_study(
        config, ROOT, list(map(str, workflow.configfiles)), not workflow.modifier.is_main_snakefile()
    )
    # a study is the whole configuration; what it leaves out has its default from docs/keys.md
    _chosen = complete(_chosen, ROOT, DIGESTS.of if workflow.is_main_process else None)
# another one, as the config of a module may be its workflow's
config = _chosen

STUDY = f"{RESULTS}/{config['study']}"
BENCHMARKS, CORPORA, WORLDS = (config.get(key, {}) for key in ("benchmarks", "corpora", "worlds"))
MODELS = Models(config.get("models", {}))

REGISTER = []
PRESENTED = []
# of the facts of a table, how it was made
VERSION_KEYS = ["versions", "code"]


def result(*parts):
    """A path in the study's folder of results."""
    return "/".join([STUDY, *parts])


def register(family, keys=(), files=(), statistics=(), provenance=(), programs=()):
    """State the outputs of a family in this study besides what it `presents`; none where it lacks the family.

    keys: of the study, which its provenance states; files: final outputs; statistics: tables with checksums
    beside these; provenance: where things came from (unmask.report.page); programs: that run in its
    sections (unmask.report.presenting.App).
    """
    REGISTER.append(
        {
            "family": family,
            "keys": list(keys),
            "files": list(files),
            "sections": [],
            "statistics": list(statistics),
            "provenance": list(provenance),
            "programs": list(programs),
        }
    )


def presents(family, inputs, files=None, sections=(), settings=None, modules=(), what=None, name=None):
    """Have a job make tables, figures and sections of a family that is registered: a rule of report.smk. They
    are final outputs of the study.

    inputs: what they are made from, files: tables and figures, both by names that the family's module gives
    them; sections: of the report, by name; settings: what they need to know of the study; modules: that are
    loaded by name; what: is presented, in words; name: of the rule, if not present_FAMILY.
    """
    (entry,) = [each for each in REGISTER if each["family"] == family]
    entry["files"] += (files or {}).values()
    entry["sections"] += sections
    PRESENTED.append(
        {
            "rule": name or f"present_{family}",
            "family": family,
            "inputs": inputs,
            "outputs": (files or {}) | section_outputs(sections),
            "code": lambda wildcards: code("present.py", module_file(family, "presenting"), *modules),
            "settings": settings or {},
            "what": what or family,
        }
    )


def registered(what):
    """What all families have registered of one thing, in the order of the report."""
    return [each for family in REGISTER for each in family[what]]


def hold_results():
    """Keep other runs out of the results during this one."""
    with refusing():
        hold_run_lock(STUDY)


def finished_study(wildcards):
    """The files of a finished study; results that are there have to be of this one."""
    if workflow.is_main_process and not workflow.dag_settings.forceall:
        check_results()
    return [*final_files(), *section_files(), section_file("provenance"), *registered("statistics")]


@functools.cache
def check_results():
    """Stop where results that are there are of an earlier layout, or are a copy of another study's."""
    is_finished = os.path.exists(result(CHECKSUMS))
    some = [result(CHECKSUMS)] if is_finished else sorted(map(str, Path(STUDY).glob("**/*.parquet")))[:1]
    with refusing():
        check_layout(STUDY)
    if not some or workflow.persistence.metadata(IOFile(some[0])) is not None:
        return
    known = f"{STUDY}: there is no record (.snakemake) of how these results were made"
    remedy = "add --forceall to make them anew, or remove them"
    if is_finished and (problem := difference_of_copy()):
        sys.exit(f"error: {known}, and {problem}; {remedy}")
    unknown = "whether they are of just this study and code cannot be known"
    print(f"{known}: {unknown}; {remedy}", file=sys.stderr)


def difference_of_copy():
    """The first thing in which finished results are not of this study and of the inputs that are here."""
    # it reads tables, which planning does not
    from unmask.results.verifying import verify

    try:
        if other := other_settings(STUDY, config):
            return f"they have other {', '.join(other)}"
        return next(iter(verify(STUDY).problems), None)
    except InputError as error:
        return str(error)


def log_of(*parts):
    """A path in the study's folder of logs."""
    return result("logs", *parts)


def any_of(names):
    """A wildcard constraint: one of the names; without any, nothing, so that the rule has no job."""
    return "|".join(map(re.escape, names)) or "(?!)"


@functools.cache
def code(script, *modules):
    """A digest of a script, of modules that it loads by name, and of all that these import, as a parameter
    of its rule."""
    return code_digest(ROOT / "scripts" / script, *modules)


def outside(path):
    """An input from outside the results: its content decides, not its date (tracking.smk, by `local`)."""
    return local(ancient(path))


def resource(name):
    """A hand-kept file of facts that comes with the workflow."""
    return outside(os.path.relpath(ROOT / "resources" / name))


def fetched_from(entry):
    """Where a file is fetched from, without secrets of its url; `query` tells urls that are shown alike."""
    shown = as_shown(entry)
    keys = ("url", "query", "sha256", "git_blob", "repo", "revision", "subset", "file")
    return {key: shown[key] for key in keys if shown.get(key) is not None}


def table_outputs(names, prefix="", forms=("csv", "md", "tex")):
    """Tables by the names that the family's module gives them."""
    return {f"{name}_{form}": result("tables", f"{prefix}{name}.{form}") for name in names for form in forms}


def figure_outputs(names, prefix=""):
    """Figures by the names that the family's module gives them."""
    return {
        f"{name}_{form}": result("figures", f"{prefix}{name}.{form}")
        for name in names
        for form in ("svg", "png")
    }


def section_file(name):
    """A section of the report."""
    return result("report", "sections", f"{name}.json")


def section_outputs(names):
    """Sections of the report by name, as outputs."""
    return {name: section_file(name) for name in names}


def licence(entry, made=False):
    """What the report says of the licence of data, also where a study names none; nothing of what it makes
    itself. The last section of the page lists it (unmask.report.page)."""
    return {} if made else {LICENCE: entry.get("licence") or NOT_STATED}


def display_metadata(names, entries):
    """What the report says of models or benchmarks, in the order of the study."""
    keys = ("published", "source", "world", "format")
    return [{"name": name, **{key: entries[name].get(key) for key in keys}} for name in names]


def stated_settings():
    """The study's settings, without those that families state by themselves, and without secrets of urls."""
    elsewhere = {*registered("keys"), "runtime", "data"}
    return shown_settings({key: value for key, value in config.items() if key not in elsewhere})


def final_files():
    """What a study comes to: the report, and what every family has."""
    return [result("report", "index.html"), result("report", "summary.txt"), *registered("files")]


def section_files():
    """The sections of the report that families write, in their order."""
    return [section_file(name) for name in registered("sections")]


def provenance_files():
    """The files that say where numbers come from."""
    return [file for entry in registered("provenance") for file in entry["files"]]


def page_parts():
    """Digests of what the report's page is besides code, as a parameter of its rule."""
    parts = ("page.html.jinja", "page.css", "page.js")
    return [sha256_of_file(Path(LIBRARY) / "unmask/report" / part) for part in parts]


def page_programs():
    """Digests of the programs and style sheets in the report's page, as a parameter of its rule."""
    files = [f"unmask/{name}.{suffix}" for name in registered("programs") for suffix in ("js", "css")]
    return {file: sha256_of_file(Path(LIBRARY) / file) for file in files}

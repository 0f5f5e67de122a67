"""What is known of a model of the study: its manifest."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from unmask import plugins
from unmask.errors import InputError
from unmask.facts import read_facts, record, write_facts
from unmask.models.own_code import allow, why_refused


def write_manifest(path: str | Path, about: Mapping[str, Any], facts: Iterable[str | Path] = ()) -> None:
    """Check that a model is what it is said to be, and write its manifest.

    about: the model's `name`, its `directory`, the `entry` (its source, the kind that it is said to be,
    whether code that comes with it is run, and the start token that a decoder is to have) and `code`, a
    digest of what a manifest says; facts: files with what the rule that made the model says of it. The checks
    of `models/checks` are in no digest: a new one is for models that are new or changed, and nothing that was
    made with the others is made anew.
    Raises InputError where the model is not what it is said to be.
    """
    entry, facts = dict(about["entry"]), list(facts)
    directory, kind = Path(about["directory"]), plugins.load("models/kinds", entry["kind"])
    allow(directory, entry)
    try:
        for check in plugins.names("models/checks"):
            plugins.load("models/checks", check).check(directory, entry["kind"], about["name"])
        kind.check(directory, about["name"], entry)
    except InputError as error:
        raise why_refused(directory, error) from None
    # the files themselves are described below
    for file in facts:
        entry |= read_facts(file)
    provenance = record(facts, about["code"], "torch", "transformers", "tokenizers")
    described = kind.describe(directory, about["entry"])
    write_facts(path, described | provenance | {"directory": str(directory), "entry": entry})

"""All files of rules share one namespace: of two definitions of a name, the later one holds everywhere."""

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from workflow_copy import ROOT

IMPORT = re.compile(r"^from (\S+) import (?:\(([^)]*)\)|(.*))$", re.MULTILINE)
DEFINITION = re.compile(r"^(?:def|rule|use rule \w+ as) (\w+)|^((?:\w+, )*\w+) = ", re.MULTILINE)


def definitions(path: Path) -> Iterator[tuple[str, str]]:
    """The names that a file of rules defines, each with where it has it from."""
    text = path.read_text(encoding="utf-8")
    for module, in_brackets, on_the_line in IMPORT.findall(text):
        for imported in filter(None, map(str.strip, (in_brackets or on_the_line).split(","))):
            yield imported.split(" as ")[-1], f"{module}.{imported.split(' as ')[0]}"
    for function, variables in DEFINITION.findall(text):
        for name in (function or variables).split(", "):
            yield name, path.relative_to(ROOT).as_posix()


def test_no_name_of_the_workflow_is_defined_twice() -> None:
    origins = defaultdict(set)
    for path in [ROOT / "Snakefile", *(ROOT / "rules").rglob("*.smk")]:
        for name, origin in definitions(path):
            origins[name].add(origin)
    assert {"MODELS", "result", "regional_study", "evidence"} <= set(origins)
    assert {name: places for name, places in origins.items() if len(places) > 1} == {}

"""The last section of the page: where numbers come from, the licences of data, and how to cite."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from unmask import workflow_root
from unmask.files import read_facts
from unmask.report.sections import METHOD, Block, Code, Facts, Fold, Section, Text
from unmask.report.sheets import DASH
from unmask.tables import read_metadata
from unmask.terms import LICENCE

Lines = Sequence[tuple[str, str]]
"""Nested facts as lines: keys joined by dots, and the value as text."""

HEADING, LABEL = "Method, data and citation", "Method, data"

MESSAGE = "If you use Unmask, please cite it, and the papers whose measures you report."


def provenance(settings: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]) -> Section:
    """What the study's settings and every entry say, the licences of its data, and how to cite.

    An entry has a title; files, Parquet with facts in its metadata or JSON; keys, which of the facts are
    shown, empty for all; and may have `within`: then each value of that mapping of a file's facts counts as a
    file's facts; and `stated`: facts that the study states and no file has, which come first. An entry of
    several files has one value where all agree, else all of them.
    """
    folds: list[Fold] = []
    for entry in entries:
        facts = [facts for path in entry["files"] for facts in _facts(path, entry.get("within"))]
        lines = agreed([list(flatten(_chosen(one, entry["keys"]))) for one in facts])
        stated = flatten(entry.get("stated", {}))
        folds.append(Fold(entry["title"], (Facts((*stated, *lines)),)))
    blocks: list[Block] = [Fold("Settings", (Facts(tuple(flatten(settings))),))]
    if folds:
        blocks.append(Fold("Inputs, code and versions", tuple(folds)))
    stated_licences = [(each["title"], each.get("stated", {}).get(LICENCE)) for each in entries]
    if licences := tuple((title, licence) for title, licence in stated_licences if licence):
        blocks.append(Fold("Licences of the data that is quoted", (Facts(licences),)))
    entry_of_unmask, papers = citations()
    blocks += [Text(MESSAGE), Code(entry_of_unmask), Fold("The papers", (Code(papers),))]
    return Section(METHOD, HEADING, (), tuple(blocks), label=LABEL)


def citations() -> tuple[str, str]:
    """The entry of Unmask in CITATION.bib, and those of the papers."""
    entry, _, papers = (workflow_root() / "CITATION.bib").read_text(encoding="utf-8").partition("\n\n")
    return f"{entry}\n", papers


def _facts(path: str | Path, within: str | None) -> list[Mapping[str, Any]]:
    facts = read_metadata(path) if Path(path).suffix == ".parquet" else read_facts(path)
    return [facts] if within is None else list(facts[within].values())


def _chosen(facts: Mapping[str, Any], keys: Sequence[str]) -> Mapping[str, Any]:
    return {key: facts[key] for key in keys if key in facts} if keys else facts


def agreed(facts: Sequence[Lines]) -> Lines:
    """The lines of several facts as those of one: where they differ, all values of a key, in sorted order.

    Where some have no value, these do not count.
    """
    if len(facts) == 1:
        return facts[0]
    values: dict[str, set[str]] = {}
    for lines in facts:
        for key, value in lines:
            values.setdefault(key, set()).add(value)
    return [(key, ", ".join(sorted(values - {DASH}) or [DASH])) for key, values in values.items()]


def flatten(facts: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Nested facts as lines: (keys joined by dots, value as text)."""
    if isinstance(facts, Mapping):
        for key, value in facts.items():
            yield from flatten(value, f"{path}.{key}" if path else str(key))
    elif isinstance(facts, list) and any(isinstance(item, Mapping | list) for item in facts):
        for index, item in enumerate(facts):
            name = item.get("name", index) if isinstance(item, Mapping) else index
            yield from flatten(item, f"{path}.{name}" if path else str(name))
    elif isinstance(facts, list):
        yield path, ", ".join(map(str, facts))
    else:
        yield path, DASH if facts is None else str(facts)

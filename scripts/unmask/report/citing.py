"""How to cite Unmask and the papers that it implements (CITATION.bib), and the licences of the data."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from unmask.installation import workflow_root
from unmask.report.sections import ORIGINS, Code, Facts, Fold, Section, Text
from unmask.terms import LICENCE

NAME, CITE = "cite", "How to cite"
"""The name and the heading of its section."""

MESSAGE = "If you use Unmask, please cite it, and the papers whose measures you report."
LICENCES = "The page quotes data, of which these are the licences, as the study states them."


def citations() -> tuple[str, str]:
    """The entry of Unmask in CITATION.bib, and those of the papers."""
    entry, _, papers = (workflow_root() / "CITATION.bib").read_text(encoding="utf-8").partition("\n\n")
    return f"{entry}\n", papers


def licences_of(entries: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """(title, licence) of the entries of the provenance that state one, or that there is none."""
    stated = [(entry["title"], entry.get("stated", {}).get(LICENCE)) for entry in entries]
    return [(title, licence) for title, licence in stated if licence]


def cite_section(licences: Sequence[tuple[str, str]] = ()) -> Section:
    """The section on how to cite: Unmask, the licences of the data (licences_of), in a fold the papers."""
    entry, papers = citations()
    of_data = (Text(LICENCES), Facts(tuple(licences))) if licences else ()
    blocks = (Text(MESSAGE), Code(entry), *of_data, Fold("The papers", (Code(papers),)))
    return Section(NAME, CITE, (), blocks, group=ORIGINS)

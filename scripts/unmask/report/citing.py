"""How to cite Unmask and the papers that it implements: CITATION.cff as BibTeX."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from unmask.report.rendering import escape_latex
from unmask.report.sections import ORIGINS, Code, Facts, Fold, Section, Text
from unmask.terms import LICENCE

_KINDS = {"software": "software", "conference-paper": "inproceedings", "article": "article"}
_FIELDS = {
    "collection-title": "booktitle",
    "journal": "journal",
    "volume": "volume",
    "issue": "number",
    "year": "year",
    "version": "version",
    "doi": "doi",
    "url": "url",
}
"""Fields of BibTeX by the keys of CITATION.cff."""

NAME, CITE = "cite", "How to cite"
"""The name and the heading of its section."""

LICENCES = "The page quotes data, of which these are the licences, as the study states them."

LINKS = {"url": "Documentation", "repository-code": "Repository"}
"""What links of CITATION.cff lead to."""


def read_citation(path: str | Path) -> dict[str, Any]:
    """What CITATION.cff says."""
    citation: dict[str, Any] = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    return citation


def bibtex(entry: Mapping[str, Any]) -> str:
    """An entry of CITATION.cff, or of its references, as BibTeX. Of a date the year is taken."""
    year = entry.get("year") or str(entry.get("date-released", ""))[:4]
    known = {**entry, "year": year}
    # braces keep capitals
    fields = {
        "title": f"{{{escape_latex(entry['title'])}}}",
        "author": " and ".join(map(_name, entry["authors"])),
    }
    fields |= {
        field: str(known[key]) if field in ("doi", "url") else escape_latex(str(known[key]))
        for key, field in _FIELDS.items()
        if known.get(key)
    }
    lines = ",\n".join(f"  {field} = {{{text}}}" for field, text in fields.items())
    return f"@{_KINDS.get(entry['type'], 'misc')}{{{_key(entry, year)},\n{lines}\n}}\n"


def licences_of(entries: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """(title, licence) of the entries of the provenance that state one, or that there is none."""
    stated = [(entry["title"], entry.get("stated", {}).get(LICENCE)) for entry in entries]
    return [(title, licence) for title, licence in stated if licence]


def cite_section(citation: Mapping[str, Any], licences: Sequence[tuple[str, str]] = ()) -> Section:
    """The section on how to cite: Unmask, the licences of the data (licences_of), and the papers of its
    references in a fold.
    """
    papers = "\n".join(map(bibtex, citation.get("references", ())))
    more = (
        *((Text(LICENCES), Facts(tuple(licences))) if licences else ()),
        *((Fold("The papers", (Code(papers),)),) if papers else ()),
    )
    return Section(
        NAME,
        CITE,
        (),
        (Text(citation["message"]), Code(bibtex(citation)), *more),
        group=ORIGINS,
    )


def links_of(citation: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(name, address) of the section on how to cite, and of the links that the citation has."""
    outside = [(name, citation[key]) for key, name in LINKS.items() if key in citation]
    return [(CITE, f"#{NAME}"), *outside]


def _name(author: Mapping[str, str]) -> str:
    if "name" in author:
        return f"{{{escape_latex(author['name'])}}}"
    return escape_latex(", ".join(author[key] for key in ("family-names", "given-names") if key in author))


def _key(entry: Mapping[str, Any], year: Any) -> str:
    """The first author's name, the year and the first word of the title; of a group the word and the year."""
    first, word = entry["authors"][0].get("family-names"), re.split(r"\W+", entry["title"])[0]
    words = (first, str(year), word) if first else (word, str(year))
    plain = unicodedata.normalize("NFKD", "".join(words)).encode("ascii", "ignore").decode()
    return re.sub(r"\W", "", plain).lower()

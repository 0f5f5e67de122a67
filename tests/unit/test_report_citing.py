"""How to cite: CITATION.cff as BibTeX."""

import re
from pathlib import Path
from typing import Any

import pytest

from library import (
    LICENCE,
    NOT_STATED,
    VERSION,
    Code,
    Facts,
    bibtex,
    cite_section,
    licences_of,
    links_of,
    read_citation,
    render_page,
)

CITATION = Path(__file__).parents[2] / "CITATION.cff"


def test_software_is_cited_with_its_version() -> None:
    section = cite_section(read_citation(CITATION))
    (software, papers) = (block.text for block in section.every_block() if isinstance(block, Code))
    assert software.startswith("@software{unmask2026,\n") and f"  version = {{{VERSION}}}" in software
    assert "author = {{The Unmask authors}}" in software
    # each entry has a name of its own, and its braces match
    names = re.findall(r"^@\w+\{(\w+),$", papers, re.MULTILINE)
    assert len(names) == len(set(names)) == len(read_citation(CITATION)["references"])
    assert papers.count("{") == papers.count("}")


def test_licences_of_data_stand_in_the_section() -> None:
    entries: list[dict[str, Any]] = [
        {"title": "Benchmark b", "files": [], "keys": [], "stated": {"of": "a", LICENCE: "CC BY-SA 4.0"}},
        {"title": "Corpus c", "files": [], "keys": [], "stated": {LICENCE: NOT_STATED}},
        # made by the study
        {"title": "Task t", "files": [], "keys": [], "stated": {}},
        {"title": "Scoring", "files": [], "keys": []},
    ]
    licences = licences_of(entries)
    assert licences == [("Benchmark b", "CC BY-SA 4.0"), ("Corpus c", "not stated")]
    citation = {"message": "m", "type": "software", "title": "T", "authors": [{"name": "A"}]}
    with_data = cite_section(citation, licences)
    assert [block for block in with_data.blocks if isinstance(block, Facts)] == [Facts(tuple(licences))]
    assert not [block for block in cite_section(citation).blocks if isinstance(block, Facts)]
    page = render_page("t", [with_data])
    assert "Benchmark b" in page and "CC BY-SA 4.0" in page and "not stated" in page


def test_a_paper_becomes_an_entry() -> None:
    paper = {
        "type": "conference-paper",
        "title": "Bias & more: 100% of_it",
        "authors": [
            {"given-names": "Zoë", "family-names": "Müller-Lüdenscheidt"},
            {"family-names": "Plato"},
            {"name": "The {Group}"},
        ],
        "collection-title": "Proceedings",
        "year": 2020,
        "doi": "10.1/a_b",
    }
    assert bibtex(paper) == (
        "@inproceedings{mullerludenscheidt2020bias,\n"
        "  title = {{Bias \\& more: 100\\% of\\_it}},\n"
        "  author = {Müller-Lüdenscheidt, Zoë and Plato and {The \\{Group\\}}},\n"
        "  booktitle = {Proceedings},\n"
        "  year = {2020},\n"
        "  doi = {10.1/a_b}\n"
        "}\n"
    )


@pytest.mark.parametrize("kind", ["thesis", "book"])
def test_other_kinds_are_misc(kind: str) -> None:
    assert bibtex({"type": kind, "title": "T", "authors": [{"name": "A"}]}).startswith("@misc{t,")


def test_links_are_those_that_are_there() -> None:
    section = cite_section({"message": "m", "type": "software", "title": "T", "authors": [{"name": "A"}]})
    cite = (section.heading, f"#{section.name}")
    assert links_of({"title": "t"}) == [cite]
    both = {"repository-code": "https://a.example/r", "url": "https://a.example"}
    assert links_of(both) == [
        cite,
        ("Documentation", "https://a.example"),
        ("Repository", "https://a.example/r"),
    ]

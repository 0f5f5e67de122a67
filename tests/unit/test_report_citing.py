"""How to cite: CITATION.cff as BibTeX."""

import re
from pathlib import Path

import pytest

from unmask.facts import VERSION
from unmask.report.citing import bibtex, cite_section, links_of, read_citation
from unmask.report.sections import Code

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

"""How to cite, and the licences of the data."""

import re
from typing import Any

from library import (
    LICENCE,
    NOT_STATED,
    VERSION,
    Code,
    Facts,
    citations,
    cite_section,
    licences_of,
    render_page,
)


def test_software_is_cited_with_its_version_and_papers_after_it() -> None:
    software, papers = (block.text for block in cite_section().every_block() if isinstance(block, Code))
    assert (software, papers) == citations()
    assert software.startswith("@software{unmask2026,\n") and f"  version = {{{VERSION}}}" in software
    # each entry has a name of its own, and its braces match
    names = re.findall(r"^@\w+\{(\w+),$", papers, re.MULTILINE)
    assert len(names) == len(set(names)) == papers.count("@") > 5
    assert all(text.count("{") == text.count("}") for text in (software, papers))


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
    with_data = cite_section(licences)
    assert [block for block in with_data.blocks if isinstance(block, Facts)] == [Facts(tuple(licences))]
    assert not [block for block in cite_section().blocks if isinstance(block, Facts)]
    page = render_page("t", [with_data])
    assert "Benchmark b" in page and "CC BY-SA 4.0" in page and "not stated" in page

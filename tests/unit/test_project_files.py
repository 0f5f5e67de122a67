"""The citation and the changelog are of the version that the library has."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
VERSION = (ROOT / "scripts/unmask/VERSION").read_text().strip()


def test_the_citation_is_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = dict(re.findall(r"^## \[(.+?)\] - (\d{4}-\d{2}-\d{2})$", changelog, re.MULTILINE))
    assert citation["version"] == VERSION
    assert citation["date-released"] == released[VERSION]
    entry = (ROOT / "CITATION.bib").read_text(encoding="utf-8").partition("\n\n")[0]
    assert f"version = {{{VERSION}}}" in entry and f"title = {{{{{citation['title']}}}}}" in entry

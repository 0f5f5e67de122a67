"""Holding a study's results against what they say they were made from; what cannot be held is a problem too.

python -m unmask.results.verifying results/STUDY
"""

import argparse
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from unmask.errors import InputError
from unmask.evidence.lists import LIST, altered
from unmask.facts import read_facts
from unmask.files import sha256_of_file
from unmask.results.checksums import FILE, read_checksums
from unmask.results.register import matcher, read_register
from unmask.results.walking import paths_below
from unmask.tables import read_metadata

PATTERNS = (
    "**/*.parquet",
    "**/facts.json",
    "**/*.facts.json",
    f"**/{LIST}",
    "models/*/manifest.json",
    "explorer/*/*/*.json",
    "report/sections/*.json",
)
"""Files that say what they were made from."""


@dataclass
class Verified:
    """What was found: each problem is one line that begins with a file's path."""

    folder: Path
    results: int = 0
    """Files that are as they were made."""
    inputs: int = 0
    """Inputs that are still those that results were made from, each counted once for each result."""
    removed: set[Path] = field(default_factory=set)
    """Inputs that are not here and need not be, such as evidence (unmask.results.register)."""
    problems: list[str] = field(default_factory=list)
    _digests: dict[Path, str] = field(default_factory=dict)

    @cached_property
    def start(self) -> Path:
        """The folder that Snakemake ran in, which recorded paths are relative to."""
        # not where links lead: `results` may be one
        return Path(os.path.abspath(self.folder)).parents[1]

    @cached_property
    def removable(self) -> list[re.Pattern[str]]:
        """What may be removed, as paths in the folder."""
        return [matcher(pattern["files"]) for pattern in read_register(self.folder)]

    def check(self) -> None:
        """Check final files by the list of checksums, evidence by the list beside it, and every other table
        and section by the record in itself."""
        try:
            for path, sha256 in read_checksums(self.folder / FILE).items():
                if not path.exists():
                    self.problems.append(f"{path}: is missing")
                elif self._sha256(path) != sha256:
                    self.problems.append(f"{path}: has changed since it was made")
                else:
                    self.results += 1
        except InputError as error:
            self.problems.append(str(error))
        files = [path for path in paths_below(self.folder) if path.is_file()]
        for path in filter(self._is_recorded, files):
            try:
                facts = read_metadata(path) if path.suffix == ".parquet" else read_facts(path)
            except (OSError, ValueError, pa.ArrowException) as error:
                self.problems.append(f"{path}: cannot be read ({str(error).splitlines()[0]})")
                continue
            self._check_listed(path, facts)
            if "made_from" not in facts:
                self.problems.append(f"{path}: does not say what it was made from")
            self._check_gate(path, facts)
            for source, sha256 in _sources(facts):
                self._check_source(path, source, sha256)

    def _is_recorded(self, path: Path) -> bool:
        place = path.relative_to(self.folder)
        hidden = any(part.startswith(".") for part in place.parts)
        # the list of a model's tables on a benchmark says what they were made from
        listed = path.name != LIST and any((folder / LIST).is_file() for folder in path.parents[:2])
        return not hidden and not listed and any(_fits(place, pattern) for pattern in PATTERNS)

    def _check_listed(self, path: Path, facts: Mapping[str, Any]) -> None:
        """Check the tables of a list, which says what they were made from."""
        for name, sha256 in facts["tables"].items() if path.name == LIST else ():
            if problem := altered(path.parent / name, sha256):
                self.problems.append(f"{path.parent / name}: {problem}")

    def _check_gate(self, path: Path, facts: Mapping[str, Any]) -> None:
        """What a trained model has learnt of its world stands in its facts, and among its files."""
        gate = path.parent / "files/gate.json"
        if "gate" in facts and gate.is_file():
            try:
                same = json.loads(gate.read_bytes()) == facts["gate"]
            except ValueError:
                same = False
            if not same:
                self.problems.append(f"{gate}: is not what {path} says of it")

    def _check_source(self, path: Path, source: str, sha256: str) -> None:
        # an absolute path stays what it is
        there = self.start / source
        if not there.exists():
            if self._may_be_removed(there):
                self.removed.add(there)
            else:
                self.problems.append(f"{path}: {source}, which it was made from, is not here")
        elif self._sha256(there) != sha256:
            self.problems.append(f"{path}: {source} is no longer the file that it was made from")
        else:
            self.inputs += 1

    def _may_be_removed(self, path: Path) -> bool:
        folder = Path(os.path.abspath(self.folder))
        return path.is_relative_to(folder) and any(
            pattern.fullmatch(path.relative_to(folder).as_posix()) for pattern in self.removable
        )

    def _sha256(self, path: Path) -> str:
        path = path.resolve()
        if path not in self._digests:
            self._digests[path] = sha256_of_file(path)
        return self._digests[path]


def _fits(place: Path, pattern: str) -> bool:
    """Whether a path fits one of PATTERNS, of which ** stands for any folders."""
    at_any_depth = pattern.removeprefix("**/")
    return place.match(at_any_depth) and (
        at_any_depth != pattern or len(place.parts) == pattern.count("/") + 1
    )


def _sources(facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield from facts.get("made_from", {}).items()
    if "directory" in facts:
        # the manifest of a model lists its files
        for name, file in facts["files"].items():
            yield str(Path(facts["directory"], name)), file["sha256"]


def verify(folder: str | Path) -> Verified:
    """Check the results of one study. Raises InputError where there are none."""
    if not Path(folder).is_dir():
        raise InputError(f"{folder}: no such folder of results")
    verified = Verified(Path(folder))
    verified.check()
    return verified


def main() -> None:
    parser = argparse.ArgumentParser(description="Hold a study's results against what they were made from.")
    parser.add_argument("folder", metavar="results/STUDY")
    arguments = parser.parse_args()
    try:
        verified = verify(arguments.folder)
    except InputError as error:
        sys.exit(f"error: {error}")
    for problem in verified.problems:
        print(f"error: {problem}")
    if verified.removed:
        print(f"{len(verified.removed)} inputs were removed, as may be: {min(verified.removed)}")
    print(
        f"{verified.results} results are as they were made; "
        f"{verified.inputs} inputs are those that results were made from"
    )
    sys.exit(bool(verified.problems))


if __name__ == "__main__":
    main()

"""The labels of StereoSet's intersentence part."""

from collections.abc import Iterator
from pathlib import Path

from unmask.benchmarks.formats.stereoset import INTERSENTENCE
from unmask.benchmarks.labels.stereoset import labels_of


def read(path: Path) -> Iterator[tuple[str, str, str]]:
    """Yield pair, role and label of every label of every intersentence item, with errors likewise."""
    yield from labels_of(path, INTERSENTENCE)

"""StereoSet, its intersentence part (Nadeem et al. 2021): a context, and sentences that may follow it."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from unmask.benchmarks.formats.stereoset import INTERSENTENCE, pairs_of
from unmask.terms import ROLES

ENDS = (".", "!", "?")
"""What a context ends with; another one has a full stop, as the authors' code puts it."""


def read(path: Path, entry: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place and the Pairs columns of every intersentence item.

    A model reads the context and the sentence behind it as one text. The context is that of all three
    sentences, so that the log-likelihood of one text less that of another is that of the sentences, given the
    context. Raises InputError naming the file, item and key at fault.
    """
    for place, pair in pairs_of(path, INTERSENTENCE):
        context = pair["context"] if pair["context"].endswith(ENDS) else f"{pair['context']}."
        yield place, pair | {role: f"{context} {pair[role]}" for role in ROLES}

"""How many examples a property is tried with, all in the profile `full`; and files with bytes changed."""

from collections.abc import Sequence

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

SHARE = 5
"""Of how many examples one is drawn after every change …"""
FEWEST = 10
"""… and how many are, at least."""


def examples(full: int) -> int:
    """How many of `full` examples are drawn in this run of the tests."""
    return full if settings.get_current_profile_name() == "full" else min(full, max(FEWEST, full // SHARE))


FUZZ = settings(
    derandomize=True,
    deadline=None,
    max_examples=examples(150),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
CHANGES = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 5), st.binary(max_size=6)), min_size=1, max_size=4
)


def changed(content: bytes, changes: Sequence[tuple[float, int, bytes]]) -> bytes:
    """A file with some bytes replaced by others, in several places, and perhaps cut short."""
    for place, length, put in changes:
        start = int(place * len(content))
        content = content[:start] + put + (content[start + length :] if length < 5 else b"")
    return content

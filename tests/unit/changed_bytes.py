"""Files with bytes changed."""

from collections.abc import Sequence

from hypothesis import strategies as st

CHANGES = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 5), st.binary(max_size=6)), min_size=1, max_size=4
)


def changed(content: bytes, changes: Sequence[tuple[float, int, bytes]]) -> bytes:
    """A file with some bytes replaced by others, in several places, and perhaps cut short."""
    for place, length, put in changes:
        start = int(place * len(content))
        content = content[:start] + put + (content[start + length :] if length < 5 else b"")
    return content

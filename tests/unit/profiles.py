"""How many examples a property is tried with: some after every change, all with --hypothesis-profile=full."""

from hypothesis import settings

SHARE = 5
"""Of how many examples one is drawn after every change …"""
FEWEST = 10
"""… and how many are, at least."""


def examples(full: int) -> int:
    """How many of `full` examples are drawn in this run of the tests."""
    return full if settings.get_current_profile_name() == "full" else min(full, max(FEWEST, full // SHARE))

"""What is to be known about a tree of regions before its scores are read."""

from collections.abc import Sequence

import pandas as pd

EXAMPLES = 3
"""So many names a remark gives."""


def remarks(regions: pd.DataFrame) -> list[str]:
    """Sentences on a REGIONS table, where there is anything to say; nothing is dropped for any of it.

    Regions without a region in them, and with only one, on each level on which others have some; names that
    several places share, which have one sentence and so one likelihood.
    """
    children = regions["region"].map(regions["parent"].value_counts()).fillna(0)
    found = []
    for level, places in regions.groupby("level", sort=False):
        numbers = children[places.index]
        if numbers.any():
            for number, words in ((0, "no region in them"), (1, "only one region in them")):
                names = list(places["name"][numbers == number])
                if names:
                    found.append(
                        f"Regions of the level {level} with {words}: "
                        f"{len(names):,} of {len(places):,} ({_listed(names)})."
                    )
    sharing = regions.groupby("name", sort=False).size()
    sharing = sharing[sharing > 1]
    if len(sharing):
        found.append(
            f"Names that several regions share: {len(sharing):,}, of {sharing.sum():,} regions "
            f"({_listed(list(sharing.index))})."
        )
    return found


def _listed(names: Sequence[str]) -> str:
    """The first few, as text: a name may hold a comma."""
    shown = "; ".join(names[:EXAMPLES])
    return f"{shown}; {len(names) - EXAMPLES:,} more" if len(names) > EXAMPLES else shown

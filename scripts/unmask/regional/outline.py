"""What a tree of regions looks like: which regions tables have, and what they are called."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True)
class Outline:
    """A tree of regions, as REGIONS has it.

    root: the region that holds all; parents, names, levels: of every region, by region; children: how many
    regions each has, 0 for a leaf; codes: ISO 3166-1 numeric codes of the regions that have one.
    """

    root: str
    parents: Mapping[str, str | None]
    names: Mapping[str, str]
    levels: Mapping[str, str]
    children: Mapping[str, int]
    codes: Mapping[str, int]

    @classmethod
    def of(cls, regions: pd.DataFrame) -> "Outline":
        """regions: REGIONS, the root first."""
        keys = regions["region"].tolist()
        parents = {
            key: None if pd.isna(parent) else str(parent)
            for key, parent in zip(keys, regions["parent"], strict=True)
        }
        children = dict.fromkeys(keys, 0)
        for parent in parents.values():
            if parent is not None:
                children[parent] += 1
        known = regions[regions["country_code"].notna()]
        return cls(
            keys[0],
            parents,
            dict(zip(keys, regions["name"], strict=True)),
            dict(zip(keys, regions["level"], strict=True)),
            children,
            {key: int(code) for key, code in zip(known["region"], known["country_code"], strict=True)},
        )

    def tops(self) -> list[str]:
        """The regions right below the root that have children: the continents."""
        return [key for key, parent in self.parents.items() if parent == self.root and self.children[key]]

    def shown(self) -> list[str]:
        """The columns of a table: the regions right below the root, and the root last."""
        return [*self.tops(), self.root]

    def inner(self) -> list[str]:
        """Regions with children below those of `tops`: the countries with a city."""
        above = {*self.shown()}
        return [key for key, count in self.children.items() if count and key not in above]

    def leaves(self) -> list[str]:
        """Regions without children."""
        return [key for key, count in self.children.items() if not count]

    def of_level(self, level: str) -> list[str]:
        """The regions of a level."""
        return [key for key, own in self.levels.items() if own == level]

    def top_of(self, region: str) -> str | None:
        """The region right below the root that it lies in, or is; None for the root."""
        parent = self.parents[region]
        while parent is not None and parent != self.root:
            region, parent = parent, self.parents[parent]
        return None if parent is None else region

    def level_below(self, region: str) -> str:
        """The level of its first child. Raises StopIteration where it has none."""
        return next(self.levels[key] for key, parent in self.parents.items() if parent == region)

    def pairs(self, region: str) -> int:
        """How many pairs its children make."""
        count = self.children[region]
        return count * (count - 1) // 2

    def headed(self, region: str) -> str:
        """Its name and how many children it has, `overall` for the root."""
        name = "overall" if region == self.root else self.names[region]
        return f"{name} ({self.children[region]})"


def plural(level: str) -> str:
    """What several regions of a level are called."""
    return f"{level[:-1]}ies" if level.endswith("y") else f"{level}s"


def named(outline: Outline, regions: Sequence[str], most: int = 6) -> str:
    """Names of regions as a list in a sentence; beyond `most` how many more there are."""
    names = [outline.names[region] for region in regions]
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)

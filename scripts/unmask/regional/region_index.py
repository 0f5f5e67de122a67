"""A tree of regions by their ids: which regions tables have, their names, and what is odd of them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from unmask.report.findings import listed
from unmask.report.sheets import rows_of

EXAMPLES = 5
"""Names that a fact gives."""

Fact = tuple[str, str]
"""What it is about, and what is so."""


@dataclass(frozen=True)
class RegionIndex:
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
    def of(cls, regions: pd.DataFrame) -> "RegionIndex":
        """regions: REGIONS, the root first."""
        keys = regions["region"].tolist()

        def column(name: str) -> dict[str, Any]:
            return dict(zip(keys, regions[name], strict=True))

        parents = {key: None if pd.isna(of) else str(of) for key, of in column("parent").items()}
        counts = regions["parent"].value_counts()
        children = {key: int(counts.get(key, 0)) for key in keys}
        codes = {key: int(code) for key, code in column("country_code").items() if pd.notna(code)}
        return cls(keys[0], parents, column("name"), column("level"), children, codes)

    def tops(self) -> list[str]:
        """The regions right below the root that have children: the continents."""
        return [key for key, parent in self.parents.items() if parent == self.root and self.children[key]]

    def columns(self) -> list[str]:
        """The columns of a table: the regions right below the root, and the root last."""
        return [*self.tops(), self.root]

    def inner(self) -> list[str]:
        """Regions with children below those of `tops`: the countries with a city."""
        above = {*self.columns()}
        return [key for key, count in self.children.items() if count and key not in above]

    def leaves(self) -> list[str]:
        """Regions without children."""
        return [key for key, count in self.children.items() if not count]

    def of_level(self, level: str) -> list[str]:
        """The regions of a level."""
        return [key for key, each in self.levels.items() if each == level]

    def laid_out(self) -> list[str]:
        """The regions of Figure 3: what lies in the root, and in that, but for leaves; where that is nothing,
        all below the root."""
        tops = self.tops()
        with_children = {self.levels[region] for region, count in self.children.items() if count}
        regions = [
            region
            for region, parent in self.parents.items()
            if region in tops or (parent in tops and self.levels[region] in with_children)
        ]
        return regions if len(regions) > len(tops) else [each for each in self.parents if self.top_of(each)]

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


def tree_facts(index: RegionIndex) -> Iterator[Fact]:
    """How many regions each level has, which have one child or none, and names that several share."""
    levels = list(dict.fromkeys(index.levels.values()))
    for level in levels:
        regions = index.of_level(level)
        if regions == [index.root]:
            continue
        yield plural(level), f"{len(regions):,}"
        if not any(index.children[region] for region in regions):
            continue
        for count, text in ((0, "without children, so without a score"), (1, "with one child, so no pair")):
            few = [region for region in regions if index.children[region] == count]
            if few:
                yield f"{plural(level)} {text}", _examples(index, few)
    names = pd.Series(index.names)
    counts = names[names.duplicated(keep=False)].value_counts(sort=True)
    if len(counts):
        most = ", ".join(f"{name} ({count})" for name, count in counts.head(EXAMPLES).items())
        yield (
            "names of several regions, which one sentence stands for",
            f"{len(counts):,} for {counts.sum():,} regions, such as {most}",
        )


def token_facts(model: str, names: pd.DataFrame) -> Fact:
    """How many names a model's tokenizer does not know. names: LIKELIHOODS, the rows of names alone."""
    unknown = names[names["unknown"] > 0]
    text = f"{len(unknown):,} of {len(names):,} names have a token unknown to the tokenizer"
    if len(unknown):
        text += f" (such as {', '.join(unknown['name'].head(EXAMPLES))})"
    if len(names):
        longest = max(rows_of(names), key=lambda row: row.tokens)
        text += f"; the longest, {longest.name}, has {longest.tokens} tokens"
    return f"names, {model}", text


def not_on_the_map(index: RegionIndex, missing: list[str]) -> Iterator[Fact]:
    """Regions that have a score and no place on the map, where there are any."""
    if missing:
        yield "with a score, not on the map", _examples(index, missing, 2 * EXAMPLES)


def _examples(index: RegionIndex, regions: Iterable[str], most: int = EXAMPLES) -> str:
    names = [index.names[region] for region in regions]
    return f"{len(names)}: {listed(names, most)}"

"""What is to be said of the names of regions: none is dropped, but some say little."""

from collections.abc import Iterator

import pandas as pd

from unmask.regional.outline import Outline, named, plural
from unmask.report.sheets import rows_of

EXAMPLES = 5


def tree_facts(outline: Outline) -> Iterator[tuple[str, str]]:
    """How many regions each level has, which have one child or none, and names that several share."""
    levels = list(dict.fromkeys(outline.levels.values()))
    leaf_levels = {level for level in levels if not any(outline.children[r] for r in outline.of_level(level))}
    for level in levels:
        own = outline.of_level(level)
        if own == [outline.root]:
            continue
        yield plural(level), f"{len(own):,}"
        if level in leaf_levels:
            continue
        for count, text in ((0, "without children, so without a score"), (1, "with one child, so no pair")):
            few = [region for region in own if outline.children[region] == count]
            if few:
                yield f"{plural(level)} {text}", f"{len(few)}: {named(outline, few, EXAMPLES)}"
    names = pd.Series(outline.names)
    shared = names[names.duplicated(keep=False)]
    counts = shared.value_counts(sort=True)
    if len(counts):
        most = ", ".join(f"{name} ({count})" for name, count in counts.head(EXAMPLES).items())
        yield (
            "names of several regions, which one sentence stands for",
            f"{len(counts):,} for {len(shared):,} regions, such as {most}",
        )


def token_facts(model: str, names: pd.DataFrame) -> tuple[str, str]:
    """How many names a model's tokenizer does not know. names: LIKELIHOODS, the rows of names alone."""
    part = names[names["unknown"] > 0]
    text = f"{len(part):,} of {len(names):,} names have a token unknown to the tokenizer"
    if len(part):
        text += f" (such as {', '.join(part['name'].head(EXAMPLES))})"
    if len(names):
        longest = max(rows_of(names), key=lambda row: row.tokens)
        text += f"; the longest, {longest.name}, has {longest.tokens} tokens"
    return f"names, {model}", text


def not_on_the_map(outline: Outline, missing: list[str]) -> Iterator[tuple[str, str]]:
    """Regions that have a score and no place on the map, where there are any."""
    if missing:
        yield "with a score, not on the map", f"{len(missing)}: {named(outline, missing, 2 * EXAMPLES)}"

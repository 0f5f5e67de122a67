"""Where the measures of a model disagree, and on which pairs."""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from unmask.pairs import compared
from unmask.pairs.disagreement import couples, disputed, heat_map
from unmask.pairs.disagreement import found as findings
from unmask.pairs.explored import shown_pairs
from unmask.pairs.results import Found, Results
from unmask.report.charts import chart
from unmask.report.sections import Block, Fold, Section, folded

ALT = "A table of measures against measures: how many of 100 pairs each two decide differently; {told}"


def section(found: Found) -> Section:
    """Empty where a study has one measure."""
    results = found.results
    told = tuple(findings(results))
    blocks = tuple(_blocks(results, found.pairs, found.settings["explorer"], " ".join(told)))
    return Section("disagreement", "Where measures disagree", told, blocks)


def _blocks(
    results: Results, pairs: Mapping[str, pd.DataFrame], explorer: Mapping[str, Any], told: str
) -> Iterator[Block]:
    rows = couples(results.measures_compared)
    for place, (name, own) in enumerate(rows.groupby("benchmark", sort=False, observed=True)):
        caption = f"{name}. {results.captions['disagreement']}"
        yield Fold(
            f"On {name}", (chart(caption, f"{name}. {ALT.format(told=told)}", heat_map(own)),), place == 0
        )
    yield from folded("Every two measures in numbers", compared.measures(results))
    for name in dict.fromkeys(results.disputed["benchmark"]):
        texts = pairs[name]
        shown = {
            "models": explorer["models"],
            "pairs": {name: set(shown_pairs(texts, explorer["most"])["pair_id"])}
            if name in explorer["benchmarks"]
            else {},
        }
        of_benchmark = results.disputed[results.disputed["benchmark"] == name]
        table = disputed(of_benchmark, texts.set_index("pair_id"), results.captions["disputed"], shown)
        if table.sheet.rows:
            yield Fold(f"The pairs that measures disagree on most: {name}", (table,))

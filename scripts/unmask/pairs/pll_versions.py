"""The versions of PLL as they are shown: a table of decisions that change, and the same in a sentence."""

from collections.abc import Iterator

from unmask.measures.registry import title_of
from unmask.pairs.results import PairResults
from unmask.report.declared_tables import Column, Table
from unmask.report.findings import Finding, Row
from unmask.report.sheets import Sheet
from unmask.statistics.schema import EQUAL, UNEQUAL
from unmask.terms import CORRECTED

_LONGER = "prefer the side with more tokens"

VERSIONS = Table(
    "pll_versions",
    ["model", "benchmark", "first_title", "second_title", "tokens"],
    [
        Column("pairs", "{n}", "Pairs whose sides have equal or unequal numbers of tokens."),
        Column("changed", "{changed}", "Those that the two versions decide differently."),
        Column("%", "{share:.1f}", "The same in percent."),
        Column("first", "{first_share:.1f}", "Pairs, in percent, in which the first does.", _LONGER),
        Column("second", "{second_share:.1f}", "Pairs, in percent, in which the second does.", _LONGER),
    ],
    heads={"first_title": "first", "second_title": "second"},
)


def sheet(results: PairResults) -> Sheet:
    """Every two versions of every model and benchmark, in protocol corrected."""
    rows = results.pll_versions
    rows = rows[(rows["protocol"] == CORRECTED) & (rows["n"] > 0)]
    shares = {"share": "changed", "first_share": "first_longer", "second_share": "second_longer"}
    rows = rows.assign(
        first_title=rows["first"].map(title_of),
        second_title=rows["second"].map(title_of),
        **{share: 100 * rows[count].astype(float) / rows["n"] for share, count in shares.items()},
    )
    return VERSIONS.sheet(rows, results.captions["pll_versions"])


def changed(results: PairResults) -> Iterator[Row]:
    """Of the first two versions how many decisions change, over all models and benchmarks."""
    rows = results.pll_versions
    rows = rows[rows["protocol"] == CORRECTED]
    if rows.empty:
        return
    first, second = rows[["first", "second"]].astype(str).iloc[0]
    rows = rows[(rows["first"] == first) & (rows["second"] == second)]
    totals = rows.groupby("tokens", observed=True)[["changed", "n"]].sum()
    yield {
        "titles": [title_of(first), title_of(second)],
        "counts": [
            {"tokens": tokens, "changed": int(totals["changed"][tokens]), "n": int(totals["n"][tokens])}
            for tokens in (UNEQUAL, EQUAL)
            if totals["n"].get(tokens, 0) > 0
        ],
    }


CHANGED = Finding(
    "versions of PLL",
    changed,
    """{{ titles | listed }} decide
    {% for each in counts %}{{ " and " if not loop.first }}{{ each.changed }} of
    {{ each.n | counted("pair") }} with {{ each.tokens }} numbers of tokens{% endfor %} differently.""",
)

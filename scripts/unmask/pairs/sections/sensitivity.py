"""How many decisions of causal language models change with the reading of their log-probabilities."""

from collections.abc import Iterator

from unmask.pairs.results import PairResults
from unmask.report.captions import load_captions
from unmask.report.declared_tables import Column, Table
from unmask.report.findings import Finding, Row, records
from unmask.report.sections import TRUST, Section, folded

SENSITIVITY = Table(
    "sensitivity",
    ["model", "benchmark", "start", "first_token", "score"],
    [
        Column("preferred (%)", "{percent:.1f}", "Pairs in which the stereotype is preferred, in percent."),
        Column("median margin", "{median_margin:.3g}", "Median size of the margin, in nats."),
        Column(
            "changed",
            "{changed} ({changed_first_differs})",
            "Pairs that are decided otherwise; in brackets, those whose first tokens differ.",
        ),
        Column("of", "{pairs}", "All pairs."),
    ],
    heads={"first_token": "first token"},
)


def turned(results: PairResults) -> Iterator[Row]:
    """The reading that changes most decisions, of all models and benchmarks, with how far its score moves."""
    rows = results.sensitivity
    first = rows.groupby(["model", "benchmark"], observed=True)["percent"].transform("first")
    rows = rows.assign(points=(rows["percent"] - first).abs(), share=rows["changed"] / rows["pairs"])
    yield from records(rows[rows["changed"] > 0].nlargest(1, "share"))


TURNED = Finding(
    "readings of a decoder",
    turned,
    """Another reading turns up to {{ changed }} of {{ pairs | counted("decision") }}
    ({{ model }} on {{ benchmark }}), where the score moves by {{ points | number(1) }} points.""",
)


def section(results: PairResults) -> Section:
    heading = "Decoders: start token, first token, sum or mean"
    sentences = tuple(TURNED.sentences(results))
    sheet = SENSITIVITY.sheet(results.sensitivity, load_captions(results.files["captions"])["sensitivity"])
    tables = folded("Decisions by reading", sheet)
    return Section("sensitivity", heading, sentences, tables, group=TRUST, label="Readings of decoders")

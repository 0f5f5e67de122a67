"""What the study's arithmetic changes against single precision, on a sample of pairs."""

from collections.abc import Iterator

from unmask.measures.names import title_of
from unmask.pairs.results import PairResults
from unmask.report.captions import load_captions
from unmask.report.declared_tables import Column, Table
from unmask.report.findings import Finding, Row
from unmask.report.sections import DATA, Section
from unmask.report.sections import Table as TableBlock

PRECISION = Table(
    "precision",
    ["model", "benchmark", "title", "protocol"],
    [
        Column("pairs", "{pairs}", "Pairs of the sample."),
        Column(
            "largest change", "{largest_change:.2g}", "Of the score of a sentence, in the measure's unit."
        ),
        Column("flipped", "{flipped}", "Pairs that are decided otherwise."),
        Column("which", "{which}", "Their ids."),
    ],
    heads={"title": "measure"},
)


def changed(results: PairResults) -> Iterator[Row]:
    rows = results.precision
    largest = rows["largest_change"].max()
    yield {
        "dtypes": results.settings["dtypes"],
        "flipped": int(rows["flipped"].sum()),
        "decisions": int(rows["pairs"].sum()),
        "largest": f"{largest:.2g}" if largest == largest else None,
    }


CHANGED = Finding(
    "arithmetic",
    changed,
    """In {{ dtypes | listed }}, {{ flipped }} of {{ decisions | counted("decision") }} on a sample of pairs
    {{ flipped | many("differs", "differ") }} from {{ flipped | many("that", "those") }} in single precision.
    A decision is one of a model, measure, protocol and pair
    {%- if largest %}; scores change by at most {{ largest }}{% endif %}.""",
)


def section(results: PairResults) -> Section:
    """Of the settings, dtypes are the kinds of arithmetic beside single precision."""
    rows = results.precision
    rows = rows.assign(title=rows["measure"].map(title_of), which=rows["flipped_pairs"].replace("", None))
    sheet = PRECISION.sheet(rows, load_captions(results.files["captions"])["precision"])
    sentences = tuple(CHANGED.sentences(results))
    blocks = (TableBlock(sheet),)
    return Section("precision", "Arithmetic precision", sentences, blocks, group=DATA, label="Precision")

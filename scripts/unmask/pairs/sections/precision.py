"""What the study's arithmetic changes against single precision, on a sample of pairs."""

import pandas as pd

from unmask.measures.registry import title_of
from unmask.pairs.results import Found
from unmask.pairs.schema import PRECISION
from unmask.report.captions import load_captions
from unmask.report.sections import Section, Table
from unmask.report.sheets import DASH, Sheet, rows_of


def section(found: Found) -> Section:
    """Of the settings, dtype is what the study computes in."""
    rows, dtype = found.study.collect(found.files["precision"], PRECISION), found.settings["dtype"]
    return Section(
        "precision",
        "Arithmetic against single precision",
        (
            f"In {dtype}, {rows['flipped'].sum()} of {rows['pairs'].sum()} decisions on a sample "
            f"of pairs are other than in single precision (one for each model, measure, protocol and pair); "
            f"scores move by {_change(rows['largest_change'].max())} at most.",
        ),
        (Table(sheet(rows, load_captions(found.files["captions"])["precision"])),),
    )


def sheet(rows: pd.DataFrame, caption: str) -> Sheet:
    """rows: PRECISION over the whole study, with the columns model and benchmark."""
    return Sheet(
        caption,
        ("model", "benchmark", "measure", "protocol"),
        tuple(("", label) for label in ("pairs", "largest change", "flipped", "which")),
        tuple(
            (
                row.model,
                row.benchmark,
                title_of(row.measure),
                row.protocol,
                str(row.pairs),
                _change(row.largest_change),
                str(row.flipped),
                row.flipped_pairs or DASH,
            )
            for row in rows_of(rows)
        ),
    )


def _change(value: float) -> str:
    return DASH if pd.isna(value) else f"{value:.2g}"

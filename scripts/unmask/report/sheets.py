"""A table as it is shown: tidy rows laid out as a sheet of text cells; as Markdown, LaTeX and CSV."""

import re
from dataclasses import dataclass
from typing import Any

import pandas as pd

DASH = "\N{EN DASH}"
"""In a cell that has no number."""

MINUS = "\N{MINUS SIGN}"
"""Before negative numbers, in sentences, tables and charts alike."""


@dataclass(frozen=True)
class Sheet:
    """A table of text.

    stubs: heads of the first columns; columns: (group, label) of the others; rows: as long as both together.
    """

    caption: str
    stubs: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, ...], ...]

    def groups(self) -> list[tuple[str, int]]:
        """Neighbouring columns of one group: (group, number of columns)."""
        spans: list[tuple[str, int]] = []
        for group, _ in self.columns:
            if spans and spans[-1][0] == group:
                spans[-1] = (group, spans[-1][1] + 1)
            else:
                spans.append((group, 1))
        return spans


NO_SHEET = Sheet("", (), (), ())

TableAndSheet = tuple[pd.DataFrame, Sheet]
"""The numbers of a table, and the table as it is read."""


def rows_of(frame: pd.DataFrame) -> list[Any]:
    """The rows of a frame with its columns as attributes."""
    return list(frame.itertuples(index=False))


def number(value: Any, decimals: int = 2, signed: bool = False) -> str:
    """A number as text, a dash for null."""
    if value is None or pd.isna(value):
        return DASH
    text = f"{float(value):{'+' if signed else ''}.{decimals}f}"
    # no negative zero
    return text[1:] if text.startswith("-") and not text.strip("-0.") else with_minus(text)


def with_minus(text: str) -> str:
    """A number as Python writes it, with a minus sign in place of the hyphen at its start."""
    return f"{MINUS}{text[1:]}" if text.startswith("-") else text


def counted(count: int, thing: str = "pair") -> str:
    """So many of a thing, such as `1 pair` or `1,508 pairs`."""
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def interval(low: Any, high: Any, decimals: int = 1, apart: float | None = None) -> str:
    """`low to high`, a dash for null. apart: a number; an end that would read like it has a decimal more."""
    texts = [number(end, decimals) for end in (low, high)]
    if DASH in texts:
        return DASH
    for place, end in enumerate((low, high)):
        if apart is not None and end != apart and texts[place] == number(apart, decimals):
            texts[place] = number(end, decimals + 1)
    return " to ".join(texts)


def p_value(p: Any) -> str:
    """A p-value with two significant digits."""
    if p is None or pd.isna(p):
        return DASH
    value = float(p)
    return "< 1e-16" if value < 1e-16 else f"{value:.2g}"


DAGGER = "†"
"""The mark of what is significant after correction."""

UNTESTABLE = "∘"
"""The mark of what differs and cannot be tested: it rests on too few different words."""


_FORMULA = re.compile(r"[=+\-@\t\r]")
"""What a cell begins with that spreadsheets would run as a formula."""

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)


def csv_text(rows: pd.DataFrame) -> str:
    """The table as CSV, without its index.

    Text that a spreadsheet would run as a formula stands behind an apostrophe, as OWASP advises against CSV
    injection. Numbers are written as they are, even where they are text.
    """
    safe = rows.rename(columns=_inert)
    for place in range(rows.shape[1]):
        column: Any = rows.iloc[:, place]
        if not pd.api.types.is_numeric_dtype(column):
            safe.isetitem(place, column.map(_inert, na_action="ignore"))
    return safe.to_csv(index=False)


def _inert(cell: Any) -> Any:
    risky = isinstance(cell, str) and _FORMULA.match(cell) and not _NUMBER.fullmatch(cell)
    return f"'{cell}" if risky else cell


LATEX_ESCAPES = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "|": r"\textbar{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "†": r"\textsuperscript{\textdagger}",
    "*": r"\textsuperscript{*}",
    "\N{EN DASH}": r"--",
    "\N{MINUS SIGN}": r"$-$",
    "½": r"\textonehalf{}",
    "↑": r"$\uparrow$",
    "Δ": r"$\Delta$",
}
"""What characters are in LaTeX; the page has the same."""

_MARKDOWN = re.compile(r"([\\`*_\[\]<>|#$~])")


def escape_latex(text: str) -> str:
    """Text that LaTeX prints as it is; line ends become spaces."""
    escaped = "".join(LATEX_ESCAPES.get(character, character) for character in " ".join(text.split()))
    # a minus, not a hyphen
    return re.sub(r"^-(?=\d)", r"$-$", escaped)


def escape_markdown(text: str) -> str:
    """Text that Markdown prints as it is; line ends become spaces."""
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))


def markdown(sheet: Sheet) -> str:
    """The sheet as a Markdown table under its caption; a column is headed `group: label`."""
    lines = [escape_markdown(sheet.caption)]
    if sheet.columns:
        heads = [*sheet.stubs, *(f"{group}: {label}" if group else label for group, label in sheet.columns)]
        rules = ["---"] * len(sheet.stubs) + ["---:"] * len(sheet.columns)
        lines += ["", _markdown_row([escape_markdown(head) for head in heads]), _markdown_row(rules)]
        lines += [_markdown_row([escape_markdown(cell) for cell in row]) for row in sheet.rows]
    return "\n".join(lines) + "\n"


def _markdown_row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def latex(sheet: Sheet) -> str:
    """The sheet as a LaTeX table (needs the package booktabs); a model is named in its first row only."""
    if not sheet.columns:
        return f"% {' '.join(sheet.caption.split())}\n"
    stubs = len(sheet.stubs)
    # LaTeX numbers the table itself
    caption = re.sub(r"^Table \d+\. ", "", sheet.caption)
    lines = [
        "% needs \\usepackage{booktabs}",
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{escape_latex(caption)}}}",
        rf"  \begin{{tabular}}{{{'l' * stubs}{'r' * len(sheet.columns)}}}",
        r"    \toprule",
    ]
    spans, rules, start = [""] * stubs, [], stubs + 1
    for group, width in sheet.groups():
        spans.append(rf"\multicolumn{{{width}}}{{c}}{{{escape_latex(group)}}}")
        rules.append(rf"\cmidrule(lr){{{start}-{start + width - 1}}}")
        start += width
    heads = [*sheet.stubs, *(label for _, label in sheet.columns)]
    lines += [_latex_row(spans), "    " + " ".join(rules), _latex_row([escape_latex(h) for h in heads])]
    previous: str | None = None
    for row in sheet.rows:
        if row[0] != previous:
            lines.append(r"    \midrule")
        cells = [escape_latex(cell) for cell in row]
        lines.append(_latex_row(["" if row[0] == previous else cells[0], *cells[1:]]))
        previous = row[0]
    lines += [r"    \bottomrule", r"  \end{tabular}", r"\end{table}"]
    return "\n".join(lines) + "\n"


def _latex_row(cells: list[str]) -> str:
    return "    " + " & ".join(cells) + r" \\"

"""Sheets as Markdown and LaTeX."""

import re

from unmask.report.sheets import Sheet

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

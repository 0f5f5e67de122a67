"""Columns of a table as text: `name type meaning`, a line each; an indented line continues the one before.

Columns side by side that mean the same of different things may share a line: `low, high  f64?  ends of …`.

score  f64?  bias score in percent; null where no pair
             has a decision
"""

import re
import textwrap


def columns_of(text: str) -> list[tuple[str, str, str]]:
    """Name, type and meaning of each column. Raises ValueError where a line lacks one of them."""
    lines = re.sub(r"\n +", " ", textwrap.dedent(text).strip()).splitlines()
    columns = (re.split(r"(?<!,)\s+", line, maxsplit=2) for line in lines)
    return [(name, type_, meaning) for names, type_, meaning in columns for name in names.split(", ")]

"""Findings: sentences that a family declares, each a template over rows of results.

A finding has the words, its rows have the numbers: a template tests a value, it does not compute one. What
all families say is here once: plurals, lists, intervals, corrected significance, untrained networks.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass
from functools import cache
from numbers import Integral
from typing import Any, Generic, SupportsInt, TypeVar

import jinja2
import pandas as pd

from unmask.report.sheets import counted, interval, number, p_value

Results = TypeVar("Results")
Row = Mapping[str, Any]

SHARED = """
{%- macro significant(alpha) %}p < {{ alpha | g }} after Holm's correction{% endmacro %}
{%- macro untrained(names) %}{{ names | listed }} {{ names | many("has", "have") }} random weights:
{{ names | many("it was", "they were") }} never trained{% endmacro %}
"""
"""Phrases of all families, which templates call as in `say.untrained(names)`."""


@dataclass(frozen=True)
class Finding(Generic[Results]):
    """A kind of sentence.

    name: what it is about, unique within a family. rows: the values of each of its sentences, from a family's
    results; none where there is nothing to say. says: a Jinja2 template over the keys of a row, whose line
    breaks are spaces and whose whole numbers have commas at thousands. Filters are those of FILTERS, phrases
    those of SHARED.
    """

    name: str
    rows: Callable[[Results], Iterable[Row]]
    says: str

    def sentences(self, results: Results) -> Iterator[str]:
        """Raises jinja2.UndefinedError for a row without a value that the template reads."""
        for row in self.rows(results):
            yield " ".join(_template(self.says).render(row).split())


def sentences(findings: Iterable[Finding[Results]], results: Results) -> tuple[str, ...]:
    """All sentences of a family, in the order of its findings."""
    return tuple(text for finding in findings for text in finding.sentences(results))


def listed(names: Iterable[object], most: int | None = None, end: str = "and") -> str:
    """`a, b and c`, or `a, b and 3 more` of more than `most`; no names are `none`."""
    texts = [str(name) for name in names]
    if most is not None and len(texts) > most:
        texts = [*texts[:most], f"{len(texts) - most} more"]
    if not texts:
        return "none"
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} {end} {texts[-1]}"


def many(count: SupportsInt | Sized, one: str, several: str) -> str:
    """The word that goes with so many; what has a length counts as that."""
    return one if (len(count) if isinstance(count, Sized) else int(count)) == 1 else several


def span(least: Any, most: Any, decimals: int = 2, signed: bool = False) -> str:
    """`least to most`, or one number where both read alike."""
    ends = dict.fromkeys(number(end, decimals, signed) for end in (least, most))
    return " to ".join(ends)


FILTERS: Mapping[str, Callable[..., str]] = {
    "number": number,
    "percent": lambda share, decimals=0: f"{number(100 * share, decimals)}%",
    "g": lambda value: f"{value:g}",
    "p": p_value,
    "ends": lambda row, decimals=1, signed=False: interval(row["low"], row["high"], decimals, signed),
    "counted": counted,
    "none": lambda count: str(count or "none"),
    "listed": listed,
    "many": many,
}
"""What templates do with values, as in `{{ n | counted("score") }} {{ n | many("is", "are") }} clear`."""


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame for a template: null is None, which a template can test."""
    nulls = frame.astype(object).where(frame.notna(), None)
    return [{str(key): value for key, value in row.items()} for row in nulls.to_dict("records")]


class _Environment(jinja2.Environment):
    def getattr(self, obj: Any, attribute: str) -> Any:
        """A value of a row, also where a dict has a method of its name, such as clear, items or values."""
        if isinstance(obj, Mapping) and attribute in obj:
            return obj[attribute]
        return super().getattr(obj, attribute)


def _with_thousands(value: Any) -> Any:
    """A whole number that a template prints as it is, such as 16,072."""
    return f"{value:,}" if isinstance(value, Integral) and not isinstance(value, bool) else value


@cache
def _template(says: str) -> jinja2.Template:
    # sentences are text: the page escapes what it shows
    environment = _Environment(undefined=jinja2.StrictUndefined, autoescape=False, finalize=_with_thousands)
    environment.filters |= FILTERS
    environment.globals["say"] = environment.from_string(SHARED).module
    return environment.from_string(says)

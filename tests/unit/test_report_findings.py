"""Findings are templates over rows; what families share of words is in one place."""

import jinja2
import numpy as np
import pandas as pd
import pytest

from library import Finding, listed, many, sentences, span
from library import report_findings_records as records

SCORES = pd.DataFrame(
    {
        "model": ["a", "b"],
        "score": [61.04, None],
        "low": [52.0, None],
        "high": [70.1, None],
        "beyond": [3, 1],
    }
)

CLEAR = Finding[pd.DataFrame](
    "clear",
    lambda frame: [{**row, "row": row, "alpha": 0.05} for row in records(frame)],
    """{{ model }} has
    {% if score is none %}no score{% else %}{{ score | number(1) }} ({{ row | ends }}){% endif %};
    {{ beyond | counted("test") }} {{ beyond | many("is", "are") }} clear ({{ say.significant(alpha) }}).""",
)
COUNT = Finding[pd.DataFrame](
    "count", lambda frame: [{"names": list(frame["model"])}], "Models: {{ names | listed }}."
)


def test_sentences_are_those_of_rows_in_the_order_of_findings() -> None:
    assert sentences([CLEAR, COUNT], SCORES) == (
        "a has 61.0 (52.0 to 70.1); 3 tests are clear (p < 0.05 after Holm's correction).",
        "b has no score; 1 test is clear (p < 0.05 after Holm's correction).",
        "Models: a and b.",
    )


def test_nothing_is_said_without_rows() -> None:
    assert sentences([CLEAR], SCORES.iloc[:0]) == ()


def test_a_value_that_is_not_there_is_an_error() -> None:
    with pytest.raises(jinja2.UndefinedError, match="names"):
        sentences([Finding[None]("missing", lambda _: [{}], "{{ names | listed }}")], None)


def test_values_and_phrases_do_not_hide_each_other() -> None:
    finding = Finding[None]("both", lambda _: [{"untrained": ["a"]}], "{{ say.untrained(untrained) }}.")
    assert sentences([finding], None) == ("a has random weights: it was never trained.",)


def test_text_of_data_is_no_template() -> None:
    finding = Finding[None]("name", lambda _: [{"name": "{{ 1 + 1 }} <b>"}], "{{ name }}.")
    assert sentences([finding], None) == ("{{ 1 + 1 }} <b>.",)


def test_untrained_networks_are_named_alike_in_all_families() -> None:
    finding = Finding[list[str]]("untrained", lambda names: [{"names": names}], "{{ say.untrained(names) }}.")
    assert sentences([finding], ["a"]) == ("a has random weights: it was never trained.",)
    assert sentences([finding], ["a", "b"]) == ("a and b have random weights: they were never trained.",)


@pytest.mark.parametrize(
    ("names", "most", "text"),
    [
        ([], None, "none"),
        (["a"], None, "a"),
        (["a", "b", "c"], None, "a, b and c"),
        (["a", "b", "c", "d"], 2, "a, b and 2 more"),
        (["a", "b"], 2, "a and b"),
    ],
)
def test_lists_end_with_and(names: list[str], most: int | None, text: str) -> None:
    assert listed(names, most) == text


def test_plurals_go_with_counts_of_any_kind() -> None:
    assert [many(count, "is", "are") for count in (0, 1, np.int64(1), 2, [], ["a"])] == [
        "are", "is", "is", "are", "are", "is",
    ]  # fmt: skip


def test_a_span_of_equal_numbers_is_one() -> None:
    assert span(0.101, 0.102) == "0.10"
    assert span(-0.1, 0.2, 1, signed=True) == "\N{MINUS SIGN}0.1 to +0.2"


def test_null_is_none_for_templates() -> None:
    assert records(pd.DataFrame({"p": [0.5, np.nan], "why": ["x", None]})) == [
        {"p": 0.5, "why": "x"},
        {"p": None, "why": None},
    ]


def test_a_value_may_have_the_name_of_a_method_of_dict() -> None:
    row = {"counts": {"clear": 2, "items": 3}}
    finding = Finding[None](
        "counts",
        lambda _: [row],
        "{{ counts.clear }} of {{ counts.items }}{% for key in counts.keys() %}, {{ key }}{% endfor %}",
    )
    assert list(finding.sentences(None)) == ["2 of 3, clear, items"]

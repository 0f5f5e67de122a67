"""What a chart says of itself where it leaves the page."""

from typing import Any

from library import report_title_of as title_of

CAPTION = "Scores of models, with 95% intervals. Bands are chance; e.g. of words. Lines are 50."


def titled(rows: list[dict[str, Any]], *heading: str, **spec: Any) -> dict[str, Any]:
    return title_of({"data": {"values": rows}, **spec}, heading, CAPTION, "mine", "Unmask 7")


def test_a_title_says_what_how_many_and_whose() -> None:
    rows: list[dict[str, Any]] = [{"pairs": 48}, {"pairs": 60.0}, {"pairs": None}]
    unit = {"text": "stereotype preferred (%)", "subtitle": ["line: 50"]}
    made = titled(rows, "Answer", "of a model", title=unit)
    assert made["text"] == ["Answer: of a model"]
    *caption, text, line, pairs, about = made["subtitle"]
    assert " ".join(caption) == CAPTION
    assert [text, line] == ["stereotype preferred (%)", "line: 50"]
    assert pairs == "n = 48 to 60 pairs" and about == "Study mine. Source: Unmask 7."

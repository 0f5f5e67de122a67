"""What the report says in words: captions, titles of charts, lists and plurals, and a screenful of text."""

from typing import Any

import numpy as np
import pytest

from library import (
    MOST_ROWS,
    MOST_SENTENCES,
    WIDTH,
    Captions,
    Section,
    Sheet,
    listed,
    many,
    render_summary,
    span,
    with_parts_of,
)
from library import report_title_of as title_of


def test_facts_are_filled_in_and_what_is_computed_is_said_where_it_is_known() -> None:
    captions = Captions(
        {"one": "At {alpha}.\n", "computed": {"part": {"p": "Below {alpha}.\n", "d": "A mean."}}},
        {"alpha": "0.01"},
    )
    assert captions["one"] == "At 0.01."
    assert captions.computed("part") == (("p", "Below 0.01."), ("d", "A mean."))
    assert captions.computed("other") == ()


def test_a_part_of_a_caption_stands_where_the_chart_has_what_it_speaks_of() -> None:
    caption = "Scores [low: , with intervals]. [band: Bands: chance.] Colour: verdict."
    neither: list[dict[str, float | None]] = [{"score": 1.0, "low": None}, {"score": 0.0}]
    assert with_parts_of(caption, neither) == "Scores. Colour: verdict."
    # 0 is a value
    with_low = [*neither, {"low": 0.0, "band": None}]
    assert with_parts_of(caption, with_low) == "Scores, with intervals. Colour: verdict."
    with_band = [{"band": 2.0}]
    assert with_parts_of(caption, with_band) == "Scores. Bands: chance. Colour: verdict."
    assert with_parts_of("By type (all).", []) == "By type (all)."


def test_a_title_says_what_how_many_and_whose() -> None:
    said = "Scores of models, with 95% intervals. Bands are chance; e.g. of words. Lines are 50."
    rows: list[dict[str, Any]] = [{"pairs": 48}, {"pairs": 60.0}, {"pairs": None}]
    spec = {"data": {"values": rows}, "title": {"text": "stereotype preferred (%)", "subtitle": ["line: 50"]}}
    made = title_of(spec, ("Answer", "of a model"), said, "mine", "Unmask 7")
    assert made["text"] == ["Answer: of a model"]
    *caption, text, line, pairs, about = made["subtitle"]
    assert " ".join(caption) == said
    assert [text, line] == ["stereotype preferred (%)", "line: 50"]
    assert pairs == "n = 48 to 60 pairs" and about == "Study mine. Source: Unmask 7."


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


def test_without_an_answer_sections_say_their_first_finding() -> None:
    many = [Section(f"s{place}", f"S{place}", ("More.", "Not this.")) for place in range(9)]
    sections = [Section("regional", "Regions", ("Found this.",)), Section("empty", "Empty"), *many]
    said = ["Regions: Found this.", *(f"S{place}: More." for place in range(MOST_SENTENCES - 1))]
    assert render_summary("A study", sections) == "\n\n".join(["A study", *said]) + "\n"


def test_no_line_is_longer_than_a_terminal_and_a_long_table_is_cut() -> None:
    rows = tuple((f"m{place}", "x", "y" * 100) for place in range(MOST_ROWS + 3))
    long = Sheet("x", ("model", "measure"), (("", "AUL"),), rows)
    name = "tiny-bert-of-the-world"
    text = render_summary("A study", [Section("s", "S", (), (), long, f"{'w ' * 35} {name} shows.")])
    assert max(map(len, text.splitlines())) <= WIDTH and "y…" in text
    assert f"m{MOST_ROWS - 1}\n" in text and f"m{MOST_ROWS}\n" not in text and "... and 3 more rows" in text
    # a name is not broken at its hyphens
    assert name in text


def test_no_text_of_a_study_moves_the_cursor() -> None:
    hostile = "a\x1b[2Jb\r\x07\n\u202ec"
    sheet = Sheet(hostile, (hostile, hostile), (("", hostile),), ((hostile, hostile, hostile),))
    for title, times in ((hostile, 8), ("", 3)):
        answers = ((hostile, hostile),)
        text = render_summary(hostile, [Section("s", hostile, (hostile,), (), sheet, title, answers)])
        assert all(sign.isprintable() or sign == "\n" for sign in text)
        assert text.count("a [2Jb") == times

"""The report in a screenful of text."""

from pathlib import Path

import pytest

from unmask.report.sections import Section, Text, read_section, write_section
from unmask.report.sheets import Sheet
from unmask.report.summary import MOST_ROWS, WIDTH, render_summary

SHEET = Sheet(
    "What is shown.",
    ("model", "benchmark"),
    (("", "AUL"), ("", "CPS")),
    (("bert", "crows", "56 (53–59)!", "1e3"), ("albert-large", "stereo", "–", "49 (40–58)")),
)


def test_tables_come_first_then_a_sentence_of_each_section() -> None:
    sections = [
        Section("overview", "Overview", (), (Text("not shown"),), SHEET),
        Section("regional", "Regions", ("Is there anything?", "Found this.", "And that.")),
        Section("empty", "Empty", cautions=("Be careful.",)),
        Section("last", "Last", cautions=("few " * 40,)),
    ]
    text = render_summary("A study", sections)
    head, cautions = text.split("\nRead with care:\n")
    assert [line[:2] for line in cautions.splitlines()] == ["- ", "- ", "  "] and "Be careful." in cautions
    assert max(map(len, cautions.splitlines())) <= WIDTH
    assert "Read with care" not in render_summary("A study", sections[:2])
    assert head == (
        "A study\n"
        "\n"
        "What is shown.\n"
        "\n"
        "model         benchmark    AUL          CPS\n"
        "------------  -----------  -----------  ----------\n"
        "bert          crows        56 (53–59)!  1e3\n"
        "albert-large  stereo       –            49 (40–58)\n"
        "\n"
        "Regions: Found this.\n"
    )


def test_what_a_section_closes_with_comes_last_and_once() -> None:
    closing = Section(
        "planted", "Was it found?", ("It was.", "Twice."), closing=("It was.", "Once it was not.")
    )
    text = render_summary("A study", [closing, Section("last", "Last", ("Other.",), cautions=("Careful.",))])
    assert text.endswith("- Careful.\n\nWas it found? It was. Once it was not.\n")
    assert text.count("It was.") == 1 and "Twice" not in text and "Last: Other." in text


def test_a_long_table_is_cut_and_long_lines_are_broken() -> None:
    many = Sheet("x", ("model",), (("", "AUL"),), tuple((f"m{n}", "50") for n in range(MOST_ROWS + 3)))
    text = render_summary("A study", [Section("s", "S", ("word " * 60,), (), many)])
    assert f"m{MOST_ROWS - 1} " in text and f"m{MOST_ROWS} " not in text
    assert "... and 3 more rows" in text
    assert max(map(len, text.splitlines())) <= WIDTH


def test_no_text_of_a_study_moves_the_cursor() -> None:
    hostile = "a\x1b[2Jb\r\x07\n\u202ec"
    sheet = Sheet(hostile, (hostile,), (("", hostile),), ((hostile, hostile),))
    text = render_summary(hostile, [Section("s", hostile, (hostile,), (), sheet, (hostile,))])
    assert all(sign.isprintable() or sign == "\n" for sign in text)
    assert text.count("a [2Jb") == 9


@pytest.mark.parametrize("headline", [SHEET, None])
def test_a_section_keeps_its_headline(tmp_path: Path, headline: Sheet | None) -> None:
    some = ("Be careful.",) * bool(headline)
    section = Section("overview", "Overview", ("Found.",), (), headline, some, some)
    write_section(tmp_path / "section.json", section, {})
    assert read_section(tmp_path / "section.json") == section

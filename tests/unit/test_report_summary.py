"""The report in a screenful of text."""

from pathlib import Path

import pytest

from library import (
    MOST_ROWS,
    MOST_SENTENCES,
    WIDTH,
    Section,
    Sheet,
    Text,
    read_section,
    render_summary,
    write_section,
)

SHEET = Sheet(
    "What is shown.",
    ("model", "benchmark"),
    (("", "AUL"), ("", "CPS")),
    (
        ("bert", "crows", "56 53–59!", "1e3"),
        ("bert", "stereo", "–", "7"),
        ("albert-large", "crows", "–", "49"),
    ),
)


OTHER = Sheet("More.", ("of",), (("", "x"),), (("a", "1"),))


def test_the_answer_comes_first_then_the_tables() -> None:
    said = tuple(f"Sentence {place}." for place in range(MOST_SENTENCES + 1))
    sections = [
        Section("before", "Before", ("Not the answer.",)),
        Section("overview", "Answer", said, (Text("not shown"),), SHEET, "Nobody prefers anything"),
        Section(
            "regional", "Regions", ("Found this.",), (), Sheet("More.", ("of",), (("", "x"),), (("a", "1"),))
        ),
    ]
    assert render_summary("A study", sections) == (
        "A study\n"
        "\n"
        "Nobody prefers anything\n"
        "\n"
        "Sentence 0.\nSentence 1.\nSentence 2.\nSentence 3.\nSentence 4.\n"
        "\n"
        "What is shown.\n"
        "\n"
        "model         benchmark  AUL        CPS\n"
        "bert          crows      56 53–59!  1e3\n"
        "bert          stereo     –          7\n"
        "albert-large  crows      –          49\n"
        "\n"
        "More.\n"
        "\n"
        "of  x\n"
        "a   1\n"
    )


def test_what_a_section_closes_with_comes_last_and_once() -> None:
    closing = Section(
        "planted", "Was it found?", ("It was.", "Twice."), closing=("It was.", "Once it was not.")
    )
    text = render_summary("A study", [closing, Section("last", "Last", ("Other.",))])
    assert text == "A study\n\nLast: Other.\n\nWas it found? It was. Once it was not.\n"
    states = Section("states", "Many states", ("None moves.",), closing=("None moves.",))
    assert render_summary("A study", [states]) == "A study\n\nMany states: None moves.\n"


def test_without_an_answer_each_section_says_its_first_finding() -> None:
    sections = [
        Section("regional", "Regions", ("Is there anything?", "Found this.", "And that.")),
        Section("empty", "Empty"),
        *(Section(f"s{place}", f"S{place}", ("More.",)) for place in range(9)),
    ]
    text = render_summary("A study", sections)
    assert text == "A study\n\nRegions: Found this.\n\nS0: More.\n\nS1: More.\n\nS2: More.\n\nS3: More.\n"


def test_with_few_sections_there_is_room_for_second_findings() -> None:
    sections = [
        Section("templates", "Templates", ("LPBS.", "DisCo.", "Which?", "Fills.", "Left out.")),
        Section("regional", "Regions", ("Coherent.", "Not.")),
    ]
    text = render_summary("A study", sections)
    assert text.split("\n\n")[1:] == ["Templates: LPBS.", "DisCo.", "Fills.", "Regions: Coherent.", "Not.\n"]


def test_no_line_is_longer_than_a_terminal_and_no_column_is_lost() -> None:
    heads = [f"measure {place}" for place in range(12)]
    row = ("some-model", "some-benchmark", *(f"cell-{place} (1–2)" for place in range(12)))
    wide = Sheet("x", ("model", "benchmark"), tuple(("", head) for head in heads), (row, row))
    long = Sheet("x", ("model",), (("", "AUL"),), (("m" * 100, "50"),))
    text = render_summary(
        "A study", [Section("s", "S", ("word " * 60,), (), wide), Section("t", "T", (), (), long)]
    )
    assert max(map(len, text.splitlines())) <= WIDTH
    for place, head in enumerate(heads):
        assert text.count(head) in (1, 3) and text.count(f"cell-{place} ") == 2
    assert "m" * (WIDTH - 1) + "…" in text


def test_a_long_table_is_cut() -> None:
    many = Sheet("x", ("model",), (("", "AUL"),), tuple((f"m{n}", "50") for n in range(MOST_ROWS + 3)))
    text = render_summary("A study", [Section("s", "S", (), (), many)])
    assert f"m{MOST_ROWS - 1} " in text and f"m{MOST_ROWS} " not in text
    assert "... and 3 more rows" in text


def test_a_name_is_not_broken_at_its_hyphens() -> None:
    text = render_summary(
        "A study", [Section("s", "S", (f"{'w ' * 35} tiny-bert-of-the-world shows.",), (), None, "t")]
    )
    assert "tiny-bert-of-the-world" in text


def test_no_text_of_a_study_moves_the_cursor() -> None:
    hostile = "a\x1b[2Jb\r\x07\n\u202ec"
    sheet = Sheet(hostile, (hostile,), (("", hostile),), ((hostile, hostile),))
    for title in (hostile, ""):
        text = render_summary(hostile, [Section("s", hostile, (hostile,), (), sheet, title)])
        assert all(sign.isprintable() or sign == "\n" for sign in text)
        # with an answer its title and sentence, without one the heading and the sentence
        assert text.count("a [2Jb") == 8


@pytest.mark.parametrize("headline", [SHEET, None])
def test_a_section_keeps_its_headline_and_its_title(tmp_path: Path, headline: Sheet | None) -> None:
    section = Section("overview", "Overview", ("Found.",), (), headline, "An answer" * bool(headline))
    write_section(tmp_path / "section.json", section, {})
    assert read_section(tmp_path / "section.json") == section

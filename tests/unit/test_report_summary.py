"""The report in a screenful of text."""

from library import MOST_ROWS, MOST_SENTENCES, WIDTH, Section, Sheet, render_summary


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

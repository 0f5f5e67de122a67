"""Tokens of every tokenizer as people read them."""

from library import surfaces


def test_pieces_are_told_by_the_marks_of_their_tokenizer() -> None:
    assert surfaces(["zoo", "##keeper", "##s", "the"]) == {
        "zoo": ("zoo", False),
        "##keeper": ("keeper", True),
        "##s": ("s", True),
        "the": ("the", False),
    }
    assert surfaces(["\u2581zoo", "keeper", ".", "\u2581"]) == {
        "\u2581zoo": ("zoo", False),
        "keeper": ("keeper", True),
        ".": (".", True),
        "\u2581": ("\u2423", False),
    }
    assert surfaces(["zoo", "the", "."]) == {each: (each, False) for each in ("zoo", "the", ".")}
    assert surfaces([]) == {}


def test_bytes_are_the_letters_that_they_stand_for() -> None:
    found = surfaces(["\u0120caf", "\u00c3\u00a9", "\u0120", "\u0120\u20ac", "\u00c3"])
    assert found["\u0120caf"] == ("caf", False)
    assert found["\u00c3\u00a9"] == ("\N{LATIN SMALL LETTER E WITH ACUTE}", True)
    assert found["\u0120"] == ("\u2423", False)
    # a letter that stands for no byte is itself, half a letter is shown as one that is not known
    assert found["\u0120\u20ac"] == ("\u20ac", False)
    assert found["\u00c3"] == ("\N{REPLACEMENT CHARACTER}", True)

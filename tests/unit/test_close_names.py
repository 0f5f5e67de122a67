"""What is said of an unknown name: the one that it is close to, whatever its case."""

import pytest

from library import known_names, meant, no_column


@pytest.mark.parametrize(
    ("unknown", "close"),
    [("benchmark", "benchmarks"), ("MODELS", "models"), ("modles", "models"), ("xyz", None), (3, None)],
)
def test_the_closest_name_is_named(unknown: object, close: str | None) -> None:
    known = ["benchmarks", "models", "measures"]
    line = known_names(unknown, known)
    assert line.removeprefix(f"did you mean {close}? ") == "known: benchmarks, models, measures"
    assert line.startswith("did you mean") == (close is not None)


def test_what_is_meant_is_asked_where_something_is_close() -> None:
    assert meant("aul", ["AUL", "CPS"]) == " (did you mean AUL?)"
    assert meant("xyz", ["AUL", "CPS"]) == ""


def test_case_alone_is_closest() -> None:
    assert no_column("sent_y", ["sent_x", "Sent_Y"]) == (
        "no column 'sent_y' (did you mean Sent_Y? columns: sent_x, Sent_Y)"
    )
    assert known_names("a", ["B", "A", "a"]).startswith("did you mean A? ")

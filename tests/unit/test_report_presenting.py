"""What a family declares becomes tables, figures and sections."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import altair as alt
import pandas as pd
import pytest

from library import (
    NO_FIGURE,
    Axis,
    Captions,
    Chart,
    Fold,
    Presentation,
    ReportColumn,
    Section,
    TableBlock,
    Text,
    Topic,
    __version__,
    clear,
    forest,
    save_figure,
)
from library import ReportTable as Table
from shown import rows_drawn

SCORES = pd.DataFrame({"panel": ["a", "a", "b"], "name": ["x", "y", "x"], "value": [1.0, 2.0, 3.0]})
CAPTIONS = {
    "scores": "Scores at {alpha}.",
    "scores_chart": "Pictures.",
    "picture_chart": "One.",
    "computed": {"made": {"How": "By hand."}},
}


class Results:
    """Results of a family that was made up."""

    def __init__(self, files: Any = None, settings: Any = None) -> None:
        self.scores: pd.DataFrame = SCORES if files is None else files
        self.captions = Captions(CAPTIONS, {"alpha": "0.05"})


def drawn_of(rows: pd.DataFrame) -> alt.FacetChart | None:
    return forest(rows, Axis("points"))


TOPIC = Topic[Results](
    "made",
    "Made up",
    lambda results: results.scores,
    Table("scores", ["name"], [ReportColumn("value", "{value:.1f}")]),
    drawn_of,
    each=("panel",),
    says=lambda results: [f"Of {len(results.scores)} scores none is clear."],
    more=(
        Topic(
            "picture",
            "A picture",
            draws=lambda results: drawn_of(results.scores[:1]),
            says=lambda results: ["It has one."],
        ),
        Topic("nothing", "Nothing", says=lambda results: ["Never said."]),
    ),
    file="scores",
)
PRESENTS = Presentation(Results, [TOPIC], {"all": lambda results: results.scores}, {})


def test_a_topic_becomes_a_section() -> None:
    (section,) = PRESENTS.sections(Results())
    assert (section.name, section.heading) == ("made", "Made up")
    assert section.sentences == ("Of 3 scores none is clear.",)
    first, second, numbers, picture, how = section.blocks
    folds = [(fold.title, fold.open) for fold in (first, second) if isinstance(fold, Fold)]
    assert folds == [("a", True), ("b", False)]
    charts = [block for block in section.every_block() if isinstance(block, Chart)]
    assert [[row["value"] for row in chart.rows] for chart in charts] == [[1, 2], [3], [1]]
    assert [chart.caption for chart in charts] == ["a. Pictures.", "b. Pictures.", "One."]
    assert isinstance(numbers, Fold) and isinstance(numbers.blocks[0], TableBlock)
    assert numbers.blocks[0].sheet.caption == "Scores at 0.05."
    assert numbers.blocks[0].sheet.rows == (("x", "1.0"), ("y", "2.0"), ("x", "3.0"))
    assert isinstance(picture, Fold) and picture.blocks[0] == Text("It has one.")
    assert isinstance(how, Fold) and how.title == "How this is computed"


def test_what_has_no_rows_is_in_no_section() -> None:
    (section,) = PRESENTS.sections(Results(SCORES))
    assert "Never said." not in str(section)
    empty = Presentation(Results, [Topic("made", "Made up", lambda results: results.scores[:0])])
    assert empty.sections(Results()) == []
    made = Presentation(Results, [lambda results: Section("own", "Own", ("Said.",))])
    assert [section.name for section in made.sections(Results())] == ["own"]


def test_tables_and_figures_are_those_of_topics_or_their_own() -> None:
    results = Results()
    rows, sheet = PRESENTS.table("scores", results)
    assert rows is results.scores and len(sheet.rows) == 3
    assert PRESENTS.table("all", results)[1].rows == ()
    assert "Nothing in this study" in PRESENTS.table("scores", Results(SCORES[:0]))[1].caption
    drawn, caption = PRESENTS.figure("scores", results)
    assert [row["value"] for row in rows_drawn(drawn)] == [1, 2, 3] and caption == "Pictures."
    assert PRESENTS.figure("picture", results)[1] == "One."
    for name in ("other", "nothing"):
        with pytest.raises(KeyError):
            PRESENTS.figure(name, results)


def words(svg: Path) -> set[str | None]:
    """What is written on a chart."""
    return {each.text for each in ElementTree.parse(svg).iter() if each.tag.endswith(("}text", "}tspan"))}


def test_a_figure_says_what_it_is_and_one_that_is_not_there_says_so(tmp_path: Path) -> None:
    svg, png = (str(tmp_path / f"a.{form}") for form in ("svg", "png"))
    save_figure(drawn_of(SCORES), "Marks [value: by name]. A line. [z: None.]", svg, png, "mine")
    assert {"x", "Marks by name.", "A line.", f"Study mine. Source: Unmask {__version__}."} <= words(
        tmp_path / "a.svg"
    )
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    save_figure(None, "", svg, png, "mine")
    assert words(tmp_path / "a.svg") == {NO_FIGURE}


@pytest.mark.parametrize(
    ("p", "p_holm", "said"),
    [
        ([0.001, 0.02, None], [0.003, 0.04, None], "Of 2 scores, 2 are clear (p < 0.05 after Holm's"),
        ([0.02, 0.5], [0.04, 0.5], "Of 2 scores, 1 is clear (p < 0.05 after Holm's correction)."),
        ([0.02, 0.5], [0.06, 0.5], "Of 2 scores, none is clear (p < 0.05 after Holm's correction)."),
        ([None, None], [None, None], "None of 2 scores can be tested."),
        ([0.01, None], [0.01, None], "Of 1 score, 1 is clear (p < 0.05"),
    ],
)
def test_what_is_clear_is_counted_after_correction(p: list[Any], p_holm: list[Any], said: str) -> None:
    rows = pd.DataFrame({"p": p, "p_holm": p_holm}, dtype=float)
    assert clear(rows, "scores", 0.05).startswith(said)

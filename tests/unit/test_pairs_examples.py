"""The three example pairs: which, against a slow rule; their places against contributions; text as text."""

from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as some

import synthetic
from examples import example_pairs
from library import (
    ANTISTEREOTYPE,
    LARGEST,
    MEDIAN,
    MOST_WORDS,
    OPPOSITE,
    PAIRS,
    STEREOTYPE,
    ExampleRows,
    Fold,
    Items,
    PairResults,
    Section,
    Strip,
    Text,
    aligned,
    decimals_for,
    differing,
    example_rows,
    explored,
    margin_of,
    models_within,
    read_section,
    render_page,
    score_pairs,
    signed_number,
    size_of,
    tokens_of,
    unpacked,
    write_facts,
    write_section,
    write_table,
)
from library import pairs_sections_examples_section as section
from study_schema import MEASURES
from test_contributions import added, evidence_of

HOSTILE = "</li><img src=x onerror=alert(1)> &amp; "
SIDES = (STEREOTYPE, ANTISTEREOTYPE)


def made_scores(margins: list[int | None]) -> dict[str, Any]:
    """Scores of pairs with these margins, undefined where there is none."""
    letters = ["u" if each is None else "s" if each > 0 else "a" if each < 0 else "t" for each in margins]
    return {
        STEREOTYPE: [None if each is None else each / 10 for each in margins],
        ANTISTEREOTYPE: [None if each is None else 0 for each in margins],
        "outcome": "".join(letters),
    }


def slowly(lengths: list[tuple[int, int]], margins: list[int | None]) -> list[int | None]:
    """The rows of the examples: each pair against all the others."""
    short = [row for row, (one, other) in enumerate(lengths) if one <= 15 and other <= 15]

    def ahead(row: int, candidates: list[int], sign: int) -> int:
        """How many are further to one side; of equal ones, how many are earlier."""
        values = {each: sign * (margins[each] or 0) for each in candidates}
        further = [each for each in candidates if values[each] > values[row]]
        return len(further) + len([each for each in candidates if values[each] == values[row] and each < row])

    for_it = [row for row in short if (margins[row] or 0) > 0]
    against = [row for row in short if (margins[row] or 0) < 0]
    largest = [row for row in for_it if ahead(row, for_it, 1) == 0]
    # as many before it as after it, or one more before it
    median = [
        row for row in for_it if len(for_it) > 1 and 2 * ahead(row, for_it, 1) - (len(for_it) - 1) in (0, 1)
    ]
    opposite = [row for row in against if ahead(row, against, -1) == 0]
    return [next(iter(rows), None) for rows in (largest, median, opposite)]


@given(
    some.lists(
        some.tuples(some.integers(13, 17), some.integers(13, 17), some.none() | some.integers(-3, 3)),
        max_size=12,
    )
)
def test_the_rule_is_that_of_a_slow_version(drawn: list[tuple[int, int, int | None]]) -> None:
    lengths, margins = [(one, other) for one, other, _ in drawn], [margin for *_, margin in drawn]
    texts = {side: [" ".join([side] * each[place]) for each in lengths] for place, side in enumerate(SIDES)}
    chosen = example_rows(pd.DataFrame(texts, dtype=object), made_scores(margins))
    assert [chosen.largest, chosen.median, chosen.opposite] == slowly(lengths, margins)
    short = [
        margin for (one, other), margin in zip(lengths, margins, strict=True) if max(one, other) <= MOST_WORDS
    ]
    assert chosen.short == len(short)
    assert chosen.for_it == sum((margin or 0) > 0 for margin in short)
    assert chosen.against == sum((margin or 0) < 0 for margin in short)
    assert chosen.count == 3 - slowly(lengths, margins).count(None)


def test_no_example_differs_in_punctuation_and_spaces_alone() -> None:
    texts = {
        STEREOTYPE: [
            "He ran , fast.",
            "He ran.",
            "It\N{RIGHT SINGLE QUOTATION MARK}s here",
            "他跑。",
            "He ran",
        ],
        ANTISTEREOTYPE: ["He ran, fast", "She ran.", "It's  here", "他跑", "He rän"],
    }
    chosen = example_rows(pd.DataFrame(texts, dtype=object), made_scores([9, 2, -9, 8, -1]))
    assert chosen == ExampleRows(2, 1, 1, 1, None, 4)


@pytest.mark.parametrize("architecture", ["bert", "roberta", "albert"])
@pytest.mark.parametrize("name", MEASURES)
def test_places_add_what_their_tokens_add_and_together_the_margin(architecture: str, name: str) -> None:
    pairs, evidence = example_pairs(), evidence_of(architecture)
    scores = score_pairs(list(pairs["pair_id"]), evidence, MEASURES)
    found = explored(pairs, scores, evidence, MEASURES)
    columns, score = unpacked(str(found["tokens"])), unpacked(str(found["scores"]))[name]
    keyed = added(name, evidence).groupby(["pair_id", "role", "position"])["adds"].sum()
    flags = pd.concat([rows[~rows["special"]] for rows in evidence.values()])
    flags = flags.drop_duplicates(["pair_id", "role", "position"]).sort_values("position")
    for row, pair in enumerate(pairs["pair_id"]):
        # a place: how many shared tokens are before it, and whether it is one
        slow: dict[tuple[int, bool], list[float]] = {}
        for sign, side in ((1, STEREOTYPE), (-1, ANTISTEREOTYPE)):
            before = 0
            own = flags[(flags["pair_id"] == pair) & (flags["role"] == side)]
            for position, modified in zip(own["position"], own["modified"], strict=True):
                adds = keyed.get((pair, side, position))
                slow.setdefault((before, not modified), []).extend([] if adds is None else [sign * adds])
                before += not modified
        places = list(aligned(*tokens_of(columns, row, name)))
        assert len(places) == len(slow)
        for place, key in zip(places, sorted(slow), strict=True):
            assert (place.total is None) == (not slow[key])
            assert place.total is None or abs(place.total - sum(slow[key])) < 0.3e-3
        margin = margin_of(score, row)
        if margin is not None and score[STEREOTYPE][row] and score[ANTISTEREOTYPE][row]:
            assert abs(sum(place.total or 0 for place in places) - margin) < 2e-3


@given(some.lists(some.sampled_from("ab"), max_size=6), some.lists(some.sampled_from("ab"), max_size=6))
def test_what_differs_is_between_what_both_begin_and_end_with(one: list[str], other: list[str]) -> None:
    texts = " ".join(one), " ".join(other)
    parts = differing(*texts)
    for text, own in zip(texts, parts, strict=True):
        assert "".join(own) == text
    assert parts[0][0].strip() == parts[1][0].strip() and parts[0][2].strip() == parts[1][2].strip()
    first, second = (own[1].split(" ") for own in parts)
    if parts[0][1] and parts[1][1]:
        assert first[0] != second[0] and first[-1] != second[-1]


def test_where_words_have_no_spaces_characters_differ() -> None:
    assert differing("女人不会开车。", "男人不会开车。") == (
        ("", "女", "人不会开车。"),
        ("", "男", "人不会开车。"),
    )
    assert differing("Die Frau fährt.", "Der Mann fährt.")[0] == ("", "Die Frau", " fährt.")
    assert differing("a big dog", "a dog") == (("a ", "big", " dog"), ("a", "", " dog"))


def test_numbers_are_shown_as_in_the_explorer() -> None:
    assert [signed_number(each) for each in (0.25, -0.25, 0.0001, -0.0001, None)] == [
        "+0.250",
        "\N{MINUS SIGN}0.250",
        "0",
        "0",
        "\N{EN DASH}",
    ]
    assert [decimals_for(each) for each in (5, 0.5, 0.05, 0.001, 0)] == [3, 3, 4, 4, 4]


@pytest.fixture
def study(tmp_path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Two models on a benchmark, the second of them trained."""
    parts = synthetic.make(40)
    parts.pairs["bias_type"] = HOSTILE
    parts.pairs.loc[:, STEREOTYPE] = [f"{HOSTILE} {number} c" for number in range(40)]
    parts.pairs.loc[:, ANTISTEREOTYPE] = [f"{HOSTILE} {number} d" for number in range(40)]
    for rows in parts.evidence.values():
        rows["token"] = HOSTILE
    files: dict[str, Any] = {"pairs": [tmp_path / "pairs.parquet"], "explored": []}
    write_table(files["pairs"][0], parts.pairs, PAIRS, {"benchmark": "b"})
    for model in ("random", "m"):
        found = explored(parts.pairs, parts.scores, parts.evidence, MEASURES)
        files["explored"].append(tmp_path / f"{model}.json")
        write_facts(files["explored"][-1], {"model": model, "benchmark": "b", **found})
    return files, {
        "measures": list(MEASURES),
        "models": [{"name": "random", "source": "random"}, {"name": "m", "source": "hub"}],
        "benchmarks": [{"name": "b"}],
        "explorer": {"models": ["random", "m"], "benchmarks": ["b"], "most": 5000, "megabytes": 10},
    }


def strips(found: Section) -> list[Strip]:
    return [block for block in found.blocks if isinstance(block, Strip)]


def test_the_section_shows_three_pairs_of_the_first_trained_model(
    study: tuple[dict[str, Any], dict[str, Any]], tmp_path: Path
) -> None:
    results = PairResults(*study)
    found = section(results)
    scores = unpacked(results.explored["m", "b"]["scores"])["AUL"]
    chosen = example_rows(results.pairs["b"], scores)
    decided = 0
    for row in (chosen.largest, chosen.median, chosen.opposite):
        places = aligned(*tokens_of(unpacked(results.explored["m", "b"]["tokens"]), row or 0, "AUL"))
        strongest = max((place.total or 0 for place in places), key=abs)
        decided += strongest / (margin_of(scores, row or 0) or 0) >= 0.5
    assert found.sentences[0] == (
        f"Which words decide? In {decided} of 3 example pairs of b, one word or difference gives at least "
        "half of the AUL margin of m."
    )
    (rule,) = [block for block in found.blocks if isinstance(block, Fold)]
    (text,) = [block.text for block in rule.blocks if isinstance(block, Text)]
    assert text == (
        "A rule picks them from 40 pairs of at most 15 words: largest margin for the stereotype, median of "
        f"{chosen.for_it} for it, largest against it. No sentences are among them that differ in punctuation "
        "and spaces alone."
    )
    rows = [chosen.largest, chosen.median, chosen.opposite]
    for strip, row, title in zip(strips(found), rows, (LARGEST, MEDIAN, OPPOSITE), strict=True):
        assert row is not None and strip.link is not None
        where, how = strip.link.split("?")
        assert where == f"#pair/b/{results.pairs['b']['pair_id'].iloc[row]}"
        assert parse_qs(how) == {"measure": ["AUL"], "model": ["m"]}
        margin = margin_of(scores, row)
        assert margin is not None and f"{title} ({HOSTILE}): {signed_number(margin)}" in strip.says
        # the one that is preferred comes first
        assert strip.texts[0][1] == ("c" if margin > 0 else "d")
        assert max(abs(strength) for *_, strength in strip.places) == 1
    write_section(tmp_path / "section.json", found, {})
    assert read_section(tmp_path / "section.json") == found
    page = render_page("t", [found])
    assert "<img" not in page and page.count("Open this pair") == 3
    assert unescape(page).count(HOSTILE.strip()) > 30


def test_a_world_has_no_warning(study: tuple[dict[str, Any], dict[str, Any]]) -> None:
    files, settings = study
    found = section(PairResults(files, settings | {"benchmarks": [{"name": "b", "world": "planted"}]}))
    assert len(strips(found)) == 3 and not any(isinstance(block, Items) for block in found.blocks)


def test_what_there_is_no_room_for_is_no_link(study: tuple[dict[str, Any], dict[str, Any]]) -> None:
    files, settings = study
    found = section(PairResults(files, settings | {"explorer": settings["explorer"] | {"megabytes": 0}}))
    assert [strip.link for strip in strips(found)] == [None] * 3


def test_too_few_pairs_are_said_plainly(study: tuple[dict[str, Any], dict[str, Any]], tmp_path: Path) -> None:
    files, settings = study
    pairs = PairResults(files, settings).pairs["b"]
    scores = unpacked(PairResults(files, settings).explored["m", "b"]["scores"])["AUL"]
    for_it = scores["outcome"].index("s")

    def with_short(rows: list[int]) -> Section:
        own = pairs.copy()
        own.loc[~own.index.isin(rows), STEREOTYPE] = "word " * 16
        write_table(tmp_path / "other.parquet", own, PAIRS, {"benchmark": "b"})
        return section(PairResults(files | {"pairs": [tmp_path / "other.parquet"]}, settings))

    none = with_short([])
    assert none.sentences == (
        "0 pairs of b have at most 15 words a sentence and differ in words: no example.",
    )
    assert none.blocks == ()
    one = with_short([for_it])
    assert (
        one.sentences[0].startswith("Which words decide? In ")
        and "of 1 example pair of b" in one.sentences[0]
    )
    assert one.sentences[1:] == (
        "1 of 1 such pairs is decided for the stereotype, so it is the median, too.",
        "0 of 1 such pairs are decided against the stereotype, so one example is missing.",
    )
    assert len(strips(one)) == 1
    other = with_short([scores["outcome"].index("a")])
    assert "0 of 1 such pairs are decided for the stereotype, so two examples are missing." in other.sentences
    untrained = settings | {"models": [{"name": name, "source": "random"} for name in ("random", "m")]}
    nothing = section(PairResults(files, untrained))
    assert nothing.sentences == ("The explorer shows 0 trained models, so there are no example pairs.",)


def test_as_many_models_are_shown_as_there_is_room_for() -> None:
    facts = {key: {"scores": "x" * size, "tokens": "", "likeliest": None} for key, size in SIZES.items()}
    assert size_of(facts["one", "a"]) == 1.0
    shown_of = [models_within(["one", "two", "three"], facts, room) for room in (0, 1.9, 2, 3.9, 4, 100)]
    assert shown_of == [[], [], ["one"], ["one"], ["one", "two"], ["one", "two", "three"]]


SIZES = {("one", "a"): 10**6, ("two", "a"): 2 * 10**6, ("one", "b"): 10**6, ("three", "b"): 10**6}


@pytest.mark.parametrize(
    ("places", "link"), [((("a", "+1", 1.1),), None), ((("a", "+1", 0.1),), "https://example.org")]
)
def test_a_strip_stays_in_the_page_and_within_its_colours(places: Any, link: str | None) -> None:
    with pytest.raises(ValueError):
        Strip((("", "a", ""), ("", "b", "")), "before", "says", places, link)

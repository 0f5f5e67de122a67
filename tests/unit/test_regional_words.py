"""The paper's lists of words as printed and as its code has them, a user's own, and sets of words."""

from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from profiles import examples
from running import run_script
from unmask.errors import InputError
from unmask.regional.schema import WORDS
from unmask.regional.wording import check_template
from unmask.regional.words import read_list, read_words, word_sets
from unmask.tables import as_table, read_metadata, read_table

RESOURCE = Path(__file__).resolve().parents[2] / "resources" / "regional" / "words.yaml"
TOPICS = {"intelligence": 25, "appearance": 25, "strength": 23, "morality": 19, "occupation": 20}

LEADING = {
    ("intelligence", "wise"): 4,
    ("appearance", "alluring"): 8,
    ("appearance", "feeble"): 4,
    ("strength", "powerful"): 8,
    ("strength", "weak"): 3,
    ("morality", "upright"): 4,
    ("morality", "narrow-minded"): 4,
    ("occupation", "homemaker"): 4,
    ("occupation", "nanny"): 4,
    ("occupation", "philosopher"): 4,
}
"""Spaces before the words with which a line of the released code's string begins."""


@pytest.fixture(scope="module")
def paper() -> pd.DataFrame:
    return read_words({"original": None, "substituted": None}, RESOURCE)[0]


def of(words: pd.DataFrame, name: str) -> pd.DataFrame:
    return words[words["list"] == name]


@pytest.mark.parametrize("name", ["original", "substituted"])
def test_the_lists_of_the_paper(paper: pd.DataFrame, name: str) -> None:
    rows = of(paper, name)
    assert len(rows) == 112
    # in the order of the code: it leaves out topics by the rows 0, 25, 50, 73, 92
    runs = rows.groupby((rows["topic"] != rows["topic"].shift()).cumsum())["topic"]
    assert [(topics.iloc[0], len(topics)) for _, topics in runs] == list(TOPICS.items())


def test_words_that_stand_twice(paper: pd.DataFrame) -> None:
    original, substituted = Counter(of(paper, "original")["word"]), Counter(of(paper, "substituted")["word"])
    assert {word for word, number in original.items() if number > 1} == {"weak", "strong"}
    assert {word for word, number in substituted.items() if number > 1} == {
        "inventive", "lovely", "weaker", "stronger"
    }  # fmt: skip
    assert max(original.values()) == max(substituted.values()) == 2


def test_words_of_the_released_code(paper: pd.DataFrame) -> None:
    rows = of(paper, "original")
    expected = [
        " " * LEADING.get((topic, word), 0) + ("Homemaker" if word == "homemaker" else word)
        for topic, word in zip(rows["topic"], rows["word"], strict=True)
    ]
    assert list(rows["word_published"]) == expected
    assert sum(word.startswith(" ") for word in expected) == 10
    assert (of(paper, "substituted")["word_published"] == of(paper, "substituted")["word"]).all()


def test_each_word_stands_opposite_its_substitute(paper: pd.DataFrame) -> None:
    opposite = set(zip(of(paper, "original")["word"], of(paper, "substituted")["word"], strict=True))
    assert {
        ("precocious", "gawky"),
        ("intelligent", "smart"),
        ("weak", "weaker"),
        ("strong", "stronger"),
        ("powerful", "strong"),
        ("hard-working", "hardworking"),
        ("homemaker", "housewife"),
        ("protege", "protégé"),
        ("magician", "illusionist"),
    } <= opposite


# a user's list


def read(folder: Path, content: str) -> pd.DataFrame:
    path = folder / "mine.yaml"
    path.write_text(content, encoding="utf-8")
    words = read_list(path, "mine")
    as_table(words, WORDS)
    return words


def test_a_list_of_a_user(tmp_path: Path) -> None:
    words = read(tmp_path, "b topic: [kind, hard working, Kind]\na: [kind, 'no', 'né']\n")
    assert list(words.itertuples(index=False, name=None)) == [
        ("mine", topic, word, word)
        for topic, word in [
            ("b topic", "kind"), ("b topic", "hard working"), ("b topic", "Kind"),
            ("a", "kind"), ("a", "no"), ("a", "né"),
        ]
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is not a mapping but None"),
        ("[a, b]", "is not a mapping but a list"),
        ("{}", "is empty"),
        ("a: []", "a: is empty"),
        ("a:", "a: is not a list but None"),
        ("a: kind", "a: is not a list but 'kind'"),
        ("a: {b: [c, d]}", "a: is not a list but a dict"),
        ("a: [b, c]\nd: [e, f, e]", "d.3: 'e' is there more than once"),
        ("a: [caf\u00e9, cafe\u0301]", "a.2: 'cafe\u0301' and 'caf\u00e9' (word 1) look alike"),
        ("a: [b, no]", "a.2: is not a text but False; put quotation marks around it"),
        ("a: [b, 12]", "a.2: is not a text but 12; put quotation marks"),
        ("a: [b, null]", "a.2: is not a text but None"),
        ("a: [b, [c]]", "a.2: is not a text but a list"),
        ("a: [b, {word: c, published: d}]", "a.2: is not a text but a dict"),
        ("a: [b, '']", "a.2: is empty"),
        ("a: [b, ' c']", "a.2: ' c' has spaces around it"),
        ("a: [b, '{region}']", "a.2: '{region}' has a brace in it"),
        ('a: [b, "c\\nd"]', "a.2: 'c\\nd' has a control character"),
        ('a: [b, "\\ud800"]', "a.2: has half of a character in it: '\\ud800'"),
        ("a: [b]", "only one word, by which no two regions differ"),
        ("1: [b, c]", "a key: is not a text but 1; put quotation marks around it"),
        ("yes: [b, c]", "a key: is not a text but True"),
        ("'': [b, c]", "a key: is empty"),
        ("a: [b, c]\n\u200ba: [b, c]", "a key: '\\u200ba' and 'a' (before it) look alike"),
        ("a: [b, c]\na: [d]", "the key 'a' is there twice, in lines 1 and 2"),
        ("a: [b, c", "not valid YAML: "),
    ],
)
def test_what_is_no_list(content: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, content)
    line = str(caught.value)
    assert line.isprintable()
    assert line.removeprefix(f"{tmp_path / 'mine.yaml'}: ").startswith(message)


def test_no_list(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none: no such file"):
        read_list(tmp_path / "none", "mine")


@pytest.mark.parametrize(
    ("name", "own", "message"),
    [
        ("mine", False, "'mine' is not published (published are original, substituted)"),
        ("original", True, "'original' is the name of a list of the paper; give that of "),
        ("full", True, "'full' is the name of a part of a list; give this list another"),
        ("without-strength", True, "'without-strength' is the name of a part of a list"),
        ("replace-", True, "'replace-' is the name of a part of a list"),
        ("", True, "a list's name: is empty"),
        ("a\nb", True, "a list's name: 'a\\nb' has a control character"),
        (3, True, "3 is not a name of a list"),
    ],
)
def test_names_of_lists(name: Any, own: bool, message: str, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("a: [b, c]")
    with pytest.raises(InputError) as caught:
        read_words({name: tmp_path / "mine.yaml" if own else None}, RESOURCE)
    assert str(caught.value).startswith(f"words: {message}")


def test_no_lists() -> None:
    with pytest.raises(InputError, match="words: no list of words"):
        read_words({}, RESOURCE)


def test_lists_stand_in_the_order_of_the_study(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("a: [b, c]")
    words, facts = read_words({"mine": tmp_path / "mine.yaml", "substituted": None}, RESOURCE)
    assert list(words["list"].unique()) == ["mine", "substituted"]
    assert facts["sources"]["mine"] == "mine.yaml" and "Li et al. 2022" in facts["sources"]["substituted"]
    assert list(words.index) == list(range(114))


# templates


@pytest.mark.parametrize(
    "template", ["People in {region} are {word}.", "{word}: {region}", "{region}{word}", "é {word} {region}"]
)
def test_templates(template: str) -> None:
    check_template(template)


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("People are {word}.", "has {region} 0 times, not once"),
        ("People in {region}.", "has {word} 0 times, not once"),
        ("{region} {region} {word}", "has {region} 2 times, not once"),
        ("{region} {word} {word}", "has {word} 2 times, not once"),
        ("{region} {word} {}", "has a brace besides {region} and {word}"),
        ("{{region}} {word}", "has a brace besides"),
        ("{re{word}gion}", "has {region} 0 times"),
        ("{word}{re{region}gion}", "has a brace besides"),
        ("{region } {word}", "has {region} 0 times"),
        ("{region} {word!r}", "has {word} 0 times"),
        ("{region} {word}\n", "has a control character"),
        (None, "what is given is not a text"),
        (["{region} {word}"], "what is given is not a text"),
    ],
)
def test_bad_templates(template: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        check_template(template)
    assert str(caught.value).startswith("template: ") and message in str(caught.value)


# sets of words


def test_sets_of_the_paper(paper: pd.DataFrame) -> None:
    sets = word_sets(paper)
    without, replace = [f"without-{topic}" for topic in TOPICS], [f"replace-{topic}" for topic in TOPICS]
    assert list(sets) == ["full", *without, *replace, "substituted"]
    rows = list(paper.itertuples(index=False))
    assert list(sets["full"]) == list(range(112))
    assert list(sets["substituted"]) == list(range(112, 224))
    for topic, number in TOPICS.items():
        left = [rows[place] for place in sets[f"without-{topic}"]]
        assert left == [row for row in rows[:112] if row.topic != topic]
        assert len(left) == 112 - number
        replaced = [rows[place] for place in sets[f"replace-{topic}"]]
        assert replaced == [
            other if row.topic == topic else row for row, other in zip(rows[:112], rows[112:], strict=True)
        ]


def words_of(**lists: dict[str, str]) -> pd.DataFrame:
    rows = [
        (name, topic, word, word)
        for name, topics in lists.items()
        for topic, words in topics.items()
        for word in words
    ]
    return pd.DataFrame(rows, columns=["list", "topic", "word", "word_published"])


@pytest.mark.parametrize(
    ("lists", "names"),
    [
        ({"mine": {"t": "abc"}}, ["full"]),
        ({"mine": {"t": "abc", "u": "d"}}, ["full", "without-u"]),
        ({"mine": {"t": "ab"}, "substituted": {"t": "cd"}}, ["full", "replace-t", "substituted"]),
        ({"mine": {"t": "ab"}, "substituted": {"t": "cde"}}, ["full", "substituted"]),
        ({"mine": {"t": "ab"}, "substituted": {"u": "cd"}}, ["full", "substituted"]),
        ({"substituted": {"t": "ab"}, "other": {"t": "cd"}}, ["full", "other"]),
    ],
)
def test_sets_of_other_lists(lists: dict[str, dict[str, str]], names: list[str]) -> None:
    words = words_of(**lists)
    sets = word_sets(words)
    assert list(sets) == names
    for name in set(names) & set(lists):
        assert list(words["word"][sets[name]]) == list("".join(lists[name].values()))


def test_topics_of_the_other_list_may_come_in_another_order() -> None:
    words = words_of(mine={"t": "ab", "u": "cd"}, substituted={"u": "CD", "t": "AB"})
    sets = word_sets(words)
    assert "".join(words["word"][sets["replace-t"]]) == "ABcd"
    assert "".join(words["word"][sets["replace-u"]]) == "abCD"
    assert "".join(words["word"][sets["without-t"]]) == "cd"


def test_the_script(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("a: [b, c]\nd: [b]")
    out = tmp_path / "words.parquet"
    (tmp_path / "regions.csv").write_text("name,parent,level\nWorld,,world\nA,World,part\nB,World,part\n")
    run_script(
        "read_regional",
        {
            "table": tmp_path / "regions.csv",
            "published": RESOURCE,
            "lists": [tmp_path / "mine.yaml"],
        },
        {"regions": tmp_path / "regions.parquet", "words": out},
        tmp_path / "log",
        regions={"source": "table", "path": "regions.csv"},
        words={"original": "published", "mine": "mine.yaml", "substituted": "published"},
    )
    words, facts = read_table(out, WORDS), read_metadata(out)
    assert list(words["list"].unique()) == ["original", "mine", "substituted"]
    assert list(of(words, "mine")["word"]) == ["b", "c", "b"]
    assert set(facts["sources"]) == {"original", "mine", "substituted"} and len(facts["made_from"]) == 2
    assert words["word_published"].str.startswith(" ").sum() == 10


FUZZ = settings(
    derandomize=True,
    deadline=None,
    max_examples=examples(150),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
SOME = st.one_of(st.text(max_size=4), st.none(), st.booleans(), st.integers(), st.just("a"), st.just("b"))
VALUES = st.recursive(
    SOME, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(SOME, inner, max_size=3), max_leaves=6
)


@FUZZ
@given(value=VALUES, drawn=st.binary(max_size=30))
def test_any_file_is_a_list_or_refused(value: Any, drawn: bytes, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    for content in (yaml.safe_dump(value, allow_unicode=True).encode("utf-8", "replace"), drawn):
        path.write_bytes(content)
        try:
            words = read_list(path, "mine")
        except InputError as error:
            assert str(error).startswith(f"{path}: ") and str(error).isprintable()
        else:
            assert len(as_table(words, WORDS)) > 1 and not words.duplicated().any()
